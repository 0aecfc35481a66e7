import type { FieldProblem } from '../../kernel/errors.ts'
import { findCustomObject } from '../../kernel/extension/with-custom-object.ts'
import { isId } from '../../kernel/ids.ts'
import { customObjectName } from '../../kernel/record/custom-object.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { fileParent, fileParentNames, isFileParent } from './file.enumerations.ts'
import type { File } from './file.ts'

/** `relatedToType` and `relatedToId` name one record together. */
export function isAttachedAsWhole({ relatedToType, relatedToId }: File): FieldProblem[] {
  if (relatedToType !== null && !isFileParent(relatedToType) && customObjectName(relatedToType) === null)
    return [{ path: 'relatedToType', code: 'NOT_ALLOWED', message: `relatedToType must be ${fileParentNames}.` }]
  if ((relatedToType === null) === (relatedToId === null)) return []
  const [path, other] = relatedToType === null ? ['relatedToType', 'relatedToId'] : ['relatedToId', 'relatedToType']
  return [{ path: path!, code: 'REQUIRED', message: `${path} is required with ${other}; set both or neither.` }]
}

/** A file is attached only to a record that the caller sees. */
export async function parentExists(ctx: RequestContext, next: File, previous: File | null): Promise<FieldProblem[]> {
  const { relatedToType, relatedToId } = next
  if (relatedToType === null || relatedToId === null) return []
  if (relatedToType === previous?.relatedToType && relatedToId === previous.relatedToId) return []
  const custom = isFileParent(relatedToType) ? null : await findCustomObject(ctx, customObjectName(relatedToType)!)
  const [current, shape] = custom ? [custom.ctx, custom.shape] : [ctx, fileParent(ctx, relatedToType)]
  if (!shape) {
    const message = `relatedToType must be a type of records; the organization has no ${relatedToType}.`
    return [{ path: 'relatedToType', code: 'UNKNOWN_REFERENCE', message }]
  }
  if (isId(relatedToId) && (await visibleIds(current, shape, [relatedToId])).size > 0) return []
  const message = 'relatedToId must be the id of an existing record that you can see.'
  return [{ path: 'relatedToId', code: 'UNKNOWN_REFERENCE', message }]
}
