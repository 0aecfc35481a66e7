import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile, updateProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { createApiKey } from '../../subgraphs/identity/public.ts'
import { appScopes } from '../../subgraphs/kernel/scope-areas.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, supportCase } from '../builders.ts'
import { anApp, aPerson, discovered, tokensOf } from '../oauth/oauth.fixture.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { graphqlClient, restClient, type Answer, type GraphqlClient, type RestClient } from '../rest-client.ts'
import { filtered, kinds, named, places, sorted, unrelated } from './field-security.fixture.ts'

interface CredentialKind {
  readonly rest: RestClient
  readonly graphql: GraphqlClient
}

const platform = usePlatform()
let writer: Member
let record: Record<string, unknown>
let relative: Record<string, unknown>
let relatedCase: Record<string, unknown>

beforeAll(async () => {
  writer = await platform.member()
  record = await account(writer, Object.fromEntries(named.map(([name, { value }]) => [name, value])))
  relative = await account(writer, { parentAccountId: record['id'] })
  relatedCase = await supportCase(writer, { accountId: record['id'], description: 'The secret recipe.' })
})

const credentialKinds = ['the key', 'a session', 'an access token'] as const

/** A user whose profile gives every field this level, with a credential of each kind. */
async function restricted(
  level: 'HIDDEN' | 'READ' | 'WRITE',
): Promise<Record<(typeof credentialKinds)[number], CredentialKind>> {
  const { services, url, contract } = platform
  const { organizationId } = writer
  const person = await aPerson(platform, { organizationId })
  const ctx = systemContext(services, organizationId)
  const fields = {
    account: Object.fromEntries(named.map(([name]) => [name, level])),
    case: { accountId: level, description: level, slaDueAt: level },
  }
  const { id } = await createProfile(ctx, { name: level, fields })
  await assignProfile(ctx, person.userId, id)
  const wanted = { ownerId: person.userId, name: 'Sync', scopes: ['*'] }
  const { secret } = await createApiKey(services, organizationId, wanted)
  const app = await anApp(person, { scopes: [...appScopes] })
  const { access_token } = await tokensOf(platform, await discovered(url, app), person, appScopes.join(' '))
  const way = (headers: Record<string, string>): CredentialKind => ({
    rest: restClient(contract, url, headers),
    graphql: graphqlClient(url, headers),
  })
  return {
    'the key': way({ 'X-API-Key': secret }),
    'a session': way({ Authorization: `Bearer ${await sessionOf(platform, person)}` }),
    'an access token': way({ Authorization: `Bearer ${access_token}` }),
  }
}

type Probe = (way: CredentialKind) => Promise<Answer>

const conditionOf = (name: string): string => `{ ${name}: { ${kinds[name]!.operator}: ${kinds[name]!.literal} } }`

/** Every request that can show, reveal or write a field. */
function probes(): Record<string, Probe> {
  const { id } = record
  const all = named.map(([name]) => name).join(' ')
  const whole = `query($id: ID!, $child: ID!, $case: ID!) {
    account(id: $id) { ${all} children { totalCount nodes { id } } cases { totalCount nodes { id } } }
    child: account(id: $child) { parentAccountId parent { id } }
    case(id: $case) { accountId description aiSummary account { id } }
    accountConnection { nodes { ${all} } } accountStats { byRating { HOT } totalAnnualRevenue averageHealthScore } }`
  const requests: Record<string, Probe> = {
    read: ({ rest }) => rest.account!({ id }),
    list: ({ rest }) => rest.accountList!({ query: { limit: 100 } }),
    search: ({ rest }) => rest.accountList!({ query: { search: '+47 22 11' } }),
    statistics: ({ rest }) => rest.accountStats!(),
    'statistics of cases': ({ rest }) => rest.caseStats!(),
    'cases of it': ({ rest }) => rest.caseList!({ query: { accountId: String(id) } }),
    summary: ({ rest }) => rest.caseSummarize!({ id: relatedCase['id'] }),
    graph: ({ graphql }) => graphql(whole, { id, child: relative['id'], case: relatedCase['id'] }),
  }
  for (const [name] of unrelated)
    for (const [filter, path] of places(name, conditionOf(name)))
      requests[path] = ({ graphql }) => graphql(filtered(filter))
  for (const [name, { other, isSorted = true }] of named) {
    if (isSorted) requests[`order by ${name}`] = ({ graphql }) => graphql(sorted(name))
    requests[`change ${name}`] = ({ rest }) => rest.accountUpdate!({ id, body: { [name]: other, industry: 'x' } })
    requests[`create ${name}`] = ({ rest }) => rest.accountCreate!({ body: { name: 'New', [name]: other } })
  }
  return requests
}

const codeOf = ({ status, body }: Answer): string =>
  (body.code ?? body.errors?.[0]?.extensions?.code ?? `${status}`) as string

const outcome = ({ status, body }: Answer): unknown => [status, JSON.parse(JSON.stringify(body, withoutChangingFields))]
// Each summary increases the version of the case, so basedOnVersion differs between requests.
const changingFields = new Set(['requestId', 'basedOnVersion'])
const withoutChangingFields = (name: string, value: unknown): unknown => (changingFields.has(name) ? undefined : value)

describe.each([
  ['HIDDEN', { FIELD_NOT_READABLE: 62, FIELD_NOT_WRITABLE: 20 }],
  ['READ', { FIELD_NOT_WRITABLE: 20 }],
] as const)('a user whose fields are %s', (level, refusals) => {
  it('gets the same response with every credential', { timeout: 60_000 }, async () => {
    const clientsByCredential = await restricted(level)
    const counts: Record<string, number> = {}
    for (const [name, probe] of Object.entries(probes())) {
      const expected = await probe(clientsByCredential['the key'])
      if (codeOf(expected) !== '200') counts[codeOf(expected)] = (counts[codeOf(expected)] ?? 0) + 1
      for (const way of credentialKinds.slice(1)) {
        expect([name, way, outcome(await probe(clientsByCredential[way]))]).toEqual([name, way, outcome(expected)])
      }
    }
    expect(counts).toEqual(refusals)
  })
})

describe('a change of the profile', () => {
  it('takes effect for every credential immediately', async () => {
    const clientsByCredential = await restricted('WRITE')
    const phones = () =>
      Promise.all(
        credentialKinds.map(
          async (way) => (await clientsByCredential[way].rest.account!({ id: record['id'] })).body.phone as unknown,
        ),
      )
    expect(await phones()).toEqual(credentialKinds.map(() => '+47 22 11'))
    const ctx = systemContext(platform.services, writer.organizationId)
    const [profile] = await platform.query<{ id: string }>(`select id from identity.profile where name = 'WRITE'`)
    await updateProfile(ctx, profile!.id, { fields: { account: { phone: 'HIDDEN' } } })
    await expect.poll(phones).toEqual(credentialKinds.map(() => undefined))
  })
})
