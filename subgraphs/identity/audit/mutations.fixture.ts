import { anonymous, goodPassword } from '../identity.fixture.ts'
import type { Prepare, Scene } from './scene.fixture.ts'

interface Audited {
  /** The actions of the entries. */
  readonly leaves: readonly string[]
  readonly prepare: Prepare
}

const bySystem = (prepare: (scene: Scene) => Promise<string> | string) => async (scene: Scene) => ({
  text: await prepare(scene),
  caller: await scene.directory(),
})
const byNobody = (prepare: (scene: Scene) => Promise<string> | string) => async (scene: Scene) => ({
  text: await prepare(scene),
  caller: anonymous,
})

/** Audited mutations, with the actions of the entries that they write. */
export const mutations: Readonly<Record<string, Audited>> = {
  userInvite: {
    leaves: ['user.created', 'user.invited'],
    prepare: ({ newEmail }) => `(input: {email: "${newEmail}"}) { id }`,
  },
  userInviteAgain: { leaves: ['user.invited'], prepare: async (scene) => `(id: "${await scene.invited()}") { id }` },
  userUpdate: {
    leaves: ['user.updated'],
    prepare: async (scene) => `(id: "${await scene.member()}", input: {role: MANAGER}) { id }`,
  },
  userDeactivate: { leaves: ['user.updated'], prepare: async (scene) => `(id: "${await scene.member()}") { id }` },
  userReactivate: {
    leaves: ['user.updated'],
    prepare: async (scene) => {
      const id = await scene.member()
      await scene.run(`mutation { userDeactivate(id: "${id}") { id } }`)
      return `(id: "${id}") { id }`
    },
  },
  userDelete: { leaves: ['user.deleted'], prepare: async (scene) => `(id: "${await scene.member()}")` },
  partnerInvite: {
    leaves: ['user.created', 'user.invited'],
    prepare: ({ newEmail }) => `(input: {email: "${newEmail}"}) { email }`,
  },
  authAcceptPartnerInvite: {
    leaves: ['session.started', 'user.accepted'],
    prepare: byNobody(async (scene) => {
      const data = { userId: await scene.invited(), role: 'MEMBER', invitedById: scene.caller.userId }
      const token = await scene.mailed('INVITATION', data, scene.newEmail)
      return `(input: {token: "${token}", password: "${goodPassword}", firstName: "A", lastName: "B"}) { accessToken }`
    }),
  },

  teamCreate: { leaves: ['team.created'], prepare: () => '(input: {name: "Sales"}) { id }' },
  teamUpdate: {
    leaves: ['team.updated'],
    prepare: async (scene) => `(id: "${await scene.team()}", input: {name: "Field"}) { id }`,
  },
  teamDelete: { leaves: ['team.deleted'], prepare: async (scene) => `(id: "${await scene.team()}")` },
  teamMembersAdd: {
    leaves: ['team.updated'],
    prepare: async (scene) => `(id: "${await scene.team()}", userIds: ["${await scene.member()}"]) { id }`,
  },
  teamMembersRemove: {
    leaves: ['team.updated'],
    prepare: async (scene) => {
      const userId = await scene.member()
      return `(id: "${await scene.team([userId])}", userIds: ["${userId}"]) { id }`
    },
  },
  teamMembersReplace: {
    leaves: ['team.updated'],
    prepare: async (scene) => `(id: "${await scene.team()}", userIds: ["${await scene.member()}"]) { id }`,
  },

  accessProfileCreate: { leaves: ['profile.created'], prepare: () => '(input: {name: "Few"}) { id }' },
  accessProfileUpdate: {
    leaves: ['profile.updated'],
    prepare: async (scene) => `(id: "${await scene.profile()}", input: {name: "Fewer"}) { id }`,
  },
  accessProfileDelete: { leaves: ['profile.deleted'], prepare: async (scene) => `(id: "${await scene.profile()}")` },

  organizationUpdate: { leaves: ['organization.updated'], prepare: () => '(input: {name: "Acme Group"}) { id }' },
  organizationCodeRegenerate: { leaves: ['organization.code_regenerated'], prepare: () => ' { id }' },

  apiKeyCreate: { leaves: ['api_key.created'], prepare: () => '(input: {name: "Sync", scopes: ["*"]}) { id }' },
  apiKeyUpdate: {
    leaves: ['api_key.updated'],
    prepare: async (scene) => `(id: "${await scene.key()}", input: {name: "Mirror"}) { id }`,
  },
  apiKeyRotate: { leaves: ['api_key.rotated'], prepare: async (scene) => `(id: "${await scene.key()}") { id }` },
  apiKeyRevoke: { leaves: ['api_key.revoked'], prepare: async (scene) => `(id: "${await scene.key()}") { id }` },
  apiKeyDelete: { leaves: ['api_key.deleted'], prepare: async (scene) => `(id: "${await scene.key()}")` },

  oauthAppCreate: {
    leaves: ['oauth_app.created'],
    prepare: () => '(input: {name: "App", scopes: ["READ_CASES"], redirectUris: ["https://a.example/back"]}) { id }',
  },
  oauthAppUpdate: {
    leaves: ['oauth_app.updated'],
    prepare: async (scene) => `(id: "${await scene.app()}", input: {name: "Other"}) { id }`,
  },
  oauthAppRotateSecret: {
    leaves: ['oauth_app.secret_rotated'],
    prepare: async (scene) => `(id: "${await scene.app()}") { id }`,
  },
  oauthAppDelete: { leaves: ['oauth_app.deleted'], prepare: async (scene) => `(id: "${await scene.app()}")` },
  connectedAppUpdate: {
    leaves: ['connected_app.updated'],
    prepare: async (scene) => ({
      text: `(id: "${await scene.connectedApp()}", input: {settings: {region: "north"}}) { id }`,
    }),
  },
  connectedAppDelete: {
    leaves: ['connected_app.revoked'],
    prepare: async (scene) => `(id: "${await scene.connectedApp()}")`,
  },

  scimTokenRotate: { leaves: ['scim_token.created'], prepare: () => ' { prefix }' },
  scimTokenRevoke: {
    leaves: ['scim_token.revoked'],
    prepare: async (scene) => {
      await scene.run('mutation { scimTokenRotate { prefix } }')
      return ''
    },
  },
  scimUserCreate: {
    leaves: ['user.created'],
    prepare: bySystem(({ newEmail }) => `(input: {userName: "${newEmail}"}) { id }`),
  },
  scimUserUpdate: {
    leaves: ['user.updated', 'user.updated'],
    prepare: bySystem(
      async (scene) => `(id: "${await scene.member()}", input: {userName: "${scene.newEmail}", role: MANAGER}) { id }`,
    ),
  },
  scimUserDelete: { leaves: ['user.deleted'], prepare: bySystem(async (scene) => `(id: "${await scene.member()}")`) },
  scimGroupCreate: { leaves: ['team.created'], prepare: bySystem(() => '(input: {displayName: "Sales"}) { id }') },
  scimGroupUpdate: {
    leaves: ['team.updated'],
    prepare: bySystem(async (scene) => `(id: "${await scene.team()}", input: {displayName: "Field"}) { id }`),
  },
  scimGroupDelete: { leaves: ['team.deleted'], prepare: bySystem(async (scene) => `(id: "${await scene.team()}")`) },

  authMeetingCallback: {
    leaves: ['meeting_connection.created'],
    prepare: async (scene) => `(provider: "zoom", code: "c", state: "${await scene.visit()}") { provider }`,
  },
  meetingDisconnect: {
    leaves: ['meeting_connection.deleted'],
    prepare: async (scene) => {
      await scene.meeting()
      return '(provider: "zoom")'
    },
  },

  authRegister: {
    leaves: ['organization.created', 'session.started', 'user.created'],
    prepare: byNobody(({ newEmail }) => `(input: {email: "${newEmail}", password: "${goodPassword}"}) { accessToken }`),
  },
  authLogin: {
    leaves: ['session.started'],
    prepare: byNobody(({ email }) => `(input: {email: "${email}", password: "${goodPassword}"}) { accessToken }`),
  },
  authMagicLink: {
    leaves: ['session.started', 'user.updated'],
    prepare: byNobody(async (scene) => `(token: "${await scene.mailed('MAGIC_LINK')}") { accessToken }`),
  },
  authVerifyEmail: {
    leaves: ['user.updated'],
    prepare: byNobody(async (scene) => `(token: "${await scene.mailed('VERIFY_EMAIL')}") { email }`),
  },
  authResetPassword: {
    leaves: ['session.ended', 'user.password_changed', 'user.updated'],
    prepare: byNobody(
      async (scene) =>
        `(input: {email: "${scene.email}", code: "${await scene.code()}", newPassword: "Better horse 8!"}) { changedAt }`,
    ),
  },
  authChangePassword: {
    leaves: ['session.ended', 'session.started', 'user.password_changed'],
    prepare: () => `(input: {currentPassword: "${goodPassword}", newPassword: "Better horse 8!"}) { accessToken }`,
  },
  authUpdateProfile: { leaves: ['user.updated'], prepare: () => '(input: {firstName: "Eve"}) { id }' },
  authLogout: { leaves: ['session.ended'], prepare: () => ' { sessionId }' },
  authLogoutAll: { leaves: ['session.ended'], prepare: () => ' { sessions }' },
}

/** Mutations that write no entry, with the reason. */
export const unaudited: Readonly<Record<string, { readonly why: string; readonly prepare: Prepare }>> = {
  authRefresh: {
    why: 'It extends a session; its start and end are audited.',
    prepare: byNobody(({ refreshToken }) => `(refreshToken: "${refreshToken}") { accessToken }`),
  },
  authMagicLinkSend: {
    why: 'Anybody may request a mail to any address; the sign-in that follows is audited.',
    prepare: byNobody(({ email }) => `(input: {email: "${email}"}) { accepted }`),
  },
  authForgotPassword: {
    why: 'Anybody may request a mail to any address; the password change that follows is audited.',
    prepare: byNobody(({ email }) => `(input: {email: "${email}"}) { accepted }`),
  },
  authVerifyResetCode: {
    why: 'It checks a code and changes nothing; wrong guesses are counted.',
    prepare: byNobody(async (scene) => `(input: {email: "${scene.email}", code: "${await scene.code()}"}) { valid }`),
  },
  meetingConnect: {
    why: 'It redirects the user to the provider; the callback creates the connection, which is audited.',
    prepare: () => '(provider: "zoom") { authorizationUrl }',
  },
}
