import { DateTime } from 'luxon'
import { RRuleTemporal } from 'rrule-temporal'

/** The occurrence after a task of a series. */
export interface Occurrence {
  readonly dueDate: string
  /** The rule of the next task: the same, with one occurrence less if it has a `COUNT`. */
  readonly rule: string
}

/** How many periods are looked at until a rule counts as without occurrence. A day in 366 is found, and a hostile rule costs about 3 ms. */
const limits = { maxIterations: 400, maxCandidateEvaluations: 2_000 } as const

const weekday = '(MO|TU|WE|TH|FR|SA|SU)'
const monthDay = '[+-]?([1-9]|[12][0-9]|3[01])'
const listOf = (item: string): RegExp => new RegExp(`^(${item})(,(${item})){0,30}$`)

/** The parts of a rule of RFC 5545 that a task may have, each with its values. */
const parts = new Map<string, RegExp>(
  Object.entries({
    FREQ: /^(DAILY|WEEKLY|MONTHLY|YEARLY)$/,
    INTERVAL: /^[1-9]\d{0,2}$/,
    COUNT: /^[1-9]\d{0,2}$/,
    UNTIL: /^\d{8}T\d{6}Z$/,
    BYDAY: listOf(`([+-]?[1-5])?${weekday}`),
    BYMONTHDAY: listOf(monthDay),
    BYMONTH: listOf('[1-9]|1[0-2]'),
    BYSETPOS: listOf(monthDay),
    WKST: new RegExp(`^${weekday}$`),
  }),
)

/** What is wrong with the rule of a series that has this due date; null if nothing is. */
export function problemOfRule(rule: string, dueDate: string): string | null {
  const given = rule.split(';').map((part) => part.split('='))
  const names = given.map(([name]) => name!)
  const isWellFormed = given.every(([name, value, ...rest]) => rest.length === 0 && parts.get(name!)?.test(value ?? ''))
  if (!isWellFormed || new Set(names).size < names.length || !names.includes('FREQ'))
    return `must be a rule of RFC 5545 with FREQ (DAILY, WEEKLY, MONTHLY or YEARLY) and each of ${[...parts.keys()].slice(1).join(', ')} at most once, for example FREQ=WEEKLY;BYDAY=MO`
  if (names.includes('COUNT') && names.includes('UNTIL')) return 'must have COUNT or UNTIL, not both'
  try {
    if (occurrenceAfter(without(rule, 'UNTIL'), dueDate, 'UTC') === null)
      return 'must have an occurrence after the due date'
    if (names.includes('UNTIL')) occurrenceAfter(rule, dueDate, 'UTC')
    return null
  } catch {
    return 'must be a valid rule of RFC 5545 that has an occurrence soon after the due date'
  }
}

/**
 * The next occurrence of the series after a task with this due date; null if it was the last one. The days of the rule and the hour are
 * those of the time zone.
 */
export function nextOccurrence(rule: string, dueDate: string, zone: string): Occurrence | null {
  const count = /(?:^|;)COUNT=(\d+)/.exec(rule)?.[1]
  if (count !== undefined && Number(count) <= 1) return null
  const next = count === undefined ? rule : rule.replace(`COUNT=${count}`, `COUNT=${Number(count) - 1}`)
  try {
    const due = occurrenceAfter(rule, dueDate, zone)
    return due === null ? null : { dueDate: due, rule: next }
  } catch {
    return null
  }
}

/** A time of a task, moved by as many days as its due date; the hour in the time zone stays, also across a change of its clocks. */
export function movedWith(time: string, from: string, to: string, zone: string): string {
  const dayOf = (moment: string): DateTime => DateTime.fromISO(moment, { zone }).startOf('day')
  const days = Math.round(dayOf(to).diff(dayOf(from), 'days').days)
  return DateTime.fromISO(time, { zone }).plus({ days }).toUTC().toISO()!
}

const without = (rule: string, name: string): string =>
  rule
    .split(';')
    .filter((part) => !part.startsWith(`${name}=`))
    .join(';')

/** The due date of a task begins its series anew, so `COUNT` says how many tasks are left and is not counted here. */
function occurrenceAfter(rule: string, dueDate: string, zone: string): string | null {
  const milliseconds = Date.parse(dueDate) % 1000
  const begin = new Date(Date.parse(dueDate) - milliseconds)
  const start = DateTime.fromJSDate(begin, { zone }).toFormat("yyyyMMdd'T'HHmmss")
  const rruleString = `DTSTART;TZID=${zone}:${start}\nRRULE:${without(rule, 'COUNT')}`
  const next = new RRuleTemporal({ rruleString, strict: true, ...limits }).next(begin, false)
  const time = next && new Date(next.epochMilliseconds + milliseconds)
  return time && time.getUTCFullYear() <= 9999 ? time.toISOString() : null
}
