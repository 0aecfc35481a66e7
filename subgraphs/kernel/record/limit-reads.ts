import { invalid } from '../errors.ts'
import type { RequestContext } from '../request.ts'

const counts = new WeakMap<object, Map<string, number>>()

/** Refuses the read of an expensive field when one operation has read it so often already, for other records. */
export function limitReads(
  { batches }: Pick<RequestContext, 'batches'>,
  path: string,
  max: number,
  message: string,
): void {
  let own = counts.get(batches)
  if (!own) counts.set(batches, (own = new Map()))
  const count = (own.get(path) ?? 0) + 1
  own.set(path, count)
  if (count > max) throw invalid({ path, code: 'TOO_MANY', message })
}
