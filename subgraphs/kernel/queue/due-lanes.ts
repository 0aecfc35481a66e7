import type { Sql } from '../database/sql.ts'
import { due, dueOf, laneCondition } from './lease.ts'
import type { Lane, Queue } from './queue.ts'

export const lanes = ['fresh', 'retry'] as const

/** The lanes that have items to lease, found with one statement for all queues. `lanesDue[0]` has those of the first queue. */
export async function lanesDue(database: Sql, queues: readonly Queue[]): Promise<Lane[][]> {
  if (queues.length === 0) return []
  const checks = queues.flatMap((queue, index) => lanes.map((lane) => `${hasDue(queue, lane)} as "${lane}${index}"`))
  const [found] = await database.transaction(
    async (sql) => {
      // A queue may have a million items of which none is due: its rows must not be read to learn that.
      await sql.query(`select set_config('enable_seqscan', 'off', true)`)
      return sql.query<Record<string, boolean>>(`select ${checks.join(', ')}`)
    },
    { hasEvents: () => false },
  )
  return queues.map((_, index) => lanes.filter((lane) => found![`${lane}${index}`]))
}

function hasDue({ table, shares }: Queue, lane: Lane): string {
  const waited = `state = 'QUEUED' and ${due}`
  if (!shares) return `exists (select from ${table} where ${waited} and ${laneCondition[lane]})`
  // Downwards, as the search of `waitingKeys`: at the beginning of the index are the entries of items that were leased.
  const isDue = `(select true from ${table} where ${dueOf[lane]} order by ${shares.organization} desc, ${shares.key} desc limit 1)`
  return `(${isDue} is not null or exists (select from ${table} where not is_due and ${waited}))`
}
