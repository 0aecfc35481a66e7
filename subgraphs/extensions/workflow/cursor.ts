/** A loop around the next step. */
export interface LoopFrame {
  readonly stepId: string
  /** The execution of the LOOP, whose input has the items. */
  readonly position: number
  readonly body: string
  readonly index: number
  readonly count: number
}

/** Where a run is. It is stored with each step, so that another process goes on from there. */
export interface Cursor {
  /** The step to execute; null at the end of a path. */
  readonly next: string | null
  readonly frames: readonly LoopFrame[]
  /** The number of the execution of `next`, and of its attempt, both from 1. */
  readonly position: number
  readonly attempt: number
  /** Its execution has begun and has no outcome. */
  readonly isOpen: boolean
  /** How often it waited for a limit or for a part of the platform. */
  readonly waits: number
}

export const firstCursor = (stepId: string): Cursor => ({
  next: stepId,
  frames: [],
  position: 1,
  attempt: 1,
  isOpen: false,
  waits: 0,
})

/** The cursor at a step, for another execution. */
export const movedTo = (cursor: Cursor, next: string | null, frames = cursor.frames): Cursor => ({
  next,
  frames,
  position: cursor.position + 1,
  attempt: 1,
  isOpen: false,
  waits: 0,
})

/** At the end of the body of a loop: its next item, or what follows the loop. `nextOf` is the step after a LOOP. */
export function afterEnds(cursor: Cursor, nextOf: (stepId: string) => string | null): Cursor {
  let { next } = cursor
  let frames = cursor.frames
  while (next === null && frames.length > 0) {
    const frame = frames.at(-1)!
    const outer = frames.slice(0, -1)
    if (frame.index + 1 < frame.count) {
      frames = [...outer, { ...frame, index: frame.index + 1 }]
      next = frame.body
    } else {
      frames = outer
      next = nextOf(frame.stepId)
    }
  }
  return { ...cursor, next, frames }
}
