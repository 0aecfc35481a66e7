import { anonymous, goodPassword } from '../identity.fixture.ts'
import type { Prepare, Scenario } from './scenario.fixture.ts'

interface Audited {
  /** The actions of the entries. */
  readonly actions: readonly string[]
  readonly prepare: Prepare
}

const byDirectory = (prepare: (scenario: Scenario) => Promise<string> | string) => async (scenario: Scenario) => ({
  text: await prepare(scenario),
  caller: await scenario.directory(),
})
const byAnonymous = (prepare: (scenario: Scenario) => Promise<string> | string) => async (scenario: Scenario) => ({
  text: await prepare(scenario),
  caller: anonymous,
})

/** Audited mutations, with the actions of the entries that they write. */
export const mutations: Readonly<Record<string, Audited>> = {
  userInvite: {
    actions: ['user.created', 'user.invited'],
    prepare: ({ newEmail }) => `(input: {email: "${newEmail}"}) { id }`,
  },
  userInviteAgain: {
    actions: ['user.invited'],
    prepare: async (scenario) => `(id: "${await scenario.invited()}") { id }`,
  },
  userUpdate: {
    actions: ['user.updated'],
    prepare: async (scenario) => `(id: "${await scenario.member()}", input: {role: MANAGER}) { id }`,
  },
  userDeactivate: {
    actions: ['user.updated'],
    prepare: async (scenario) => `(id: "${await scenario.member()}") { id }`,
  },
  userReactivate: {
    actions: ['user.updated'],
    prepare: async (scenario) => {
      const id = await scenario.member()
      await scenario.run(`mutation { userDeactivate(id: "${id}") { id } }`)
      return `(id: "${id}") { id }`
    },
  },
  userDelete: { actions: ['user.deleted'], prepare: async (scenario) => `(id: "${await scenario.member()}")` },
  partnerInvite: {
    actions: ['user.created', 'user.invited'],
    prepare: ({ newEmail }) => `(input: {email: "${newEmail}"}) { email }`,
  },
  authAcceptPartnerInvite: {
    actions: ['session.started', 'user.accepted'],
    prepare: byAnonymous(async (scenario) => {
      const data = { userId: await scenario.invited(), role: 'MEMBER', invitedById: scenario.caller.userId }
      const token = await scenario.mailed('INVITATION', data, scenario.newEmail)
      return `(input: {token: "${token}", password: "${goodPassword}", firstName: "A", lastName: "B"}) { accessToken }`
    }),
  },

  teamCreate: { actions: ['team.created'], prepare: () => '(input: {name: "Sales"}) { id }' },
  teamUpdate: {
    actions: ['team.updated'],
    prepare: async (scenario) => `(id: "${await scenario.team()}", input: {name: "Field"}) { id }`,
  },
  teamDelete: { actions: ['team.deleted'], prepare: async (scenario) => `(id: "${await scenario.team()}")` },
  teamMembersAdd: {
    actions: ['team.updated'],
    prepare: async (scenario) => `(id: "${await scenario.team()}", userIds: ["${await scenario.member()}"]) { id }`,
  },
  teamMembersRemove: {
    actions: ['team.updated'],
    prepare: async (scenario) => {
      const userId = await scenario.member()
      return `(id: "${await scenario.team([userId])}", userIds: ["${userId}"]) { id }`
    },
  },
  teamMembersReplace: {
    actions: ['team.updated'],
    prepare: async (scenario) => `(id: "${await scenario.team()}", userIds: ["${await scenario.member()}"]) { id }`,
  },

  accessProfileCreate: { actions: ['profile.created'], prepare: () => '(input: {name: "Few"}) { id }' },
  accessProfileUpdate: {
    actions: ['profile.updated'],
    prepare: async (scenario) => `(id: "${await scenario.profile()}", input: {name: "Fewer"}) { id }`,
  },
  accessProfileDelete: {
    actions: ['profile.deleted'],
    prepare: async (scenario) => `(id: "${await scenario.profile()}")`,
  },

  organizationUpdate: { actions: ['organization.updated'], prepare: () => '(input: {name: "Acme Group"}) { id }' },
  organizationCodeRegenerate: { actions: ['organization.code_regenerated'], prepare: () => ' { id }' },

  developerOrgCreate: {
    actions: ['organization.created', 'user.created', 'developer_org.created'],
    prepare: () => '(input: {name: "Sandbox"}) { id }',
  },
  developerOrgDelete: {
    actions: ['organization.updated', 'developer_org.deleted'],
    prepare: async (scenario) => `(id: "${await scenario.developerOrg()}")`,
  },

  baseCurrencySet: { actions: ['organization.updated'], prepare: () => '(baseCurrency: "EUR") { baseCurrency }' },
  exchangeRateSet: {
    actions: ['exchange_rate.created'],
    prepare: () => '(input: {currency: "EUR", date: "2026-11-01", rate: 1.08}) { id }',
  },
  exchangeRateDelete: {
    actions: ['exchange_rate.deleted'],
    prepare: async (scenario) => `(id: "${await scenario.rate()}")`,
  },

  apiKeyCreate: { actions: ['api_key.created'], prepare: () => '(input: {name: "Sync", scopes: ["*"]}) { id }' },
  apiKeyUpdate: {
    actions: ['api_key.updated'],
    prepare: async (scenario) => `(id: "${await scenario.key()}", input: {name: "Mirror"}) { id }`,
  },
  apiKeyRotate: { actions: ['api_key.rotated'], prepare: async (scenario) => `(id: "${await scenario.key()}") { id }` },
  apiKeyRevoke: { actions: ['api_key.revoked'], prepare: async (scenario) => `(id: "${await scenario.key()}") { id }` },
  apiKeyDelete: { actions: ['api_key.deleted'], prepare: async (scenario) => `(id: "${await scenario.key()}")` },

  oauthAppCreate: {
    actions: ['oauth_app.created'],
    prepare: () => '(input: {name: "App", scopes: ["READ_CASES"], redirectUris: ["https://a.example/back"]}) { id }',
  },
  oauthAppUpdate: {
    actions: ['oauth_app.updated'],
    prepare: async (scenario) => `(id: "${await scenario.app()}", input: {name: "Other"}) { id }`,
  },
  oauthAppRotateSecret: {
    actions: ['oauth_app.secret_rotated'],
    prepare: async (scenario) => `(id: "${await scenario.app()}") { id }`,
  },
  oauthAppDelete: { actions: ['oauth_app.deleted'], prepare: async (scenario) => `(id: "${await scenario.app()}")` },
  connectedAppUpdate: {
    actions: ['connected_app.updated'],
    prepare: async (scenario) => ({
      text: `(id: "${await scenario.connectedApp()}", input: {settings: {region: "north"}}) { id }`,
    }),
  },
  connectedAppDelete: {
    actions: ['connected_app.revoked'],
    prepare: async (scenario) => `(id: "${await scenario.connectedApp()}")`,
  },

  scimTokenRotate: { actions: ['scim_token.created'], prepare: () => ' { prefix }' },
  scimTokenRevoke: {
    actions: ['scim_token.revoked'],
    prepare: async (scenario) => {
      await scenario.run('mutation { scimTokenRotate { prefix } }')
      return ''
    },
  },
  scimUserCreate: {
    actions: ['user.created'],
    prepare: byDirectory(({ newEmail }) => `(input: {userName: "${newEmail}"}) { id }`),
  },
  scimUserUpdate: {
    actions: ['user.updated', 'user.updated'],
    prepare: byDirectory(
      async (scenario) =>
        `(id: "${await scenario.member()}", input: {userName: "${scenario.newEmail}", role: MANAGER}) { id }`,
    ),
  },
  scimUserDelete: {
    actions: ['user.deleted'],
    prepare: byDirectory(async (scenario) => `(id: "${await scenario.member()}")`),
  },
  scimGroupCreate: { actions: ['team.created'], prepare: byDirectory(() => '(input: {displayName: "Sales"}) { id }') },
  scimGroupUpdate: {
    actions: ['team.updated'],
    prepare: byDirectory(async (scenario) => `(id: "${await scenario.team()}", input: {displayName: "Field"}) { id }`),
  },
  scimGroupDelete: {
    actions: ['team.deleted'],
    prepare: byDirectory(async (scenario) => `(id: "${await scenario.team()}")`),
  },

  authMeetingCallback: {
    actions: ['meeting_connection.created'],
    prepare: async (scenario) =>
      `(provider: "zoom", code: "c", state: "${await scenario.connectionState()}") { provider }`,
  },
  meetingDisconnect: {
    actions: ['meeting_connection.deleted'],
    prepare: async (scenario) => {
      await scenario.connectMeeting()
      return '(provider: "zoom")'
    },
  },

  authRegister: {
    actions: ['organization.created', 'session.started', 'user.created'],
    prepare: byAnonymous(
      ({ newEmail }) => `(input: {email: "${newEmail}", password: "${goodPassword}"}) { accessToken }`,
    ),
  },
  authLogin: {
    actions: ['session.started'],
    prepare: byAnonymous(({ email }) => `(input: {email: "${email}", password: "${goodPassword}"}) { accessToken }`),
  },
  authMagicLink: {
    actions: ['session.started', 'user.updated'],
    prepare: byAnonymous(async (scenario) => `(token: "${await scenario.mailed('MAGIC_LINK')}") { accessToken }`),
  },
  authVerifyEmail: {
    actions: ['user.updated'],
    prepare: byAnonymous(async (scenario) => `(token: "${await scenario.mailed('VERIFY_EMAIL')}") { email }`),
  },
  authResetPassword: {
    actions: ['session.ended', 'user.password_changed', 'user.updated'],
    prepare: byAnonymous(
      async (scenario) =>
        `(input: {email: "${scenario.email}", code: "${await scenario.code()}", newPassword: "Better horse 8!"}) { changedAt }`,
    ),
  },
  authChangePassword: {
    actions: ['session.ended', 'session.started', 'user.password_changed'],
    prepare: () => `(input: {currentPassword: "${goodPassword}", newPassword: "Better horse 8!"}) { accessToken }`,
  },
  authUpdateProfile: { actions: ['user.updated'], prepare: () => '(input: {firstName: "Eve"}) { id }' },
  authLogout: { actions: ['session.ended'], prepare: () => ' { sessionId }' },
  authLogoutAll: { actions: ['session.ended'], prepare: () => ' { sessions }' },
}

/** Mutations that write no entry, with the reason. */
export const unaudited: Readonly<Record<string, { readonly why: string; readonly prepare: Prepare }>> = {
  authRefresh: {
    why: 'It extends a session; its start and end are audited.',
    prepare: byAnonymous(({ refreshToken }) => `(refreshToken: "${refreshToken}") { accessToken }`),
  },
  authMagicLinkSend: {
    why: 'Anybody may request a mail to any address; the sign-in that follows is audited.',
    prepare: byAnonymous(({ email }) => `(input: {email: "${email}"}) { accepted }`),
  },
  authForgotPassword: {
    why: 'Anybody may request a mail to any address; the password change that follows is audited.',
    prepare: byAnonymous(({ email }) => `(input: {email: "${email}"}) { accepted }`),
  },
  authVerifyResetCode: {
    why: 'It checks a code and changes nothing; wrong guesses are counted.',
    prepare: byAnonymous(
      async (scenario) => `(input: {email: "${scenario.email}", code: "${await scenario.code()}"}) { valid }`,
    ),
  },
  meetingConnect: {
    why: 'It redirects the user to the provider; the callback creates the connection, which is audited.',
    prepare: () => '(provider: "zoom") { authorizationUrl }',
  },
}
