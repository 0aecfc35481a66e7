import type { RuledChange } from '../../../kernel/record/change-all.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import type { Ended } from './decide.ts'

const eventOf: Readonly<Record<Ended, string>> = {
  COMPLETED: 'sequence.completed',
  REPLIED: 'sequence.replied',
  BOUNCED: 'sequence.unenrolled',
  UNSUBSCRIBED: 'sequence.unenrolled',
  UNENROLLED: 'sequence.unenrolled',
  MERGED: 'sequence.unenrolled',
  FAILED: 'sequence.unenrolled',
}

/** The change that ends an enrollment, with its event. */
export const endOf = (status: Ended, reason: string | null, now: Date): RuledChange<SequenceEnrollment> => ({
  implied: {
    status,
    exitReason: reason?.slice(0, 500) ?? null,
    finishedAt: now.toISOString(),
    currentStepId: null,
    currentStepPosition: null,
    nextRunAt: null,
    remainingMs: null,
    isParked: false,
    pausedAt: null,
    pauseReason: null,
  },
  events: [eventOf[status]],
  isEventReplaced: true,
})
