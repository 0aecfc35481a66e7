import { DateTime } from 'luxon'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { timezoneProblems } from '../../kernel/values/time-zone.ts'

const form = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

export interface WantedTime {
  readonly sendAt: string | null
  readonly scheduledAt: string | null
  readonly timezone: string | null
}

/**
 * The moment that the text means. A text with an offset is that moment. One without is the time that the clocks of the zone show: a time that
 * they skip in spring is as much later as they skip, and of a time that they show twice in autumn it is the first.
 */
function momentOf(path: string, text: string, zone: string): DateTime {
  const match = form.exec(text)
  const moment = match?.[1] ? DateTime.fromISO(text, { zone: 'utc' }) : DateTime.fromISO(text, { zone })
  if (!match || !moment.isValid) {
    const example = '2026-11-03T09:00:00+01:00, or 2026-11-03T09:00 with a timezone'
    throw invalid(problem(path, 'NOT_A_TIME', `${path} must be a date and time such as ${example}.`))
  }
  if (match[1]) return moment
  const [first] = moment.getPossibleOffsets().toSorted((one, other) => one.toMillis() - other.toMillis())
  return first ?? moment
}

/** The time at which a mail is to be sent. `defaultZone` is that of the organization. */
export function scheduledTime(
  { sendAt, scheduledAt, timezone }: WantedTime,
  now: Date,
  defaultZone: string,
): { scheduledAt: string; timezone: string } {
  const zone = timezone ?? defaultZone
  const zoneProblems = timezone === null ? [] : timezoneProblems('timezone', timezone)
  const path = sendAt !== null ? 'sendAt' : 'scheduledAt'
  const text = sendAt ?? scheduledAt
  if (text === null) throw invalid(problem('scheduledAt', 'REQUIRED', 'scheduledAt or sendAt is required.'))
  if (zoneProblems.length > 0) throw invalid(...zoneProblems)
  const moment = momentOf(path, text, zone)
  if (sendAt !== null && scheduledAt !== null && +momentOf('scheduledAt', scheduledAt, zone) !== +moment)
    throw invalid(problem('sendAt', 'CONFLICT', 'sendAt must be the same time as scheduledAt; send one of them.'))
  if (+moment <= now.getTime()) throw invalid(problem(path, 'IN_THE_PAST', `${path} must be in the future.`))
  return { scheduledAt: moment.toJSDate().toISOString(), timezone: zone }
}
