import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, anAccount, aLine, aQuote, lead } from '../builders.ts'
import { useHookReceiver } from '../extensions/hook-receiver.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
let owner: Member
let member: Member

const anOrganization = async (): Promise<void> => {
  const organizationId = await platform.organization('Dry')
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
  await platform.services.vault.load(organizationId)
}
beforeAll(anOrganization)
beforeEach(() => receiver.reset())

const Prefer = 'dry-run'

/** Runs work that must change nothing in the whole database. */
const unchanged = async <T>(work: () => Promise<T>): Promise<T> => {
  await platform.settled()
  const before = await platform.fingerprint()
  const result = await work()
  await platform.settled()
  expect(await platform.fingerprint()).toBe(before)
  return result
}

const two = (directive: string) => `mutation ${directive} {
  a: accountCreate(input: { name: "First" }) { id name version }
  b: accountCreate(input: { name: "Second" }) { name } }`

describe('a mutation with @dryRun', () => {
  it('answers as it would, with the events, and changes nothing', async () => {
    const { status, body, headers } = await unchanged(() => member.graphql(two('@dryRun')))
    const { id } = body.data.a
    expect(body.data).toEqual({ a: { id, name: 'First', version: 1 }, b: { name: 'Second' } })
    expect(body.extensions.dryRun).toEqual({
      events: [
        { type: 'account.created', object: 'account', recordId: id, changedFields: null },
        { type: 'account.created', object: 'account', recordId: expect.any(String), changedFields: null },
      ],
      notExecuted: [],
    })
    expect([status, headers.get('preference-applied')]).toEqual([200, 'dry-run'])
    expect((await member.rest['account']!({ id })).status).toBe(404)
  })

  it('sees what its earlier fields have changed', async () => {
    const { id } = await account(member, { name: 'Old' })
    const document = `mutation($id: ID!) @dryRun { one: accountUpdate(id: $id, input: { name: "One" }) { version }
      two: accountUpdate(id: $id, input: { industry: "SHIPPING" }, expectedVersion: 2) { name version } }`
    const { body } = await unchanged(() => member.graphql(document, { id }))
    expect(body.data).toEqual({ one: { version: 2 }, two: { name: 'One', version: 3 } })
    expect(body.extensions.dryRun.events).toMatchObject([{ changedFields: ['name'] }, { changedFields: ['industry'] }])
  })

  it('is refused as the mutation would be, field by field', async () => {
    const refused = two('@dryRun').replace('"Second"', '" "')
    const { body } = await unchanged(() => member.graphql(refused))
    expect([body.data.a.name, body.data.b]).toEqual(['First', null])
    expect(body.errors).toMatchObject([{ path: ['b'], extensions: { code: 'VALIDATION_FAILED' } }])
    expect(body.extensions.dryRun.events).toHaveLength(1)
  })

  it('names only fields and records that the caller sees', async () => {
    const { organizationId } = owner
    const reader = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await account(reader, { name: 'Mine' })
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, {
      name: `P ${newId()}`,
      fields: { account: { industry: 'READ', rating: 'HIDDEN' } },
    })
    await assignProfile(ctx, reader.userId, profile.id)
    const document =
      'mutation($id: ID!, $to: ID!) @dryRun { accountUpdate(id: $id, input: { ownerId: $to }) { ownerId } }'
    const { body } = await unchanged(() => reader.graphql(document, { id, to: member.userId }))
    expect(body.data.accountUpdate).toEqual({ ownerId: member.userId })
    // The record has left the sight of the caller.
    expect(body.extensions.dryRun.events).toEqual([])
  })

  it.each([
    [
      'root fields of several domains',
      'mutation @dryRun { accountCreate(input: { name: "A" }) { id } caseCreate(input: { subject: "C" }) { id } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
    [
      'a field that signs in',
      'mutation @dryRun { authLogin(input: { email: "a@b.example", password: "x" }) { __typename } }',
      'DRY_RUN_NOT_SUPPORTED',
    ],
    ['a query', 'query @dryRun { viewer { userId } }', 'GRAPHQL_VALIDATION_FAILED'],
    [
      'a variable for hooks',
      'mutation($h: Boolean!) @dryRun(hooks: $h) { accountCreate(input: { name: "A" }) { id } }',
      'GRAPHQL_VALIDATION_FAILED',
    ],
  ])('is refused with %s', async (_what, document, code) => {
    const { status, body } = await unchanged(() => member.graphql(document, { h: true }))
    expect([status, body.errors[0].extensions.code]).toEqual([400, code])
  })

  it('keeps no idempotency key, and does not need it for the mutation', async () => {
    const headers = { 'Idempotency-Key': newId() }
    await unchanged(() => member.graphql(two('@dryRun'), {}, headers))
    const { body, headers: answered } = await member.graphql(two(''), {}, headers)
    expect([body.data.b.name, answered.get('idempotent-replayed')]).toEqual(['Second', null])
  })
})

describe('Prefer: dry-run', () => {
  it('tries a mutation in GraphQL, and leaves a query as it is', async () => {
    const { body, headers } = await unchanged(() => member.graphql(two(''), {}, { Prefer: 'handling=strict, dry-run' }))
    expect(body.extensions.dryRun.events).toHaveLength(2)
    expect(headers.get('preference-applied')).toBe('dry-run')
    const several = await unchanged(() => member.graphql(two(''), {}, { Prefer: 'duplicates=allow, dry-run=hooks' }))
    expect(several.headers.get('preference-applied')).toBe('duplicates=allow, dry-run=hooks')
    const read = await member.graphql('{ viewer { userId } }', {}, { Prefer })
    expect(read.body).toEqual({ data: { viewer: { userId: member.userId } } })
  })

  it('is refused with another value, before anything is done', async () => {
    const headers = { Prefer: 'dry-run=all' }
    const { status, body } = await unchanged(() => member.rest['accountCreate']!({ body: anAccount(), headers }))
    expect([status, body.errors[0].path]).toEqual([400, 'Prefer'])
    const graph = await unchanged(() => member.graphql(two(''), {}, headers))
    expect(graph.status).toBe(400)
  })

  it('tries a create, a change and a deletion in REST', async () => {
    const headers = { Prefer }
    const created = await unchanged(() => member.rest['accountCreate']!({ body: anAccount({ name: 'New' }), headers }))
    expect([created.status, created.body.name, created.body.version]).toEqual([200, 'New', 1])
    const told = ({ headers: answered }: { headers: Headers }) =>
      ['preference-applied', 'dry-run-events', 'location', 'etag'].map((name) => answered.get(name))
    expect(told(created)).toEqual(['dry-run', `"account.created";id="${created.body.id}"`, null, null])
    const { id } = await account(member, { name: 'Old' })
    const changed = await unchanged(() => member.rest['accountUpdate']!({ id, body: { name: 'Newer' }, headers }))
    expect([changed.status, changed.body.name, changed.body.version]).toEqual([200, 'Newer', 2])
    const deleted = await unchanged(() => member.rest['accountDelete']!({ id, headers }))
    expect([deleted.status, ...told(deleted)]).toEqual([204, 'dry-run', `"account.deleted";id="${id}"`, null, null])
    const conflict = await unchanged(() =>
      member.rest['accountUpdate']!({ id, body: { name: 'Newer' }, headers: { ...headers, 'If-Match': '"7"' } }),
    )
    expect([conflict.status, conflict.body.code]).toEqual([409, 'VERSION_CONFLICT'])
  })

  it('checks what connections without TLS are allowed', async () => {
    const create = (smtpHost: string) => {
      const body = { name: 'Ann', email: 'ann@fjordline.example', smtpHost, smtpSecurity: 'NONE' }
      return unchanged(() => member.rest['mailboxCreate']!({ body, headers: { Prefer } }))
    }
    expect((await create('127.0.0.1')).status).toBe(200)
    const refused = await create('192.0.2.1')
    expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED'])
  })

  it('takes no gap-free number', async () => {
    const { id: accountId } = await account(member)
    const body = aQuote({ accountId, lineItems: [aLine()] })
    const number = async (headers: Record<string, string>) =>
      (await member.rest['quoteCreate']!({ body, headers })).body.quoteNumber as string
    const tried = await unchanged(() => number({ Prefer }))
    expect([await number({}), await number({})]).toEqual([tried, tried.replace(/1$/, '2')])
  })

  it('queues no mail, and says so', async () => {
    const { id } = await lead(member, { company: 'Nordlys', ownerId: owner.userId })
    const body = { notifyOwner: true }
    const answer = await unchanged(() => member.rest['leadConvert']!({ id, body, headers: { Prefer } }))
    expect([answer.status, answer.body.lead.status]).toEqual([200, 'CONVERTED'])
    expect(answer.headers.get('dry-run-not-executed')).toBe('"MAIL"')
    expect(answer.headers.get('dry-run-events')).toContain(`"lead.converted";id="${id}"`)
  })

  it('calls hooks only with dry-run=hooks', async () => {
    await anOrganization()
    const hook = { name: 'Check', url: receiver.url, objectType: 'ACCOUNT', operations: ['CREATE'] }
    expect((await owner.rest['beforeSaveHookCreate']!({ body: hook })).status).toBe(201)
    receiver.decide = ({ records }) => ({
      results: records.map(() => ({ decision: 'ALLOW', changes: { industry: 'SHIPPING' } })),
    })
    const create = (preference: string) =>
      unchanged(() =>
        member.rest['accountCreate']!({ body: anAccount({ name: 'New' }), headers: { Prefer: preference } }),
      )
    const without = await create('dry-run')
    expect([without.body.industry, receiver.received.length]).toEqual([null, 0])
    expect(without.headers.get('dry-run-not-executed')).toBe(`"HOOK";object="account";id="${without.body.id}"`)
    const called = await create('dry-run=hooks')
    expect([called.body.industry, receiver.received.length]).toEqual(['SHIPPING', 1])
    expect(called.headers.get('preference-applied')).toBe('dry-run=hooks')
    expect(called.headers.get('dry-run-not-executed')).toBeNull()
    receiver.decide = ({ records }) => ({ results: records.map(() => ({ decision: 'REJECT', message: 'No.' })) })
    const rejected = await create('dry-run=hooks')
    expect([rejected.status, rejected.body.code]).toEqual([422, 'HOOK_REJECTED'])
  })
})
