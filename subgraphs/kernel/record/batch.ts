import DataLoader from 'dataloader'
import type { RequestContext } from '../request.ts'

/** Batches reads: keys that one operation requests with the same selection are read by one statement. */
export function batchOf<V>(
  ctx: RequestContext,
  asked: ReadonlySet<string>,
  name: string,
  read: (keys: readonly string[]) => Promise<V[]>,
): DataLoader<string, V> {
  let byName = ctx.batches.get(asked)
  if (!byName) ctx.batches.set(asked, (byName = new Map()))
  let loader = byName.get(name) as DataLoader<string, V> | undefined
  if (!loader) byName.set(name, (loader = new DataLoader(read, { cache: false })))
  return loader
}
