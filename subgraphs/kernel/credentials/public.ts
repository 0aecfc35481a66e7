// The exports of this folder: formats of credentials, their verification, and the ports to the subgraph that stores them.
export { looksLikeApiKey, newApiKey, parseApiKey, type NewApiKey, type ParsedApiKey } from './api-key.ts'
export type {
  ActingUser,
  ApiKeyRecord,
  Counted,
  CountedKind,
  CredentialSource,
  DeprecatedCall,
  FinishedRequest,
  OAuthTokenRecord,
  QuotaWindow,
  SessionRecord,
  UsageSink,
} from './credential.ts'
export { isCsrfToken, newCsrfToken } from './csrf-token.ts'
export { legacyScopes } from './legacy-scopes.ts'
export { parseMeetingProviders, type MeetingProvider } from './meeting-provider.ts'
export type {
  Client,
  Credentials,
  Grant,
  Membership,
  NewGrant,
  OAuthPort,
  OpenRegistration,
  Payload,
  Registration,
  StoredGrant,
  Token,
  Visit,
  Visitor,
} from './oauth-port.ts'
export {
  looksLikeScimToken,
  newScimToken,
  scimTokenHash,
  type NewScimToken,
  type ScimTokenRecord,
} from './scim-token.ts'
export {
  publicJwks,
  sessionTokenSeconds,
  signSessionToken,
  verifySessionToken,
  type SessionClaims,
  type VerifiedSession,
} from './session-token.ts'
export { userStateRefusal } from './user-state.ts'
