/**
 * Works through what is due in batches, each beginning after the last item of the one before. An item that fails does not
 * hold up the others: all are tried, then the failures are thrown together and the job is run again.
 */
export async function eachInBatches<T>(
  next: (after: T | null) => Promise<T[]>,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = []
  for (let batch = await next(null); batch.length > 0; batch = await next(batch.at(-1)!)) {
    for (const item of batch) {
      try {
        await work(item)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} items failed; first: ${String(failures[0])}`)
}
