import type { Services } from '../request.ts'
import { LaneWorker } from './lane-worker.ts'
import type { Lane, Queue, QueuedItem } from './queue.ts'

/** Attempts all due items of the lanes, as one process does. */
export async function drain<Item extends QueuedItem>(
  queue: Queue<Item>,
  services: Services,
  lanes: readonly Lane[] = ['fresh', 'retry'],
): Promise<void> {
  await Promise.all(lanes.map((lane) => new LaneWorker(queue, services, lane).drain()))
}

/** Moves all due times of the queue into the past by `ms`, because a test cannot set the clock of the database. */
export const ageQueueItems = async ({ database }: Services, table: string, ms: number): Promise<void> => {
  await database.query(`update ${table} set next_attempt_at = next_attempt_at - $1 * interval '1 millisecond'`, [ms])
}
