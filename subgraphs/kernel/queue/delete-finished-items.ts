import type { Services } from '../request.ts'
import type { Queue } from './queue.ts'

/** Deletes items that ended longer ago than `retentionMs`. Call it from a job; a partitioned table drops old partitions instead. */
export async function deleteFinishedItems(
  { table, retentionMs }: Pick<Queue, 'table' | 'retentionMs'>,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<void> {
  await database.query(`delete from ${table} where state <> 'QUEUED' and created_at < $1`, [
    new Date(clock.now().getTime() - retentionMs).toISOString(),
  ])
}
