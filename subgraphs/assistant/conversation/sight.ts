import { mayDoMore, type Caller, type Role } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { recordNamed, recordType } from '../../kernel/record/record-registry.ts'
import { visibleRecords } from '../../kernel/record/visible-records.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { holdsScope } from '../../kernel/scopes.ts'
import { visibleDocuments } from '../document/visible-documents.ts'
import { questionObjects } from '../question/question.ts'
import type { ConversationMessage } from './conversation.types.ts'

/** An answer is made of what its user sees, so it is not replayed to one who sees less. */
export function noteSight({ answered }: Pick<RequestContext, 'answered'>): void {
  for (const object of questionObjects) answered?.aggregate(recordType(object)())
}

/** The fields that the profile of a user hides, as `opportunity.amount`. */
const hiddenFields = ({ fields }: Caller): string[] =>
  Object.entries(fields ?? {}).flatMap(([object, levels]) =>
    Object.entries(levels).flatMap(([name, level]) => (level === 'HIDDEN' ? [`${object}.${name}`] : [])),
  )

/** The values of `seen_owner_ids` (null: all) and `hidden_fields` of an answer to the caller. */
export const sightValues = (caller: Caller): readonly unknown[] => [caller.ownerIds, hiddenFields(caller)]

/** The condition for answers to a caller who saw more than `sightValues`, whose placeholders are given, contain now. */
export const isBeyondSight = (ownerIds: string, hidden: string): string =>
  `(${ownerIds}::uuid[] is not null and not coalesce(seen_owner_ids <@ ${ownerIds}, false)
    or ${hidden}::text[] <> '{}' and not coalesce(${hidden} <@ hidden_fields, false))`

/** The values of `role_then` and `scopes_then` of an answer to the caller. A session has all scopes. */
export const rightsValues = ({ kind, role, scopes }: Caller): readonly unknown[] => [
  role,
  kind === 'SESSION' ? ['*'] : scopes,
]

/** With which rights an answer was made; null: it is older than that was stored. */
interface RightsThen {
  readonly isBeyondSight: boolean
  readonly roleThen: Role | null
  readonly scopesThen: readonly string[] | null
}

/** Whether an answer was made with more rights than the caller has now. */
export const hasFewerRights = (
  caller: Caller,
  { isBeyondSight: isBeyond, roleThen, scopesThen }: RightsThen,
): boolean =>
  isBeyond ||
  (roleThen !== null && mayDoMore(roleThen, caller.role)) ||
  (scopesThen ?? ['*']).some((scope) => !holdsScope(caller, scope))

/** A message with the types and ids of the records that it is made of, as `ACCOUNT 0190…`. */
export interface StoredMessage extends ConversationMessage {
  readonly records: readonly string[]
}

/** Withholds the answers that were made with more rights than the caller has now, and those that are made of records that are out of sight now. */
export async function withinSight(
  ctx: { readonly caller: Caller; readonly db: Sql },
  messages: readonly StoredMessage[],
): Promise<ConversationMessage[]> {
  const made = new Set(messages.flatMap(({ isWithheld, records }) => (isWithheld ? [] : records)))
  const unseen = new Set<string>()
  for (const [type, ofType] of Map.groupBy(made, (record) => record.split(' ', 1)[0]!)) {
    const seen = new Set(
      await seenOf(
        ctx,
        type,
        ofType.map((record) => record.slice(type.length + 1)),
      ),
    )
    for (const record of ofType) if (!seen.has(record.slice(type.length + 1))) unseen.add(record)
  }
  return messages.map(({ records, ...message }) =>
    message.isWithheld || records.some((record) => unseen.has(record)) ? withheld(message) : message,
  )
}

const withheld = (message: ConversationMessage): ConversationMessage => ({
  ...message,
  content: '',
  citations: [],
  toolCalls: [],
  notUnderstood: [],
  isWithheld: true,
})

async function seenOf(
  ctx: { readonly caller: Caller; readonly db: Sql },
  type: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (type === 'DOCUMENT') return seenDocuments(ctx, ids)
  const object = type.toLowerCase()
  const shape = recordNamed(object)
  if (!shape) return ids
  try {
    return (await visibleRecords(ctx, new Map([[object, shape]]), { [object]: ids }))[object]!
  } catch (error) {
    // The plan lacks the feature of the record type.
    if (error instanceof Refusal) return []
    throw error
  }
}

async function seenDocuments(
  { caller, db }: { readonly caller: Caller; readonly db: Sql },
  ids: readonly string[],
): Promise<string[]> {
  const predicate = new TenantPredicate(caller)
  const condition = visibleDocuments(predicate, 'd')
  const rows = await db.query<{ id: string }>(
    `select d.id from assistant.document d where d.id = any(${predicate.values.add(ids)}::uuid[]) and ${condition}`,
    predicate.values.list,
  )
  return rows.map(({ id }) => id)
}
