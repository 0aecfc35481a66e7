import type { Services } from '../request.ts'
import { firstTurn } from './lease.ts'
import type { Lane, Queue, QueuedItem } from './queue.ts'
import { workThrough } from './work-through.ts'

/** Attempts everything that is due, as one process would. */
export async function drain<Item extends QueuedItem>(queue: Queue<Item>, services: Services): Promise<void> {
  const turn = { organization: firstTurn }
  const lanes: Lane[] = ['fresh', 'retry']
  await Promise.all(
    lanes.flatMap((lane) => Array.from({ length: queue.lanes[lane] }, () => workThrough(queue, services, lane, turn))),
  )
}

/** Makes everything in the queue as much older as its database would after that time. */
export const passInQueue = async ({ database }: Services, table: string, ms: number): Promise<void> => {
  await database.query(`update ${table} set next_attempt_at = next_attempt_at - $1 * interval '1 millisecond'`, [ms])
}
