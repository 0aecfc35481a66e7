import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { Refusal } from '../../kernel/errors.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { recordNamed, recordType } from '../../kernel/record/record-registry.ts'
import { visibleRecords } from '../../kernel/record/visible-records.ts'
import type { RequestContext } from '../../kernel/request.ts'
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

/** The condition for answers that were made with more rights than `sightValues`, whose placeholders are given, contain now. */
export const isBeyondSight = (ownerIds: string, hidden: string): string =>
  `(${ownerIds}::uuid[] is not null and not coalesce(seen_owner_ids <@ ${ownerIds}, false)
    or ${hidden}::text[] <> '{}' and not coalesce(${hidden} <@ hidden_fields, false))`

const withheld = (message: ConversationMessage): ConversationMessage => ({
  ...message,
  content: '',
  citations: [],
  toolCalls: [],
  notUnderstood: [],
  isWithheld: true,
})

/** Withholds the answers that were made with more rights than the caller has now, and those that cite what is out of the caller's sight now. */
export async function withinSight(
  ctx: { readonly caller: Caller; readonly db: Sql },
  messages: readonly ConversationMessage[],
): Promise<ConversationMessage[]> {
  const cited = Map.groupBy(
    messages.flatMap(({ isWithheld, citations }) => (isWithheld ? [] : citations)),
    ({ entityType }) => entityType,
  )
  const unseen = new Set<string>()
  for (const [type, citations] of cited) {
    const ids = [...new Set(citations.map(({ entityId }) => entityId))]
    const seen = new Set(await seenOf(ctx, type, ids))
    for (const id of ids) if (!seen.has(id)) unseen.add(id)
  }
  return messages.map((message) =>
    message.isWithheld || message.citations.some(({ entityId }) => unseen.has(entityId)) ? withheld(message) : message,
  )
}

async function seenOf(
  ctx: { readonly caller: Caller; readonly db: Sql },
  type: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (type === 'DOCUMENT') return seenDocuments(ctx, ids)
  const object = type.toLowerCase()
  const shape = recordNamed(object)
  if (!shape || ctx.caller.ownerIds === null) return ids
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
