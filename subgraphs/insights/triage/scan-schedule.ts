import { Cron } from 'croner'
import type { FieldProblem } from '../../kernel/errors.ts'

const hourMs = 3_600_000
/** So many runs in a row are compared: more than a day has. */
const comparedRuns = 26
const fields = /^[\dA-Za-z*/,-]+( [\dA-Za-z*/,-]+){4}$/

const path = 'scanSchedule'

function runs(schedule: string): Date[] | null {
  try {
    return new Cron(schedule, { timezone: 'UTC', paused: true, mode: '5-part' }).nextRuns(
      comparedRuns,
      '2027-01-01T00:00:00Z',
    )
  } catch {
    return null
  }
}

/** Five cron fields that come true, at most once an hour. */
export function scheduleProblems(schedule: string): FieldProblem[] {
  const found = fields.test(schedule) ? runs(schedule) : null
  if (!found || found.length < comparedRuns)
    return [
      {
        path,
        code: 'WRONG_FORMAT',
        message: `${path} must be five cron fields that come true, such as 0 6 * * * for every day at six.`,
      },
    ]
  const isTooOften = found.slice(1).some((run, index) => run.getTime() - found[index]!.getTime() < hourMs)
  return isTooOften ? [{ path, code: 'OUT_OF_RANGE', message: `${path} must come true at most once an hour.` }] : []
}

/** The next time of the schedule after `now`, in the zone of the organization. */
export function nextScan(schedule: string, timezone: string, now: Date): Date {
  const next = new Cron(schedule, { timezone, paused: true, mode: '5-part' }).nextRun(now)
  if (!next) throw new Error(`The schedule ${schedule} never comes true.`)
  return next
}
