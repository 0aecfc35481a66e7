import { restContract } from '../contract-of-rest.ts'
import { createApiKey, createOrganization } from '../../subgraphs/identity/public.ts'
import { appScopes } from '../../subgraphs/kernel/scope-areas.ts'
import { anApp, aPerson, discovered, tokensOf, type App, type Person } from '../oauth/oauth.fixture.ts'
import { newSession } from '../requests/session.ts'
import { answerOf, graphqlClient, restClient, type Answer, type GraphqlClient } from '../rest-client.ts'
import type { Gateway } from './gateways.fixture.ts'

export const credentialKinds = ['key', 'session', 'token'] as const
export type CredentialKind = (typeof credentialKinds)[number]
type Credentials = Readonly<Record<CredentialKind, Readonly<Record<string, string>>>>

const contract = restContract()
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

/** A member with a credential of each kind, and the owner and the directory that can change the rights of the member. */
export interface RightsSubject extends Person {
  readonly keyId: string
  readonly app: App
  readonly credentials: Credentials
  readonly accessToken: string
  /** The session of an owner. */
  readonly owner: Person
  /** A record of the owner, with a phone number. */
  readonly recordId: string
  /** GraphQL client of the owner. */
  readonly graphql: GraphqlClient
  scim(method: string, path: string, body?: unknown): Promise<Answer>
}

/** All clients of the subject send their requests to this gateway. */
export async function aSubject({ services, running: { url } }: Gateway): Promise<RightsSubject> {
  const at = { services, url, contract }
  const { id: organizationId } = await createOrganization(services, { name: 'Acme' })
  const owner = await aPerson(at, { role: 'OWNER', organizationId })
  const person = await aPerson(at, { organizationId })
  const key = await createApiKey(services, organizationId, { ownerId: person.userId, name: 'Sync', scopes: ['*'] })
  const app = await anApp(owner, { scopes: [...appScopes] })
  const granted = await tokensOf(at, await discovered(url, app), person, appScopes.join(' '))
  const created = await owner.rest.accountCreate!({ body: { name: 'Northwind', phone: '1' } })
  const directory = bearer((await owner.rest.scimTokenRotate!()).body.token as string)
  return {
    ...person,
    owner,
    app,
    keyId: key.id,
    accessToken: granted.access_token,
    graphql: graphqlClient(url, bearer((await newSession(at, owner)).accessToken)),
    recordId: created.body.id as string,
    credentials: {
      key: { 'X-API-Key': key.secret },
      session: bearer((await newSession(at, person)).accessToken),
      token: bearer(granted.access_token),
    },
    scim: async (method, path, body) =>
      answerOf(
        await fetch(`${url}/v1/scim/v2${path}`, {
          method,
          headers: { ...directory, 'content-type': 'application/scim+json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
      ),
  }
}

type Headers = Readonly<Record<string, string>>

const restAnswer = ({ status, body }: Answer): string =>
  status < 400 ? ('phone' in body ? 'shown' : 'hidden') : `${status} ${body.code}`

const graphAnswer = ({ body: { data, errors } }: Answer): string =>
  errors ? (errors[0].extensions.code as string) : data.account.phone === null ? 'hidden' : 'shown'

/** Requests that show the current rights of a credential. */
const probes = {
  read: async (url: string, headers: Headers, { recordId: id }: RightsSubject) =>
    restAnswer(await restClient(contract, url, headers).account!({ id })),
  write: async (url: string, headers: Headers) =>
    restAnswer(await restClient(contract, url, headers).accountCreate!({ body: { name: 'Acme' } })),
  graph: async (url: string, headers: Headers, { recordId: id }: RightsSubject) =>
    graphAnswer(await graphqlClient(url, headers)('query($id: ID!) { account(id: $id) { phone } }', { id })),
}
export type Probe = keyof typeof probes

/** The answer to each credential of the subject at one gateway. */
export function answersAt({ running: { url } }: Gateway, subject: RightsSubject, probe: Probe): Promise<string[]> {
  return Promise.all(credentialKinds.map((way) => probes[probe](url, subject.credentials[way], subject)))
}
