import { dayMs, iso } from './calendar.ts'
import type { Visit } from './deal-stages.ts'
import type { Random } from './random.ts'

const shareLate = 0.2
const firstDaysMin = 14

/**
 * The expected close dates of a deal: the first one, how often it was moved to a later time, and the present one, which is the day of
 * the close in a closed deal. That of some open deals has passed, because nobody has moved it yet.
 */
export function closeDatesOf(random: Random, visits: readonly Visit[], midnightMs: number) {
  const last = visits.at(-1)!
  const createdMs = visits[0]!.enteredMs
  const isOpen = last.stage.kind === 'OPEN'
  if (isOpen && random.chance(shareLate)) {
    const lateMs = dayOf(midnightMs - random.whole(2, 45) * dayMs)
    if (lateMs >= createdMs + firstDaysMin * dayMs)
      return { originalCloseDate: iso(lateMs), closeDate: iso(lateMs), closeDatePushCount: 0 }
  }
  const endMs = isOpen ? midnightMs + 3 * dayMs : last.enteredMs
  const firstMs = dayOf(createdMs + random.whole(35, 120) * dayMs)
  let expectedMs = firstMs
  let pushes = 0
  for (let isPushed = expectedMs < endMs || (isOpen && random.chance(0.12)); isPushed; isPushed = expectedMs < endMs) {
    expectedMs += random.whole(14, 45) * dayMs
    pushes += 1
  }
  return {
    originalCloseDate: iso(firstMs),
    closeDate: iso(isOpen ? expectedMs : dayOf(last.enteredMs)),
    closeDatePushCount: pushes,
  }
}

const dayOf = (atMs: number): number => Math.floor(atMs / dayMs) * dayMs
