import type { Services } from '../request.ts'
import type { Queue } from './queue.ts'

/** Keeps the rows of a queue bounded: for a job of its kind. A table in partitions drops those instead. */
export async function forgetEnded(
  { table, keptMs }: Pick<Queue, 'table' | 'keptMs'>,
  { database, clock }: Pick<Services, 'database' | 'clock'>,
): Promise<void> {
  await database.query(`delete from ${table} where state <> 'QUEUED' and created_at < $1`, [
    new Date(clock.now().getTime() - keptMs).toISOString(),
  ])
}
