import { batchOf } from '../../kernel/record/batch.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { visibleIds } from '../../kernel/record/read.ts'
import { recordType } from '../../kernel/record/record-registry.ts'
import type { RequestContext } from '../../kernel/request.ts'

const noFields: ReadonlySet<string> = new Set()

/**
 * The key of a record of another subgraph, which reads its fields; null if the caller does not see the record. All records of an
 * operation are looked up together.
 */
export async function visibleStub(
  ctx: RequestContext,
  object: string,
  id: string | null,
): Promise<{ readonly id: string } | null> {
  if (id === null) return null
  const isVisible = await batchOf(ctx, noFields, `${object}.isVisible`, async (ids) => {
    const visible = await visibleIds(ctx, recordTypeIn(ctx, object) ?? recordType(object)(), ids)
    return ids.map((one) => visible.has(one))
  }).load(id)
  return isVisible ? { id } : null
}
