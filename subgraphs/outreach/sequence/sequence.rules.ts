import type { FieldProblem } from '../../kernel/errors.ts'
import { refusalInState, type Move, type StateMachine } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { timezoneProblems } from '../../kernel/values/time-zone.ts'
import { SequenceEntityType } from '../enrollment/enrollment.enumerations.ts'
import type { Sequence } from './sequence.ts'
import { Weekday, type SequenceStatus } from './sequence.enumerations.ts'

async function hasActiveStep({ db, caller }: RequestContext, { id }: Sequence): Promise<boolean> {
  const found = await db.query(
    `select 1 from outreach.sequence_step
     where organization_id = $1 and sequence_id = $2 and deleted_at is null and is_active limit 1`,
    [caller.organizationId, id],
  )
  return found.length > 0
}

const start: Move<Sequence> = { operation: 'sequenceToggle', isPossible: hasActiveStep }

export const sequenceStates: StateMachine<Sequence, SequenceStatus> = {
  name: 'sequence',
  scope: 'WRITE_SEQUENCES',
  transitions: {
    DRAFT: { ACTIVE: [start], ARCHIVED: ['sequenceArchive'] },
    ACTIVE: { PAUSED: ['sequenceToggle'], ARCHIVED: ['sequenceArchive'] },
    PAUSED: { ACTIVE: [start], ARCHIVED: ['sequenceArchive'] },
    ARCHIVED: {},
  },
}

/** What a list of members of an enumeration must be: at least one, each once. */
function memberProblems(path: string, given: readonly string[], enumeration: object): FieldProblem[] {
  const message = `${path} must have at least one of ${Object.keys(enumeration).join(', ')}.`
  if (given.length === 0) return [{ path, code: 'REQUIRED', message }]
  const seen = new Set<string>()
  return given.flatMap((name, index): FieldProblem[] => {
    const at = `${path}.${index}`
    if (seen.has(name)) return [{ path: at, code: 'NOT_UNIQUE', message: `${at} must not repeat ${name}.` }]
    seen.add(name)
    return []
  })
}

const localTime = /^(?:[01]\d|2[0-3]):[0-5]\d$/

function windowProblems({ sendStart, sendEnd }: Sequence['settings']): FieldProblem[] {
  const wrong = (path: string, until: string): FieldProblem[] => [
    { path, code: 'WRONG_FORMAT', message: `${path} must be a time of day such as 09:00, from 00:00 to ${until}.` },
  ]
  if (!localTime.test(sendStart)) return wrong('settings.sendStart', '23:59')
  if (!localTime.test(sendEnd) && sendEnd !== '24:00') return wrong('settings.sendEnd', '24:00')
  if (sendStart < sendEnd) return []
  const message = 'settings.sendEnd must be later than settings.sendStart.'
  return [{ path: 'settings.sendEnd', code: 'OUT_OF_RANGE', message }]
}

function zoneProblems(timezone: string): FieldProblem[] {
  if (timezone === 'RECIPIENT' || timezone === 'SENDER') return []
  return timezoneProblems('settings.timezone', timezone).map((problem) => ({
    ...problem,
    message: 'settings.timezone must be RECIPIENT, SENDER or the IANA name of a time zone, for example Europe/Oslo.',
  }))
}

export const sequenceProblems = ({ entityTypes, settings }: Sequence): FieldProblem[] => [
  ...memberProblems('entityTypes', entityTypes, SequenceEntityType),
  ...zoneProblems(settings.timezone),
  ...memberProblems('settings.sendDays', settings.sendDays, Weekday),
  ...windowProblems(settings),
]

/** An archived sequence is kept for its history. */
export async function requireNotArchived(ctx: RequestContext, previous: Sequence): Promise<void> {
  if (previous.status !== 'ARCHIVED') return
  const message = 'An archived sequence cannot change. Duplicate it to use it again.'
  throw await refusalInState(ctx, sequenceStates, previous, message)
}
