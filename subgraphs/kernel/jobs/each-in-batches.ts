import { Failures } from './failures.ts'

/**
 * Calls `work` for every item, in batches; `next` returns the batch after the given last item. A failing item does not stop the
 * others: after all items, the errors are thrown together, so that the job is retried. A record that was deleted after `next` is skipped.
 */
export async function eachInBatches<T>(
  next: (after: T | null) => Promise<T[]>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures = new Failures()
  for (let batch = await next(null); batch.length > 0; batch = await next(batch.at(-1)!))
    for (const item of batch) await failures.catch(work(item))
  failures.throwTogether()
}
