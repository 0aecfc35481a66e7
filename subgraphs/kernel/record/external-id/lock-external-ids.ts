import type { RequestContext } from '../../request.ts'
import type { RecordShape } from '../definition.ts'
import { lockNumbered, lockNumbersOf } from '../value-locks.ts'

/**
 * Waits for the other transactions of the organization that write several of these external ids. A unique index makes a transaction wait for one that
 * has written the same value, so without these locks two that write the same values in another order would wait for each other.
 */
export async function lockExternalIds(
  ctx: RequestContext,
  { object }: Pick<RecordShape, 'object'>,
  values: readonly unknown[],
): Promise<void> {
  const given = new Set(values.flatMap((value) => (typeof value === 'string' ? value.trim() || [] : [])))
  if (given.size >= 2) await lockNumbered(ctx, 'externalIds', object, lockNumbersOf(given))
}
