import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { discovered, password } from '../oauth/oauth.fixture.ts'
import { operate } from '../processes.ts'
import type { Answer } from '../rest-client.ts'
import { openGateways, type TwoGateways } from './gateways.fixture.ts'
import {
  answersAt,
  aSubject,
  credentialKinds,
  type Probe,
  type RightsSubject,
  type CredentialKind,
} from './rights.fixture.ts'

/** The clock does not advance, so cached entries of a gateway never expire, and only a notification can remove them. */
const start = new Date()
const immediatelyMs = 900
let gateways: TwoGateways

beforeAll(async () => {
  gateways = await openGateways({}, { now: () => start })
})
afterAll(() => gateways.close())

type Answers = string | Readonly<Partial<Record<CredentialKind, string>>>

interface Change {
  /** Prepares the state before the change, if the credentials do not simply see everything. */
  readonly first?: (subject: RightsSubject) => Promise<unknown>
  readonly change: (subject: RightsSubject) => Promise<unknown>
  readonly probe?: Probe
  readonly before?: string
  /** One expected answer for all credentials, or the answers of those that change. */
  readonly after: Answers
}

async function accepted(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer
  expect([status, status < 300 ? null : body]).toEqual([status, null])
  return body
}

const updated = (body: object) => (subject: RightsSubject) =>
  accepted(subject.owner.rest.userUpdate!({ id: subject.userId, body }))

const aProfile = async ({ owner, userId }: RightsSubject, phone?: 'HIDDEN'): Promise<string> => {
  const fields = phone ? { account: { phone } } : {}
  const { id } = await accepted(owner.rest.accessProfileCreate!({ body: { name: 'Restricted', fields } }))
  await accepted(owner.rest.userUpdate!({ id: userId, body: { profileId: id } }))
  return id as string
}

const aTeam = ({ owner, userId }: RightsSubject, withSubject: boolean): Promise<{ id: string }> =>
  accepted(
    owner.rest.teamCreate!({ body: { name: 'Sales', userIds: [owner.userId, ...(withSubject ? [userId] : [])] } }),
  )

const changedTeam =
  (operation: 'teamMembersAdd' | 'teamMembersRemove') =>
  async ({ owner, userId }: RightsSubject) => {
    const [{ id }] = (await accepted(owner.rest.teamList!())).data
    await accepted(owner.rest[operation]!({ id, body: { userIds: [userId] } }))
  }

/** Runs `npm run organization -- suspend` or `resume` in a separate process. */
const organization =
  (verb: 'suspend' | 'resume') =>
  ({ organizationId }: RightsSubject) =>
    operate(['organization', verb, organizationId], {
      DATA_DIR: gateways.dataDir,
      DATABASE_URL: gateways.databaseUrl,
    })

const key =
  (operation: 'apiKeyRevoke' | 'apiKeyRotate' | 'apiKeyUpdate' | 'apiKeyDelete', body?: object) =>
  ({ owner, keyId: id }: RightsSubject) =>
    accepted(owner.rest[operation]!({ id, ...(body && { body }) }))

const inGraphql =
  (mutation: string) =>
  async ({ graphql, userId: id }: RightsSubject) => {
    const { body } = await graphql(`mutation($id: ID!) { ${mutation} }`, { id })
    expect(body.errors).toBeUndefined()
  }

const afterLoss = (code: string): Answers => ({
  key: `401 ${code}`,
  session: '401 UNAUTHENTICATED',
  token: '401 UNAUTHENTICATED',
})

const changes: Readonly<Record<string, Change>> = {
  'a lowered role': {
    probe: 'write',
    change: updated({ role: 'READ_ONLY' }),
    after: '403 PERMISSION_DENIED',
  },
  'a raised role': {
    probe: 'write',
    first: updated({ role: 'READ_ONLY' }),
    before: '403 PERMISSION_DENIED',
    change: updated({ role: 'MEMBER' }),
    after: 'shown',
  },
  'a narrowed visibility': { change: updated({ visibility: 'OWN' }), after: '404 NOT_FOUND' },
  'a profile that is assigned': { change: (subject) => aProfile(subject, 'HIDDEN'), after: 'hidden' },
  'a profile that changes': {
    first: (subject) => aProfile(subject),
    async change({ owner }) {
      const [{ id }] = await accepted(owner.rest.accessProfileList!())
      await accepted(owner.rest.accessProfileUpdate!({ id, body: { fields: { account: { phone: 'HIDDEN' } } } }))
    },
    after: 'hidden',
  },
  'a new default profile': {
    change: ({ owner }) =>
      accepted(
        owner.rest.accessProfileCreate!({
          body: { name: 'All', isDefault: true, fields: { account: { phone: 'HIDDEN' } } },
        }),
      ),
    after: 'hidden',
  },
  'a profile that is removed from the user': {
    first: (subject) => aProfile(subject, 'HIDDEN'),
    before: 'hidden',
    change: updated({ profileId: null }),
    after: 'shown',
  },
  'a team that is joined': {
    first: async (subject) => [await updated({ visibility: 'TEAM' })(subject), await aTeam(subject, false)],
    before: '404 NOT_FOUND',
    change: changedTeam('teamMembersAdd'),
    after: 'shown',
  },
  'a team that is left': {
    first: async (subject) => [await updated({ visibility: 'TEAM' })(subject), await aTeam(subject, true)],
    change: changedTeam('teamMembersRemove'),
    after: '404 NOT_FOUND',
  },
  'the deactivation of the user': {
    change: ({ owner, userId: id }) => accepted(owner.rest.userDeactivate!({ id })),
    after: afterLoss('API_KEY_OWNER_INACTIVE'),
  },
  'the removal of the user': {
    change: ({ owner, userId: id }) => accepted(owner.rest.userDelete!({ id })),
    after: afterLoss('API_KEY_OWNER_NOT_IN_ORG'),
  },
  'a deactivation by the directory': {
    change: ({ scim, userId }) =>
      accepted(
        scim('PATCH', `/Users/${userId}`, {
          schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
          Operations: [{ op: 'replace', path: 'active', value: false }],
        }),
      ),
    after: afterLoss('API_KEY_OWNER_INACTIVE'),
  },
  'a removal by the directory': {
    change: ({ scim, userId }) => accepted(scim('DELETE', `/Users/${userId}`)),
    after: afterLoss('API_KEY_OWNER_NOT_IN_ORG'),
  },
  'a lowered role, in GraphQL': {
    probe: 'write',
    change: inGraphql('userUpdate(id: $id, input: { role: READ_ONLY }) { id }'),
    after: '403 PERMISSION_DENIED',
  },
  'a profile, seen in GraphQL': {
    probe: 'graph',
    change: (subject) => aProfile(subject, 'HIDDEN'),
    after: 'hidden',
  },
  'the deactivation of the user, in GraphQL': {
    probe: 'graph',
    change: inGraphql('userDeactivate(id: $id) { id }'),
    after: { key: 'API_KEY_OWNER_INACTIVE', session: 'UNAUTHENTICATED', token: 'UNAUTHENTICATED' },
  },
  'the suspension of the organization': {
    change: organization('suspend'),
    after: '401 ORGANIZATION_SUSPENDED',
  },
  'the end of a suspension': {
    first: organization('suspend'),
    before: '401 ORGANIZATION_SUSPENDED',
    change: organization('resume'),
    after: 'shown',
  },
  'a revoked key': { change: key('apiKeyRevoke'), after: { key: '401 API_KEY_INVALID' } },
  'a deleted key': { change: key('apiKeyDelete'), after: { key: '401 API_KEY_INVALID' } },
  'a key secret that was rotated': {
    change: key('apiKeyRotate', { overlapHours: 0 }),
    after: { key: '401 API_KEY_EXPIRED' },
  },
  'another allow-list of the key': {
    change: key('apiKeyUpdate', { ipAllowList: ['192.0.2.1'] }),
    after: { key: '403 API_KEY_IP_NOT_ALLOWED' },
  },
  'fewer scopes of the key': {
    change: key('apiKeyUpdate', { scopes: ['READ_LEADS'] }),
    after: { key: '403 API_KEY_SCOPE_INSUFFICIENT' },
  },
  'signing out everywhere': {
    change: ({ rest }) => accepted(rest.authLogoutAll!()),
    after: { session: '401 UNAUTHENTICATED', token: '401 UNAUTHENTICATED' },
  },
  'another password': {
    change: ({ rest }) =>
      accepted(rest.authChangePassword!({ body: { currentPassword: password, newPassword: 'Better horse 8!' } })),
    after: { session: '401 UNAUTHENTICATED', token: '401 UNAUTHENTICATED' },
  },
  'a disconnected app': {
    async change({ owner }) {
      const [{ id }] = (await accepted(owner.rest.connectedAppList!())).data
      await accepted(owner.rest.connectedAppDelete!({ id }))
    },
    after: { token: '401 UNAUTHENTICATED' },
  },
  'a revoked access token': {
    change: async ({ app, accessToken }) =>
      oauth.tokenRevocation(await discovered(gateways.one.running.url, app), accessToken),
    after: { token: '401 UNAUTHENTICATED' },
  },
  'fewer scopes of the app': {
    change: ({ owner, app: { id } }) => accepted(owner.rest.oauthAppUpdate!({ id, body: { scopes: ['READ_LEADS'] } })),
    after: { token: '403 OAUTH_SCOPE_INSUFFICIENT' },
  },
  'a deleted app': {
    change: ({ owner, app: { id } }) => accepted(owner.rest.oauthAppDelete!({ id })),
    after: { token: '401 UNAUTHENTICATED' },
  },
}

describe('at every gateway, immediately', () => {
  it.each(Object.entries(changes))(
    '%s takes effect',
    async (_, { first, change, probe = 'read', before = 'shown', after }) => {
      const { one, other } = gateways
      const subject = await aSubject(one)
      await first?.(subject)
      const former = credentialKinds.map(() => before)
      const asked = (at: typeof one) => () => answersAt(at, subject, probe)
      const soon = { timeout: immediatelyMs, interval: 5 }
      for (const at of [one, other]) await expect.poll(asked(at), { timeout: 10_000 }).toEqual(former)
      await change(subject)
      const latter = credentialKinds.map((way) => (typeof after === 'string' ? after : (after[way] ?? before)))
      for (const at of [other, one]) await expect.poll(asked(at), soon).toEqual(latter)
    },
  )
})
