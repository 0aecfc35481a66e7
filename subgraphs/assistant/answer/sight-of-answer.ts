import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { questionObjects } from '../question/question.ts'

/** An answer is made of what its user sees, so it is not replayed to one who sees less. */
export function noteSight({ answered }: Pick<RequestContext, 'answered'>): void {
  for (const object of questionObjects) answered?.aggregate(recordType(object)())
}
