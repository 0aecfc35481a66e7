import { DateTime } from 'luxon'
import { weekdays } from '../../kernel/working-week.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject as isObject } from '../../kernel/exact-number.ts'
import { timezoneProblems } from '../text.ts'
import type { OrganizationSettings } from './organization-settings.ts'

/** Of one day. */
export const spansMax = 10
export const holidaysMax = 1000
/** Of keys that are not known so many are named. */
const unknownKeysNamed = 20
const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const day = /^\d{4}-\d{2}-\d{2}$/

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

const unknownKeys = (path: string, value: object, known: readonly string[]): FieldProblem[] =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .slice(0, unknownKeysNamed)
    .map((key) => problem(`${path}.${key}`, 'UNKNOWN_FIELD', `${path}.${key} is not known.`))

function spanProblems(path: string, span: unknown, previousEnd: string): FieldProblem[] {
  const [start, end] = Array.isArray(span) && span.length === 2 ? (span as unknown[]) : []
  const isTimes =
    typeof start === 'string' &&
    timeOfDay.test(start) &&
    typeof end === 'string' &&
    (timeOfDay.test(end) || end === '24:00')
  if (!isTimes) return [problem(path, 'NOT_A_SPAN', `${path} is a start and an end as HH:MM; an end may be 24:00.`)]
  if (end <= start) return [problem(path, 'OUT_OF_ORDER', `${path} ends after it starts.`)]
  return start < previousEnd ? [problem(path, 'OUT_OF_ORDER', `${path} starts when the span before it has ended.`)] : []
}

function dayProblems(path: string, spans: unknown): FieldProblem[] {
  if (!Array.isArray(spans)) return [problem(path, 'WRONG_TYPE', `${path} is a list of spans.`)]
  if (spans.length > spansMax) return [problem(path, 'TOO_MANY', `${path} has at most ${spansMax} spans.`)]
  return (spans as unknown[]).flatMap((span, index) => {
    const before = (spans as unknown[])[index - 1]
    const previousEnd = Array.isArray(before) && typeof before[1] === 'string' ? before[1] : ''
    return spanProblems(`${path}.${index}`, span, previousEnd)
  })
}

function holidayProblems(path: string, holidays: unknown): FieldProblem[] {
  if (holidays === undefined) return []
  if (!Array.isArray(holidays)) return [problem(path, 'WRONG_TYPE', `${path} is a list of days.`)]
  if (holidays.length > holidaysMax) return [problem(path, 'TOO_MANY', `${path} has at most ${holidaysMax} days.`)]
  return (holidays as unknown[]).flatMap((holiday, index) =>
    typeof holiday === 'string' && day.test(holiday) && DateTime.fromISO(holiday).isValid
      ? []
      : [problem(`${path}.${index}`, 'NOT_A_DAY', `${path}.${index} is a day as 2027-12-25.`)],
  )
}

function businessHoursProblems(path: string, value: unknown): FieldProblem[] {
  if (!isObject(value)) return [problem(path, 'WRONG_TYPE', `${path} is an object.`)]
  const { timezone, days, holidays } = value
  return [
    ...unknownKeys(path, value, ['timezone', 'days', 'holidays']),
    ...timezoneProblems(`${path}.timezone`, timezone),
    ...(isObject(days)
      ? [
          ...unknownKeys(`${path}.days`, days, weekdays),
          ...weekdays.flatMap((weekday) =>
            days[weekday] === undefined ? [] : dayProblems(`${path}.days.${weekday}`, days[weekday]),
          ),
        ]
      : [problem(`${path}.days`, 'WRONG_TYPE', `${path}.days is an object with lists of spans by weekday.`)]),
    ...holidayProblems(`${path}.holidays`, holidays),
  ]
}

/** Null takes a setting back; what is absent stays. */
export type SettingsChange = { readonly [K in keyof OrganizationSettings]?: OrganizationSettings[K] | null }

export function settingsProblems(change: SettingsChange): FieldProblem[] {
  return [
    ...(change.businessHours == null ? [] : businessHoursProblems('businessHours', change.businessHours)),
    ...(change.timezone == null ? [] : timezoneProblems('timezone', change.timezone)),
  ]
}
