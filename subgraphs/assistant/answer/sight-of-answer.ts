import { notFound } from '../../kernel/errors.ts'
import type { Caller } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import { seesAll } from '../../kernel/record/visible-records.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { ConversationCitation } from '../conversation/conversation.types.ts'
import { questionObjects } from '../question/question.ts'

/** An answer is made of what its user sees, so it is not replayed to one who sees less. */
export function noteSight({ answered }: Pick<RequestContext, 'answered'>): void {
  for (const object of questionObjects) answered?.aggregate(recordType(object)())
}

/** Refuses the replay of an answer that cites a record which is out of sight by now. */
export async function requireCited(caller: Caller, db: Sql, citations: readonly ConversationCitation[]): Promise<void> {
  const cited = new Map<string, Set<string>>()
  for (const { entityType, entityId } of citations) {
    const object = entityType.toLowerCase()
    if (questionObjects.includes(object)) cited.set(object, (cited.get(object) ?? new Set()).add(entityId))
  }
  const kinds = new Map([...cited.keys()].map((object) => [object, recordType(object)()]))
  const records = Object.fromEntries([...cited].map(([object, ids]) => [object, [...ids]]))
  if (!(await seesAll({ caller, db }, kinds, records))) throw notFound('A record in the stored answer')
}
