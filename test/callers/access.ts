import type { OperationObject, Schema } from '../../rest-adapter/openapi.ts'
import type { RestOperation } from '../../rest-adapter/rest-operation.ts'
import type { Role } from '../../subgraphs/kernel/context.ts'
import { restAreas } from '../rest-areas.ts'

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

/** Records without an owner are visible to every user. */
const sharedAreas = restAreas.filter(
  ({ definition }) =>
    definition.visibleBy.length === 0 &&
    !definition.visibleThrough &&
    !definition.visibleThroughRelated &&
    !definition.privateUnless,
)

/** Only their owner sees new records of these areas. */
const privateAreas = restAreas.filter(({ definition }) => definition.privateUnless ?? definition.visibleThroughRelated)

/** The records of these areas are below a record of another area, such as a custom object, which their paths name first. */
const nestedAreas = restAreas.filter(({ within }) => within !== null)

const visibleToByPath: Readonly<Record<string, Access['visibleTo']>> = {
  '/v1/describe': 'everybody',
  '/v1/events/': 'everybody',
  '/v1/functions': 'everybody',
  '/v1/app-packages': 'everybody',
  '/v1/marketplace': 'everybody',
  '/v1/workflow-runs': 'everybody',
  // Its user; owners and admins see that it exists, and can cancel it.
  '/v1/flows/interviews': 'author',
  ...Object.fromEntries(
    ['next', 'back', 'pause', 'resume'].map((verb) => [`/v1/flows/interviews/{id}/${verb}`, 'owner'] as const),
  ),
  // Owners, admins, and the user who has added the address.
  '/v1/email-tracking/suppressions': 'author',
  // Owners, admins, and the user who has created the job.
  '/v1/bulk/jobs': 'author',
  '/v1/undo/jobs': 'author',
  ...Object.fromEntries(nestedAreas.map(({ path }) => [`/v1/${path}`, 'visibility'] as const)),
  ...Object.fromEntries(sharedAreas.map(({ path }) => [`/v1/${path}`, 'everybody'] as const)),
  ...Object.fromEntries(privateAreas.map(({ path }) => [`/v1/${path}`, 'owner'] as const)),
  '/v1/notifications': 'owner',
  '/v1/conversations': 'owner',
  '/v1/proposals': 'owner',
  '/v1/api-keys': 'administrators',
  '/v1/oauth-apps': 'administrators',
  '/v1/connected-apps': 'administrators',
  '/v1/developer-orgs': 'administrators',
}

/** The part of a path that names records of its own area, without those above it. */
function inItsArea(path: string): string {
  const nested = nestedAreas.find((area) => path.startsWith(`/v1/${area.path}`))
  return nested ? path.slice(`/v1/${nested.path}`.length) : path
}

/** What is said of the longest path that the path of the operation begins with. */
function visibleToOf(path: string): Access['visibleTo'] {
  const [area] = Object.keys(visibleToByPath)
    .filter((known) => path.startsWith(known))
    .sort((one, other) => other.length - one.length)
  return area === undefined ? 'visibility' : visibleToByPath[area]!
}

const requiredReferences = ({ required = [], properties = {} }: Schema): string[] =>
  required.filter(
    (name) => properties[name]?.format === 'uuid' && !['assignedToId', 'ownerId', 'userId'].includes(name),
  )

/** Operations whose body refers to records, or has something in their place, so that no property is required. */
const withReferences: ReadonlySet<string> = new Set(['knowledgeDocumentCreate', 'scenarioCompare'])

/** A required query parameter names the record of an answer as an id in the path does. */
const namesOneRecord = ({ in: place, required, schema }: RestOperation['parameters'][number]): boolean =>
  place === 'query' && required === true && schema?.format === 'uuid'

/** Operations whose argument or record decides the scope, which the contract cannot name: those of the requests that are sent. */
const scopesByRecord: Readonly<Record<string, readonly string[]>> = Object.fromEntries([
  ['bulkJobDownload', ['READ_ACCOUNTS']],
  // It compares leads.
  ['duplicatesFind', ['READ_LEADS']],
  ...[
    'bulkJob',
    'bulkJobCreate',
    'bulkJobUpdate',
    'bulkJobDelete',
    'bulkJobPartUpload',
    'bulkJobResults',
    'bulkJobUndo',
    'undoJob',
    'undoJobAbort',
    'undoneRecordList',
    'notUndoneList',
    // It undoes the creation of an account.
    'undo',
  ].map((id) => [id, ['WRITE_ACCOUNTS']]),
])

/** Operations whose body names what was done to records: nobody finds it without a record that they see. */
const byWhatWasDone: ReadonlySet<string> = new Set(['undo'])

export function accessOf(operation: RestOperation, described: OperationObject): Access {
  const { scopes, isPublic, path, documentId, method } = operation
  return {
    scopes: scopesByRecord[documentId] ?? scopes,
    isPublic,
    path,
    documentId,
    isWrite: method !== 'get' && described['x-every-role'] !== true,
    isBlocked: Boolean((described as { 'x-api-key-blocked'?: boolean })['x-api-key-blocked']),
    namesRecord:
      inItsArea(path).includes('{') || operation.parameters.some(namesOneRecord) || byWhatWasDone.has(documentId),
    roles: (described as { 'x-required-roles'?: readonly Role[] })['x-required-roles'] ?? null,
    isAdministration: path.startsWith('/v1/admin/'),
    isOfApps: path.startsWith('/v1/app-runtime/'),
    refersToRecord: withReferences.has(documentId) || requiredReferences(operation.body?.schema ?? {}).length > 0,
    visibleTo: visibleToOf(path),
  }
}
