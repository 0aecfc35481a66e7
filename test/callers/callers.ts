import type { Requests } from '../requests/requests.ts'
import type { Access } from './access.ts'
import type { CallerFixture } from './caller-fixture.ts'
import { allExcept, isRead, legacyRead, writing } from './held-scopes.ts'
import {
  asManager,
  asOwner,
  dependsOnRequest,
  hidden,
  notAdministrator,
  ofKeys,
  privateOf,
  readOnly,
  refused,
  refusedToken,
  session,
  token,
  toVisibility,
  withFullScopeKey,
  withoutRole,
  withScopedKey,
  type Caller,
} from './kinds-of-callers.ts'

export const callers: readonly Caller[] = [
  withFullScopeKey('the owner', 'owner'),
  withFullScopeKey('an admin', 'admin', asOwner),
  withFullScopeKey('a manager', 'manager', asManager),
  withFullScopeKey('a member who sees all', 'all'),
  withFullScopeKey('a member with visibility OWN, for a record of another user', 'own', (access) =>
    hidden(access, ['everybody']),
  ),
  withFullScopeKey('a member with visibility OWN, for a record of the member', 'own', undefined, 'own'),
  withFullScopeKey('a member with visibility TEAM, for a record outside the team', 'team', (access) =>
    hidden(access, ['everybody']),
  ),
  withFullScopeKey('a member with visibility TEAM, for a record of a teammate', 'team', undefined, 'teammate'),
  withFullScopeKey('a user who may only read', 'reader', readOnly),

  withScopedKey(
    'a key with only the required scope',
    ({ scopes }) => (scopes.length > 0 ? scopes : ['*']),
    () => true,
    dependsOnRequest,
  ),
  withScopedKey(
    'a key with WRITE for READ',
    ({ scopes }) => (scopes.length > 0 ? scopes.map(writing) : ['*']),
    () => true,
    dependsOnRequest,
  ),
  withScopedKey(
    'a key with READ for WRITE',
    ({ scopes }) => (scopes.length > 0 ? scopes.map((scope) => scope.replace('WRITE_', 'READ_')) : ['READ_LEADS']),
    isRead,
    (access) => isRead(access) && dependsOnRequest(access),
  ),
  withScopedKey(
    'a key with every scope except the required ones',
    ({ scopes }) => allExcept(scopes),
    () => false,
  ),

  withScopedKey(
    'a legacy key that reads',
    () => ['read'],
    ({ scopes }) => scopes.every((scope) => legacyRead.test(scope)),
  ),
  withScopedKey(
    'a legacy key that writes',
    () => ['write'],
    ({ scopes }) => scopes.every((scope) => legacyRead.test(scope.replace('WRITE_', 'READ_'))),
  ),
  withScopedKey(
    'a legacy key for webhooks',
    () => ['WEBHOOKS'],
    ({ scopes }) => scopes.length > 0 && scopes.every((scope) => scope.endsWith('_WEBHOOKS')),
  ),

  refused('revoked', 'a revoked key', 'API_KEY_INVALID', true),
  refused('expired', 'an expired key', 'API_KEY_EXPIRED', true),
  refused('rotated', 'the previous secret of a rotated key', 'API_KEY_EXPIRED', true),
  refused('otherAddress', 'a key from another address', 'API_KEY_IP_NOT_ALLOWED', true),
  refused('suspended', 'a key of a suspended organization', 'ORGANIZATION_SUSPENDED', true),
  refused('deactivated', 'a key whose owner is deactivated', 'API_KEY_OWNER_INACTIVE', true),
  refused('removed', 'a key whose owner left', 'API_KEY_OWNER_NOT_IN_ORG', true),
  {
    ...refused('quotaExceeded', 'a key whose quota is used up', 'API_KEY_RATE_LIMITED', true),
    refusal: (access) => ofKeys(access) ?? 'API_KEY_RATE_LIMITED',
  },
  refused('unknown', 'a key that does not exist', 'API_KEY_INVALID', false),
  refused('mistyped', 'a key with a wrong digit', 'API_KEY_INVALID', false),
  refused('two', 'two different keys', 'CREDENTIALS_CONFLICT', false),

  session('a session of the owner', 'owner'),
  session('a session of an admin', 'admin', asOwner),
  session('a session of a member', 'all', (access) => notAdministrator(access) ?? hidden(access, toVisibility)),
  session(
    'a session of a READ_ONLY user',
    'reader',
    (access) => readOnly(access) ?? notAdministrator(access) ?? hidden(access, toVisibility),
  ),
  refused('ended session', 'a session that has ended', 'UNAUTHENTICATED', false),
  refused('expired session', 'an expired access token', 'TOKEN_EXPIRED', false),
  refused('forged session', 'an access token with another signature', 'UNAUTHENTICATED', false),
  refused('suspended session', 'a session in a suspended organization', 'ORGANIZATION_SUSPENDED', false),
  token('an access token with every scope', ({ whole }) => whole),
  token(
    'an access token with only the required scope',
    ({ tokenWithScopes }, { scopes }) =>
      tokenWithScopes(scopes.some((scope) => scope !== '*') ? scopes : ['READ_LEADS']),
    undefined,
    dependsOnRequest,
  ),
  token(
    'an access token with every scope except the required ones',
    ({ tokenWithScopes }, { scopes }) => tokenWithScopes(allExcept(scopes)),
    ({ scopes, isOfApps }) => (scopes.length === 0 || isOfApps ? null : 'OAUTH_SCOPE_INSUFFICIENT'),
  ),
  token(
    'an access token of a user who may only read',
    ({ reader }) => reader,
    (access) => readOnly(access) ?? withoutRole(access, 'reader') ?? privateOf(access, 'reader'),
  ),
  token(
    'an access token of an app whose quota is used up',
    ({ refused: { quotaExceeded } }) => quotaExceeded,
    () => 'OAUTH_RATE_LIMITED',
  ),
  refusedToken('revoked', 'a revoked access token', 'UNAUTHENTICATED', false),
  refusedToken('expired', 'an access token of an app that has expired', 'TOKEN_EXPIRED', true),
  refusedToken('suspended', 'an access token in a suspended organization', 'ORGANIZATION_SUSPENDED', true),
  refusedToken('deactivated', 'an access token of a deactivated user', 'UNAUTHENTICATED', false),
  refused('directory', 'the token of a directory', 'UNAUTHENTICATED', false),
  refused('key as bearer', 'a key as bearer token', 'UNAUTHENTICATED', false),
  refused('basic', 'a user name and password', 'UNAUTHENTICATED', false),
  {
    name: 'a caller without a credential',
    headers: () => ({}),
    refusal: ({ isPublic }) => (isPublic ? null : 'UNAUTHENTICATED'),
    hasQuotaHeaders: false,
  },
]

/** Who creates the records of a request. Records that everybody sees are created by the owner, because not everybody may create them. */
export const recordsOf = ({ records }: Caller, fixture: CallerFixture, { visibleTo }: Access): Requests =>
  records && visibleTo !== 'everybody' ? fixture[records] : fixture.requests

/** The callers that the table decides for an operation; where the scopes of the request decide, other tests try them. */
export const callersOf = (access: Access): readonly Caller[] =>
  callers.filter((caller) => !caller.dependsOnRequest?.(access))
