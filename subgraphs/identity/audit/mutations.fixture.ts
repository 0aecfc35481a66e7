import { anonymous, goodPassword } from '../identity.fixture.ts'
import type { Prepare, Scene } from './scene.fixture.ts'

interface Audited {
  /** The actions of the entries. */
  readonly actions: readonly string[]
  readonly prepare: Prepare
}

const byDirectory = (prepare: (scene: Scene) => Promise<string> | string) => async (scene: Scene) => ({
  text: await prepare(scene),
  caller: await scene.directory(),
})
const byAnonymous = (prepare: (scene: Scene) => Promise<string> | string) => async (scene: Scene) => ({
  text: await prepare(scene),
  caller: anonymous,
})

/** Audited mutations, with the actions of the entries that they write. */
export const mutations: Readonly<Record<string, Audited>> = {
  userInvite: {
    actions: ['user.created', 'user.invited'],
    prepare: ({ newEmail }) => `(input: {email: "${newEmail}"}) { id }`,
  },
  userInviteAgain: { actions: ['user.invited'], prepare: async (scene) => `(id: "${await scene.invited()}") { id }` },
  userUpdate: {
    actions: ['user.updated'],
    prepare: async (scene) => `(id: "${await scene.member()}", input: {role: MANAGER}) { id }`,
  },
  userDeactivate: { actions: ['user.updated'], prepare: async (scene) => `(id: "${await scene.member()}") { id }` },
  userReactivate: {
    actions: ['user.updated'],
    prepare: async (scene) => {
      const id = await scene.member()
      await scene.run(`mutation { userDeactivate(id: "${id}") { id } }`)
      return `(id: "${id}") { id }`
    },
  },
  userDelete: { actions: ['user.deleted'], prepare: async (scene) => `(id: "${await scene.member()}")` },
  partnerInvite: {
    actions: ['user.created', 'user.invited'],
    prepare: ({ newEmail }) => `(input: {email: "${newEmail}"}) { email }`,
  },
  authAcceptPartnerInvite: {
    actions: ['session.started', 'user.accepted'],
    prepare: byAnonymous(async (scene) => {
      const data = { userId: await scene.invited(), role: 'MEMBER', invitedById: scene.caller.userId }
      const token = await scene.mailed('INVITATION', data, scene.newEmail)
      return `(input: {token: "${token}", password: "${goodPassword}", firstName: "A", lastName: "B"}) { accessToken }`
    }),
  },

  teamCreate: { actions: ['team.created'], prepare: () => '(input: {name: "Sales"}) { id }' },
  teamUpdate: {
    actions: ['team.updated'],
    prepare: async (scene) => `(id: "${await scene.team()}", input: {name: "Field"}) { id }`,
  },
  teamDelete: { actions: ['team.deleted'], prepare: async (scene) => `(id: "${await scene.team()}")` },
  teamMembersAdd: {
    actions: ['team.updated'],
    prepare: async (scene) => `(id: "${await scene.team()}", userIds: ["${await scene.member()}"]) { id }`,
  },
  teamMembersRemove: {
    actions: ['team.updated'],
    prepare: async (scene) => {
      const userId = await scene.member()
      return `(id: "${await scene.team([userId])}", userIds: ["${userId}"]) { id }`
    },
  },
  teamMembersReplace: {
    actions: ['team.updated'],
    prepare: async (scene) => `(id: "${await scene.team()}", userIds: ["${await scene.member()}"]) { id }`,
  },

  accessProfileCreate: { actions: ['profile.created'], prepare: () => '(input: {name: "Few"}) { id }' },
  accessProfileUpdate: {
    actions: ['profile.updated'],
    prepare: async (scene) => `(id: "${await scene.profile()}", input: {name: "Fewer"}) { id }`,
  },
  accessProfileDelete: { actions: ['profile.deleted'], prepare: async (scene) => `(id: "${await scene.profile()}")` },

  organizationUpdate: { actions: ['organization.updated'], prepare: () => '(input: {name: "Acme Group"}) { id }' },
  organizationCodeRegenerate: { actions: ['organization.code_regenerated'], prepare: () => ' { id }' },

  apiKeyCreate: { actions: ['api_key.created'], prepare: () => '(input: {name: "Sync", scopes: ["*"]}) { id }' },
  apiKeyUpdate: {
    actions: ['api_key.updated'],
    prepare: async (scene) => `(id: "${await scene.key()}", input: {name: "Mirror"}) { id }`,
  },
  apiKeyRotate: { actions: ['api_key.rotated'], prepare: async (scene) => `(id: "${await scene.key()}") { id }` },
  apiKeyRevoke: { actions: ['api_key.revoked'], prepare: async (scene) => `(id: "${await scene.key()}") { id }` },
  apiKeyDelete: { actions: ['api_key.deleted'], prepare: async (scene) => `(id: "${await scene.key()}")` },

  oauthAppCreate: {
    actions: ['oauth_app.created'],
    prepare: () => '(input: {name: "App", scopes: ["READ_CASES"], redirectUris: ["https://a.example/back"]}) { id }',
  },
  oauthAppUpdate: {
    actions: ['oauth_app.updated'],
    prepare: async (scene) => `(id: "${await scene.app()}", input: {name: "Other"}) { id }`,
  },
  oauthAppRotateSecret: {
    actions: ['oauth_app.secret_rotated'],
    prepare: async (scene) => `(id: "${await scene.app()}") { id }`,
  },
  oauthAppDelete: { actions: ['oauth_app.deleted'], prepare: async (scene) => `(id: "${await scene.app()}")` },
  connectedAppUpdate: {
    actions: ['connected_app.updated'],
    prepare: async (scene) => ({
      text: `(id: "${await scene.connectedApp()}", input: {settings: {region: "north"}}) { id }`,
    }),
  },
  connectedAppDelete: {
    actions: ['connected_app.revoked'],
    prepare: async (scene) => `(id: "${await scene.connectedApp()}")`,
  },

  scimTokenRotate: { actions: ['scim_token.created'], prepare: () => ' { prefix }' },
  scimTokenRevoke: {
    actions: ['scim_token.revoked'],
    prepare: async (scene) => {
      await scene.run('mutation { scimTokenRotate { prefix } }')
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
      async (scene) => `(id: "${await scene.member()}", input: {userName: "${scene.newEmail}", role: MANAGER}) { id }`,
    ),
  },
  scimUserDelete: {
    actions: ['user.deleted'],
    prepare: byDirectory(async (scene) => `(id: "${await scene.member()}")`),
  },
  scimGroupCreate: { actions: ['team.created'], prepare: byDirectory(() => '(input: {displayName: "Sales"}) { id }') },
  scimGroupUpdate: {
    actions: ['team.updated'],
    prepare: byDirectory(async (scene) => `(id: "${await scene.team()}", input: {displayName: "Field"}) { id }`),
  },
  scimGroupDelete: {
    actions: ['team.deleted'],
    prepare: byDirectory(async (scene) => `(id: "${await scene.team()}")`),
  },

  authMeetingCallback: {
    actions: ['meeting_connection.created'],
    prepare: async (scene) => `(provider: "zoom", code: "c", state: "${await scene.visit()}") { provider }`,
  },
  meetingDisconnect: {
    actions: ['meeting_connection.deleted'],
    prepare: async (scene) => {
      await scene.meeting()
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
    prepare: byAnonymous(async (scene) => `(token: "${await scene.mailed('MAGIC_LINK')}") { accessToken }`),
  },
  authVerifyEmail: {
    actions: ['user.updated'],
    prepare: byAnonymous(async (scene) => `(token: "${await scene.mailed('VERIFY_EMAIL')}") { email }`),
  },
  authResetPassword: {
    actions: ['session.ended', 'user.password_changed', 'user.updated'],
    prepare: byAnonymous(
      async (scene) =>
        `(input: {email: "${scene.email}", code: "${await scene.code()}", newPassword: "Better horse 8!"}) { changedAt }`,
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
      async (scene) => `(input: {email: "${scene.email}", code: "${await scene.code()}"}) { valid }`,
    ),
  },
  meetingConnect: {
    why: 'It redirects the user to the provider; the callback creates the connection, which is audited.',
    prepare: () => '(provider: "zoom") { authorizationUrl }',
  },
}
