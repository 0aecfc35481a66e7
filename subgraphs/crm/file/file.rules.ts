import type { FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { fileParents } from './file.enumerations.ts'
import type { File } from './file.ts'

/** `relatedToType` and `relatedToId` name one record together. */
export function isAttachedAsWhole({ relatedToType, relatedToId }: File): FieldProblem[] {
  if ((relatedToType === null) === (relatedToId === null)) return []
  const [path, other] = relatedToType === null ? ['relatedToType', 'relatedToId'] : ['relatedToId', 'relatedToType']
  return [{ path: path!, code: 'REQUIRED', message: `${path} is required with ${other}; set both or neither.` }]
}

/** A file is attached only to a record that the caller sees. */
export async function parentExists(ctx: RequestContext, next: File, previous: File | null): Promise<FieldProblem[]> {
  const { relatedToType, relatedToId } = next
  if (relatedToType === null || relatedToId === null) return []
  if (relatedToType === previous?.relatedToType && relatedToId === previous.relatedToId) return []
  const visible = isId(relatedToId) ? await visibleIds(ctx, fileParents[relatedToType](), [relatedToId]) : new Set()
  if (visible.size > 0) return []
  const message = 'relatedToId must be the id of an existing record that you can see.'
  return [{ path: 'relatedToId', code: 'UNKNOWN_REFERENCE', message }]
}
