import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import type { OperationObject, Schema } from '../../rest-adapter/openapi.ts'
import { appScopes } from '../../subgraphs/kernel/scope-areas.ts'
import type { Role } from '../../subgraphs/kernel/context.ts'
import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { Requests } from '../requests/requests.ts'
import { restAreas } from '../rest-areas.ts'
import type { RefusedToken, Tokens } from './tokens.ts'
import type { RefusedCaller, CallerFixture } from './caller-fixture.ts'

/** Who may call an operation, according to the OpenAPI document. */
export interface Access extends Pick<RestOperation, 'scopes' | 'isPublic' | 'path' | 'documentId'> {
  readonly isWrite: boolean
  /** True if API keys and apps can never call the operation. */
  readonly isBlocked: boolean
  readonly namesRecord: boolean
  /** Roles that may call the operation; null for every role. */
  readonly roles: readonly Role[] | null
  /** True for operations of owners and admins. */
  readonly isAdministration: boolean
  /** True for operations that only apps can call. */
  readonly isOfApps: boolean
  /** True if the body must refer to a record, which only some of the users see. */
  readonly refersToRecord: boolean
  /** Who sees a record of another owner. */
  readonly visibleTo: 'everybody' | 'visibility' | 'administrators' | 'owner' | 'author'
}

export interface Caller {
  readonly name: string
  headers(
    fixture: CallerFixture,
    access: Access,
  ): Promise<Readonly<Record<string, string>>> | Readonly<Record<string, string>>
  /** The code of the refusal; null for an operation that answers as documented. */
  refusal(access: Access): ErrorCode | null
  /** True if the response carries quota headers: for a key or an app that exists. */
  readonly hasQuotaHeaders: boolean
  /** Whether the scopes of the request decide, so that other tests try the caller. */
  dependsOnRequest?(access: Access): boolean
  /** True if every operation refuses the credential, before it is known which operation it is. */
  readonly isRefusedEverywhere?: true
  /** True: a user with the role MEMBER. */
  readonly isMember?: boolean
  /** Owner of the records that the request names; the organization's owner by default. */
  readonly records?: 'own' | 'teammate'
}

/** Records without an owner are visible to every user. */
const sharedAreas = restAreas.filter(
  ({ definition }) => definition.visibleBy.length === 0 && !definition.visibleThrough && !definition.privateUnless,
)

/** Only their owner sees new records of these areas. */
const privateAreas = restAreas.filter(({ definition }) => definition.privateUnless)

const visibleToByPath: Readonly<Record<string, Access['visibleTo']>> = {
  '/v1/describe': 'everybody',
  '/v1/events/': 'everybody',
  '/v1/functions': 'everybody',
  '/v1/workflow-runs': 'everybody',
  // Owners, admins, and the user who has added the address.
  '/v1/email-tracking/suppressions': 'author',
  ...Object.fromEntries(sharedAreas.map(({ path }) => [`/v1/${path}`, 'everybody'] as const)),
  ...Object.fromEntries(privateAreas.map(({ path }) => [`/v1/${path}`, 'owner'] as const)),
  '/v1/notifications': 'owner',
  '/v1/conversations': 'owner',
  '/v1/proposals': 'owner',
  '/v1/api-keys': 'administrators',
  '/v1/oauth-apps': 'administrators',
  '/v1/connected-apps': 'administrators',
}

// A key, an app, a webhook or a function acts as a user, so an admin must not get the secret of an OWNER's, and not change such a webhook or function.
const actsAsOwner: ReadonlySet<string> = new Set([
  'apiKeyRotate',
  'apiKeyRegenerate',
  'oauthAppRotateSecret',
  'webhookEnable',
  'webhookRotateSecret',
  'webhookUpdate',
  'aiTriggerUpdate',
  'aiTriggerToggle',
  'aiTriggerRegenerateSecret',
  'aiExecutionApprove',
  'aiExecutionReject',
  'workflowActivate',
  'workflowRegenerateSecret',
  'workflowRunRetry',
  'workflowUpdate',
  'serverlessFunctionUpdate',
  'serverlessFunctionVersionCreate',
  'serverlessFunctionDeploy',
  'serverlessFunctionRollback',
  'serverlessFunctionSecretSet',
  'serverlessFunctionSecretDelete',
  'serverlessFunctionTest',
])

// A manager sets the quotas of users below, and the request names another one.
const forUsersBelow: ReadonlySet<string> = new Set(['quotaSet', 'quotaBulkSet', 'quotaDelete'])

// Operations by which a user changes only their own session, consents, notifications or conversations, or nothing, are allowed for every role.
const ownOperations: ReadonlySet<string> = new Set(['connectedAppDelete', 'emailTemplatePreview', 'scenarioCompare'])
const isOwnOperation = ({ path, documentId }: RestOperation): boolean =>
  path.startsWith('/v1/auth/') ||
  path.startsWith('/v1/notifications') ||
  path.startsWith('/v1/conversations') ||
  path.startsWith('/v1/iris-rank') ||
  ownOperations.has(documentId)

const requiredReferences = ({ required = [], properties = {} }: Schema): string[] =>
  required.filter(
    (name) => properties[name]?.format === 'uuid' && !['assignedToId', 'ownerId', 'userId'].includes(name),
  )

/** Operations whose body refers to records, or has something in their place, so that no property is required. */
const withReferences: ReadonlySet<string> = new Set(['knowledgeDocumentCreate', 'scenarioCompare'])

/** A required query parameter names the record of an answer as an id in the path does. */
const namesOneRecord = ({ in: place, required, schema }: RestOperation['parameters'][number]): boolean =>
  place === 'query' && required === true && schema?.format === 'uuid'

export function accessOf(operation: RestOperation, described: OperationObject): Access {
  const { scopes, isPublic, path, documentId, method } = operation
  return {
    scopes,
    isPublic,
    path,
    documentId,
    isWrite: method !== 'get' && !isOwnOperation(operation),
    isBlocked: Boolean((described as { 'x-api-key-blocked'?: boolean })['x-api-key-blocked']),
    namesRecord: path.includes('{') || operation.parameters.some(namesOneRecord),
    roles: (described as { 'x-required-roles'?: readonly Role[] })['x-required-roles'] ?? null,
    isAdministration: path.startsWith('/v1/admin/'),
    isOfApps: path.startsWith('/v1/app-runtime/'),
    refersToRecord: withReferences.has(documentId) || requiredReferences(operation.body?.schema ?? {}).length > 0,
    visibleTo: Object.entries(visibleToByPath).find(([area]) => path.startsWith(area))?.[1] ?? 'visibility',
  }
}

/** An operation without scopes that keys may call accepts any credential. */
const ofKeys = ({ isBlocked }: Access): ErrorCode | null => (isBlocked ? 'API_KEY_SCOPE_BLOCKED' : null)

/** An app never has the scope `*`, and needs no scope for operations about itself. */
const ofTokens = ({ isBlocked, isPublic, isOfApps, scopes }: Access): ErrorCode | null => {
  if (isBlocked) return 'API_KEY_SCOPE_BLOCKED'
  const isBeyond = scopes.includes('*')
  return isBeyond && !isPublic && !isOfApps ? 'OAUTH_SCOPE_INSUFFICIENT' : null
}

const forApps = ({ isOfApps }: Access): ErrorCode | null => (isOfApps ? 'OAUTH_TOKEN_REQUIRED' : null)

/** The refusal of a record of another user, in the path or in the body. */
function hidden({ namesRecord, refersToRecord, visibleTo }: Access, sees: Access['visibleTo'][]): ErrorCode | null {
  if (namesRecord) return sees.includes(visibleTo) ? null : 'NOT_FOUND'
  return refersToRecord && !sees.includes('visibility') ? 'VALIDATION_FAILED' : null
}

const asOwner = ({ documentId }: Access): ErrorCode | null => (actsAsOwner.has(documentId) ? 'PERMISSION_DENIED' : null)

const asManager = ({ documentId }: Access): ErrorCode | null =>
  forUsersBelow.has(documentId) ? 'PERMISSION_DENIED' : null

/**
 * What these requests set up or name reads or does more than the scope of the operation opens, and the credential needs the scopes for that,
 * too. `test/extensions/acting-scopes.platform.test.ts` and the tests of documents, proposals and triage show which.
 */
const needsMoreScopes: ReadonlySet<string> = new Set([
  'afterSaveTriggerCreate',
  'afterSaveTriggerUpdate',
  'aiTriggerCreate',
  'aiTriggerUpdate',
  'aiTriggerToggle',
  'aiTriggerRegenerateSecret',
  'beforeSaveHookCreate',
  'beforeSaveHookUpdate',
  'customActionCreate',
  'customActionUpdate',
  'knowledgeDocument',
  'knowledgeDocumentCreate',
  'knowledgeDocumentUpdate',
  'knowledgeDocumentDelete',
  'knowledgeDocumentDownload',
  'knowledgeDocumentUpload',
  'proposalConfirm',
  'triageActionExecute',
  'serverlessFunctionCreate',
  'serverlessFunctionUpdate',
  'workflowCreate',
  'workflowUpdate',
  'workflowActivate',
  'workflowRegenerateSecret',
])

const dependsOnRequest = ({ documentId }: Access): boolean => needsMoreScopes.has(documentId)

type MemberName = keyof CallerFixture['members']

const roleOf: Partial<Record<MemberName, Role>> = {
  owner: 'OWNER',
  admin: 'ADMIN',
  manager: 'MANAGER',
  reader: 'READ_ONLY',
}

const isMember = (member: MemberName): boolean => roleOf[member] === undefined

const withoutRole = ({ roles }: Access, member: MemberName): ErrorCode | null =>
  roles && !roles.includes(roleOf[member] ?? 'MEMBER') ? 'PERMISSION_DENIED' : null

const privateOf = (
  { namesRecord, visibleTo }: Access,
  member: MemberName,
  records?: Caller['records'],
): ErrorCode | null => {
  const isOwn = member === 'owner' || records === 'own'
  const isHidden = (visibleTo === 'owner' && !isOwn) || (visibleTo === 'author' && !isOwn && member !== 'admin')
  return namesRecord && isHidden ? 'NOT_FOUND' : null
}

/** A caller with the member's key, whose scope is `*`. */
const withFullScopeKey = (
  name: string,
  member: MemberName,
  refusal: (access: Access) => ErrorCode | null = () => null,
  records?: Caller['records'],
): Caller => ({
  name,
  headers: ({ members }) => members[member].headers,
  refusal: (access) =>
    ofKeys(access) ??
    forApps(access) ??
    withoutRole(access, member) ??
    refusal(access) ??
    privateOf(access, member, records),
  hasQuotaHeaders: true,
  isMember: isMember(member),
  ...(records && { records }),
})

/** A caller with a key of the owner with these scopes. */
const withScopedKey = (
  name: string,
  scopes: (access: Access) => readonly string[],
  isEnough: (access: Access) => boolean,
  isDecidedByRequest?: Caller['dependsOnRequest'],
): Caller => ({
  name,
  ...(isDecidedByRequest && { dependsOnRequest: isDecidedByRequest }),
  headers: (fixture, access) => fixture.key(fixture.members.owner, scopes(access)),
  refusal: (access) =>
    ofKeys(access) ?? (isEnough(access) || access.scopes.length === 0 ? forApps(access) : 'API_KEY_SCOPE_INSUFFICIENT'),
  hasQuotaHeaders: true,
})

const session = (
  name: string,
  member: MemberName,
  refusal: (access: Access) => ErrorCode | null = () => null,
): Caller => ({
  name,
  headers: (fixture) => fixture.session(fixture.members[member]),
  refusal: (access) => forApps(access) ?? withoutRole(access, member) ?? refusal(access) ?? privateOf(access, member),
  hasQuotaHeaders: false,
  isMember: isMember(member),
})

const token = (
  name: string,
  headers: (tokens: Tokens, access: Access) => ReturnType<Caller['headers']>,
  refusal: (access: Access) => ErrorCode | null = () => null,
  isDecidedByRequest?: Caller['dependsOnRequest'],
): Caller => ({
  name,
  ...(isDecidedByRequest && { dependsOnRequest: isDecidedByRequest }),
  headers: ({ tokens }, access) => headers(tokens, access),
  refusal: (access) => ofTokens(access) ?? refusal(access) ?? ofAnotherPerson(access),
  hasQuotaHeaders: true,
})

/** Tokens act as other users than the one whose records the requests name. */
const ofAnotherPerson = ({ namesRecord, visibleTo }: Access): ErrorCode | null =>
  namesRecord && visibleTo === 'owner' ? 'NOT_FOUND' : null

const refusedToken = (caller: RefusedToken, name: string, code: ErrorCode, hasQuotaHeaders: boolean): Caller => ({
  name,
  headers: ({ tokens }) => tokens.refused[caller],
  refusal: () => code,
  isRefusedEverywhere: true,
  hasQuotaHeaders,
})

/** A caller whose credential every operation refuses. */
const refused = (caller: RefusedCaller, name: string, code: ErrorCode, hasQuotaHeaders: boolean): Caller => ({
  name,
  headers: (fixture) => fixture.refused[caller],
  refusal: () => code,
  isRefusedEverywhere: true,
  hasQuotaHeaders,
})

const notAdministrator = ({ isAdministration }: Access): ErrorCode | null =>
  isAdministration ? 'PERMISSION_DENIED' : null

const toVisibility: Access['visibleTo'][] = ['everybody', 'visibility']
const readOnly = ({ isWrite }: Access): ErrorCode | null => (isWrite ? 'PERMISSION_DENIED' : null)
/** The READ scope in place of the WRITE scope; `*` has none. */
const isRead = ({ scopes }: Access): boolean => scopes.every((scope) => !scope.startsWith('WRITE_'))
const legacyRead = /^READ_(LEADS|CONTACTS|ACCOUNTS|OPPORTUNITIES|PRODUCTS|QUOTES|TASKS|ACTIVITIES|WEBHOOKS)$/
const inverse = (scope: string): string =>
  scope.startsWith('READ_') ? scope.replace('READ_', 'WRITE_') : scope.replace('WRITE_', 'READ_')

const implies = (held: string, scope: string): boolean =>
  held === scope || (held.startsWith('WRITE_') && inverse(held) === scope) || `${held} ${scope}` === publishes
const publishes = 'PUBLISH_EVENTS READ_EVENTS'
/** The scope that implies a scope to read, if there is one. */
const writing = (scope: string): string => {
  const implying = scope === 'READ_EVENTS' ? 'PUBLISH_EVENTS' : scope.replace('READ_', 'WRITE_')
  return appScopes.includes(implying) ? implying : scope
}
/** Every scope of apps that does not imply one of these. */
const allExcept = (scopes: readonly string[]): readonly string[] =>
  appScopes.filter((held) => !scopes.some((scope) => implies(held, scope)))

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
    (access) => readOnly(access) ?? withoutRole(access, 'reader'),
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
