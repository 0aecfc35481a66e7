import { grantableScopes } from '../api-key/api-key-scopes.ts'

/** Scopes that apps may get: those of API keys, without `*` and the legacy scopes (specification, Scopes). */
export const oauthScopes: readonly string[] = grantableScopes.filter((scope) => scope !== '*')
