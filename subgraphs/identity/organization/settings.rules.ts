import { DateTime } from 'luxon'
import { weekdays } from '../../kernel/time/working-week.ts'
import { namedModes } from '../../kernel/config/language-model.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject as isObject } from '../../kernel/json/exact-number.ts'
import { timezoneProblems } from '../../kernel/values/time-zone.ts'
import { textProblems } from '../text.ts'
import type { OrganizationSettings } from './organization-settings.ts'

/** Maximum number of spans of one weekday. */
export const spansMax = 10
export const holidaysMax = 1000
/** Maximum length of the instructions for payments. */
export const instructionsMax = 2000
/** Maximum lengths of the postal address and of the tax id. */
export const [postalAddressMax, taxIdMax] = [500, 50]
/** Maximum number of unknown keys that are reported. */
const unknownKeysNamed = 20
const timeOfDay = /^(?:[01]\d|2[0-3]):[0-5]\d$/
const day = /^\d{4}-\d{2}-\d{2}$/

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

const unknownKeys = (path: string, value: object, known: readonly string[]): FieldProblem[] =>
  Object.keys(value)
    .filter((key) => !known.includes(key))
    .slice(0, unknownKeysNamed)
    .map((key) => problem(`${path}.${key}`, 'UNKNOWN_FIELD', `${path}.${key} is unknown; use ${known.join(', ')}.`))

function spanProblems(path: string, span: unknown, previousEnd: string): FieldProblem[] {
  const [start, end] = Array.isArray(span) && span.length === 2 ? (span as unknown[]) : []
  const isTimes =
    typeof start === 'string' &&
    timeOfDay.test(start) &&
    typeof end === 'string' &&
    (timeOfDay.test(end) || end === '24:00')
  if (!isTimes)
    return [problem(path, 'NOT_A_SPAN', `${path} must be a start and an end as HH:MM; the end may be 24:00.`)]
  if (end <= start) return [problem(path, 'OUT_OF_ORDER', `${path} must end after its start.`)]
  return start < previousEnd
    ? [problem(path, 'OUT_OF_ORDER', `${path} must not start before the previous span has ended.`)]
    : []
}

function dayProblems(path: string, spans: unknown): FieldProblem[] {
  if (!Array.isArray(spans)) return [problem(path, 'WRONG_TYPE', `${path} must be a list of spans.`)]
  if (spans.length > spansMax) return [problem(path, 'TOO_MANY', `${path} must have at most ${spansMax} spans.`)]
  return (spans as unknown[]).flatMap((span, index) => {
    const before = (spans as unknown[])[index - 1]
    const previousEnd = Array.isArray(before) && typeof before[1] === 'string' ? before[1] : ''
    return spanProblems(`${path}.${index}`, span, previousEnd)
  })
}

function holidayProblems(path: string, holidays: unknown): FieldProblem[] {
  if (holidays === undefined) return []
  if (!Array.isArray(holidays)) return [problem(path, 'WRONG_TYPE', `${path} must be a list of days.`)]
  if (holidays.length > holidaysMax)
    return [problem(path, 'TOO_MANY', `${path} must have at most ${holidaysMax} days.`)]
  return (holidays as unknown[]).flatMap((holiday, index) =>
    typeof holiday === 'string' && day.test(holiday) && DateTime.fromISO(holiday).isValid
      ? []
      : [problem(`${path}.${index}`, 'NOT_A_DAY', `${path}.${index} must be a day such as 2027-12-25.`)],
  )
}

function businessHoursProblems(path: string, value: unknown): FieldProblem[] {
  if (!isObject(value)) return [problem(path, 'WRONG_TYPE', `${path} must be an object.`)]
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
      : [
          problem(
            `${path}.days`,
            'WRONG_TYPE',
            `${path}.days must be an object with a list of spans for each weekday.`,
          ),
        ]),
    ...holidayProblems(`${path}.holidays`, holidays),
  ]
}

/** Null resets a setting to its default; absent settings are unchanged. */
export type SettingsChange = {
  readonly [K in keyof Omit<OrganizationSettings, 'logo'>]?: OrganizationSettings[K] | null
}

/** The settings that are texts, with their maximum lengths. */
const texts = { paymentInstructions: instructionsMax, postalAddress: postalAddressMax, taxId: taxIdMax } as const

function colorProblems(color: string | null | undefined): FieldProblem[] {
  if (color == null || /^#[0-9a-f]{6}$/i.test(color)) return []
  return [problem('brandColor', 'WRONG_FORMAT', 'brandColor must be a colour such as #1f4e79.')]
}

function fiscalYearProblems(month: number | null | undefined): FieldProblem[] {
  if (month == null || (Number.isInteger(month) && month >= 1 && month <= 12)) return []
  return [problem('fiscalYearStartMonth', 'OUT_OF_RANGE', 'fiscalYearStartMonth must be between 1 and 12.')]
}

/** The modes of the assistant that an organization can switch off; `local` needs no provider and no document, so it stays. */
export const optionalAssistantModes: readonly string[] = ['documents', 'model', ...namedModes]

function assistantModeProblems(modes: readonly string[] | null | undefined): FieldProblem[] {
  const path = 'disabledAssistantModes'
  if (modes == null) return []
  if (new Set(modes).size !== modes.length) return [problem(path, 'NOT_UNIQUE', `${path} must name each mode once.`)]
  return modes
    .slice(0, unknownKeysNamed)
    .flatMap((mode, index) =>
      optionalAssistantModes.includes(mode)
        ? []
        : [
            problem(
              `${path}.${index}`,
              'NOT_A_MODE',
              `${path}.${index} must be one of ${optionalAssistantModes.join(', ')}.`,
            ),
          ],
    )
}

export function settingsProblems(change: SettingsChange): FieldProblem[] {
  return [
    ...Object.entries(texts).flatMap(([name, max]) =>
      textProblems(name, change[name as keyof typeof texts] ?? '', { max }),
    ),
    ...(change.businessHours == null ? [] : businessHoursProblems('businessHours', change.businessHours)),
    ...assistantModeProblems(change.disabledAssistantModes),
    ...colorProblems(change.brandColor),
    ...fiscalYearProblems(change.fiscalYearStartMonth),
    ...(change.timezone == null ? [] : timezoneProblems('timezone', change.timezone)),
  ]
}
