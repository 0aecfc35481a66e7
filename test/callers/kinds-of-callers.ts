import type { Role } from '../../subgraphs/kernel/context.ts'
import type { ErrorCode } from '../../subgraphs/kernel/errors.ts'
import type { Access } from './access.ts'
import type { RefusedCaller, CallerFixture } from './caller-fixture.ts'
import type { RefusedToken, Tokens } from './tokens.ts'

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

// A key, an app, a webhook or a function acts as a user, so an admin must not get the secret of an OWNER's, and not change such a webhook or function.
const actsAsOwner: ReadonlySet<string> = new Set([
  'apiKeyRotate',
  'apiKeyRegenerate',
  'oauthAppRotateSecret',
  'webhookEnable',
  'webhookRotateSecret',
  'webhookUpdate',
  'aiTriggerUpdate',
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

/** An operation without scopes that keys may call accepts any credential. */
export const ofKeys = ({ isBlocked }: Access): ErrorCode | null => (isBlocked ? 'API_KEY_SCOPE_BLOCKED' : null)

/** An app never has the scope `*`, and needs no scope for operations about itself. */
const ofTokens = ({ isBlocked, isPublic, isOfApps, scopes }: Access): ErrorCode | null => {
  if (isBlocked) return 'API_KEY_SCOPE_BLOCKED'
  const isBeyond = scopes.includes('*')
  return isBeyond && !isPublic && !isOfApps ? 'OAUTH_SCOPE_INSUFFICIENT' : null
}

const forApps = ({ isOfApps }: Access): ErrorCode | null => (isOfApps ? 'OAUTH_TOKEN_REQUIRED' : null)

/** The refusal of a record of another user, in the path or in the body. */
export function hidden(
  { namesRecord, refersToRecord, visibleTo }: Access,
  sees: Access['visibleTo'][],
): ErrorCode | null {
  if (namesRecord) return sees.includes(visibleTo) ? null : 'NOT_FOUND'
  return refersToRecord && !sees.includes('visibility') ? 'VALIDATION_FAILED' : null
}

export const asOwner = ({ documentId }: Access): ErrorCode | null =>
  actsAsOwner.has(documentId) ? 'PERMISSION_DENIED' : null

export const asManager = ({ documentId }: Access): ErrorCode | null =>
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
  'beforeSaveHookRegenerateSecret',
  'customActionCreate',
  'customActionUpdate',
  'customActionRegenerateSecret',
  'customFieldFailures',
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
  'flowCreate',
  'flowUpdate',
  'flowActivate',
])

export const dependsOnRequest = ({ documentId }: Access): boolean => needsMoreScopes.has(documentId)

type MemberName = keyof CallerFixture['members']

const roleOf: Partial<Record<MemberName, Role>> = {
  owner: 'OWNER',
  admin: 'ADMIN',
  manager: 'MANAGER',
  reader: 'READ_ONLY',
}

const isMember = (member: MemberName): boolean => roleOf[member] === undefined

export const withoutRole = ({ roles }: Access, member: MemberName): ErrorCode | null =>
  roles && !roles.includes(roleOf[member] ?? 'MEMBER') ? 'PERMISSION_DENIED' : null

export const privateOf = (
  { namesRecord, visibleTo }: Access,
  member: MemberName,
  records?: Caller['records'],
): ErrorCode | null => {
  const isOwn = member === 'owner' || records === 'own'
  const isHidden = (visibleTo === 'owner' && !isOwn) || (visibleTo === 'author' && !isOwn && member !== 'admin')
  return namesRecord && isHidden ? 'NOT_FOUND' : null
}

/** A caller with the member's key, whose scope is `*`. */
export const withFullScopeKey = (
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
export const withScopedKey = (
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

export const session = (
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

export const token = (
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

export const refusedToken = (
  caller: RefusedToken,
  name: string,
  code: ErrorCode,
  hasQuotaHeaders: boolean,
): Caller => ({
  name,
  headers: ({ tokens }) => tokens.refused[caller],
  refusal: () => code,
  isRefusedEverywhere: true,
  hasQuotaHeaders,
})

/** A caller whose credential every operation refuses. */
export const refused = (caller: RefusedCaller, name: string, code: ErrorCode, hasQuotaHeaders: boolean): Caller => ({
  name,
  headers: (fixture) => fixture.refused[caller],
  refusal: () => code,
  isRefusedEverywhere: true,
  hasQuotaHeaders,
})

export const notAdministrator = ({ isAdministration }: Access): ErrorCode | null =>
  isAdministration ? 'PERMISSION_DENIED' : null

export const toVisibility: Access['visibleTo'][] = ['everybody', 'visibility']
export const readOnly = ({ isWrite }: Access): ErrorCode | null => (isWrite ? 'PERMISSION_DENIED' : null)
