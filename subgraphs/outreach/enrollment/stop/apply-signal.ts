import type { RuledChange } from '../../../kernel/record/change-all.ts'
import type { SequenceEnrollment } from '../enrollment.ts'
import { exitReasons, type Ended } from '../run/decide.ts'
import { endOf } from '../run/end-enrollment.ts'
import type { ReadSequence } from '../sequence-reading.ts'
import type { Signal } from './signals.ts'

/** The column with the first time of a signal, of the enrollment. */
const firstTimes = {
  OPENED: 'openedAt',
  CLICKED: 'clickedAt',
  REPLIED: 'repliedAt',
  BOUNCED: 'bouncedAt',
  UNSUBSCRIBED: 'unsubscribedAt',
  CONSENT_DENIED: 'unsubscribedAt',
  MEETING: 'meetingAt',
} as const

export const isRunning = ({ status }: Pick<SequenceEnrollment, 'status'>): boolean =>
  status === 'ACTIVE' || status === 'PAUSED'

/** How a signal ends a running enrollment; null if it goes on. */
function endBy({ kind, stage }: Signal, { settings }: ReadSequence): readonly [Ended, string | null] | null {
  switch (kind) {
    case 'REPLIED':
      return settings.stopOnReply ? ['REPLIED', null] : null
    case 'BOUNCED':
      return settings.stopOnBounce ? ['BOUNCED', exitReasons.bounced] : null
    case 'UNSUBSCRIBED':
      return settings.stopOnUnsubscribe ? ['UNSUBSCRIBED', exitReasons.unsubscribed] : null
    case 'CONSENT_DENIED':
      return ['UNSUBSCRIBED', exitReasons.consent]
    case 'MEETING':
      return settings.stopOnMeeting ? ['UNENROLLED', exitReasons.meeting] : null
    case 'STAGE':
      return stage !== undefined && settings.stopOnOpportunityStage.includes(stage)
        ? ['UNENROLLED', `An opportunity entered the stage ${stage}.`]
        : null
    case 'DELETED':
      return ['UNENROLLED', exitReasons.recordDeleted]
    default:
      return null
  }
}

/** What a signal changes of an enrollment; null if nothing. A sequence that was deleted ends its enrollments itself. */
export function changeBy(
  signal: Signal,
  enrollment: SequenceEnrollment,
  sequence: ReadSequence | undefined,
  now: Date,
): RuledChange<SequenceEnrollment> | null {
  const name = firstTimes[signal.kind as keyof typeof firstTimes] as
    (typeof firstTimes)[keyof typeof firstTimes] | undefined
  const first = name !== undefined && enrollment[name] === null ? { [name]: signal.at } : {}
  const ended = sequence && isRunning(enrollment) ? endBy(signal, sequence) : null
  if (ended) {
    const { implied, ...events } = endOf(ended[0], ended[1], now)
    return { implied: { ...implied, ...first }, ...events }
  }
  return Object.keys(first).length > 0 ? { implied: first } : null
}
