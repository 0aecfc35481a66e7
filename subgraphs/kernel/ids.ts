import { randomBytes } from 'node:crypto'
import { v7 } from 'uuid'

const bytesPerId = 16
const idsPerPool = 256

/** Random bytes for the next ids. A call of the system for each id would cost more than everything else of it. */
let pool = randomBytes(bytesPerId * idsPerPool)
let used = 0
/** Time and counter of the last id. */
let [msecs, seq] = [0, 0]

/** UUIDv7: ordered by time, so that new rows are appended at the end of every index. The ids of one process ascend. */
export function newId(): string {
  if (used === pool.length) [pool, used] = [randomBytes(bytesPerId * idsPerPool), 0]
  const random = pool.subarray(used, (used += bytesPerId))
  const now = Date.now()
  // The counter starts at a random number of 31 bits, so it does not overflow within a millisecond.
  if (now > msecs) [msecs, seq] = [now, random.readUInt32BE() >>> 1]
  else seq++
  return v7({ random, msecs, seq })
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export const isId = (value: unknown): value is string => typeof value === 'string' && uuid.test(value)

/** The time that a UUIDv7 contains, when it was created, to the millisecond. */
export const timeOfId = (id: string): Date => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
