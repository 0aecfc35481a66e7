import DataLoader from 'dataloader'
import type { RequestContext } from '../request.ts'

/** A loader that reads all keys of one operation with the same selection in one statement. */
export function batchOf<V>(
  ctx: RequestContext,
  selected: ReadonlySet<string>,
  name: string,
  read: (keys: readonly string[]) => Promise<V[]>,
): DataLoader<string, V> {
  let byName = ctx.batches.get(selected)
  if (!byName) ctx.batches.set(selected, (byName = new Map()))
  let loader = byName.get(name) as DataLoader<string, V> | undefined
  if (!loader) byName.set(name, (loader = new DataLoader(read, { cache: false })))
  return loader
}
