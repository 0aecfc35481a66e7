import { transientError } from '../database/transient-error.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import type { RecordShape, StoredRow } from './definition.ts'
import type { Operation } from './event-types.ts'
import { isLive } from './live-formulas.ts'
import { withLiveValues } from './live-values.ts'
import { withRollups } from './rollup/read-rollups.ts'

/**
 * The record that was written with the values that follow from other records. The write has happened, or is about to: it is not refused because these
 * take too long to read, and the answer has null in their places.
 */
export async function withUnversioned<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordShape,
  operation: Operation,
  written: T,
): Promise<T> {
  const { formulas, rollups, hasLive } = definition.columns
  const isLiveRead = hasLive && operation !== 'DELETE'
  if (!isLiveRead && rollups.length === 0) return written
  const read = async (current: RequestContext): Promise<T> => {
    const record = isLiveRead ? await withLiveValues(current, definition, written) : written
    return withRollups(current, definition, record)
  }
  try {
    return await (ctx.db.open ? inTransaction(ctx, read) : read(ctx))
  } catch (error) {
    if (!transientError(error)) throw error
    const unread = [...(isLiveRead ? formulas.filter(isLive) : []), ...rollups].map(({ key }) => [key!, null])
    const { customFields } = written as { readonly customFields?: object }
    return { ...written, customFields: { ...customFields, ...Object.fromEntries(unread) } }
  }
}
