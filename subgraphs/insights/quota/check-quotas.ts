import { DateTime } from 'luxon'
import { activeUsers, teamsOfOrganization } from '../../identity/public.ts'
import { Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { decimalsOf } from '../../kernel/json/exact-number.ts'
import { checkValues } from '../../kernel/record/check-values.ts'
import type { Reference } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { isDay } from '../../kernel/time/days.ts'
import { periodOf, type FiscalCalendar, type Period } from '../../kernel/time/period.ts'
import { currencyDecimals, currencyProblems } from '../../kernel/values/currency.ts'
import type { QuotaInput } from './quota.inputs.ts'
import { quota } from './quota.record.ts'
import type { Quota } from './quota.ts'

/** The quota of a user or a team for a period, of which there is one. */
export interface QuotaKey {
  readonly userId: string | null
  readonly teamId: string | null
  readonly period: string
}

export const keyOf = ({ userId, teamId, period }: QuotaKey): string => `${userId ?? teamId} ${period}`

/** A problem of one input; `prefix` is the path of the input, such as `quotas.3.`. */
const problem = (prefix: string, name: string, code: string, rule: string): FieldProblem => ({
  path: `${prefix}${name}`,
  code,
  message: `${prefix}${name} ${rule}`,
})

const isCalendarDay = (text: string): boolean => isDay(text) && DateTime.fromISO(text, { zone: 'utc' }).isValid

/** The problems that can be seen without the database, and the key of the quota if it has one. */
export function inputProblems(
  input: QuotaInput,
  prefix: string,
  calendar: FiscalCalendar,
): { readonly problems: FieldProblem[]; readonly key: QuotaKey | null; readonly period: Period | null } {
  const problems: FieldProblem[] = []
  const userId = input.userId?.toLowerCase() ?? null
  const teamId = input.teamId?.toLowerCase() ?? null
  if ((userId === null) === (teamId === null))
    problems.push(
      problem(prefix, 'userId', 'ONE_OF', 'must be given unless teamId is given, and not together with it.'),
    )
  let period: Period | null = null
  try {
    period = periodOf(input.period, input.periodType, calendar, `${prefix}period`)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    problems.push(...(error.extensions.errors as FieldProblem[]))
  }
  if (input.currency != null) problems.push(...currencyProblems(`${prefix}currency`, input.currency))
  problems.push(
    ...checkValues(quota, { target: input.target }).map(({ path, code, message }) => ({
      path: `${prefix}${path}`,
      code,
      message: `${prefix}${message}`,
    })),
  )
  for (const name of ['startDate', 'endDate'] as const) {
    const day = input[name]
    if (day == null) continue
    if (!isCalendarDay(day)) problems.push(problem(prefix, name, 'WRONG_FORMAT', 'must be a date such as 2027-02-28.'))
    else if (period && (day < period.firstDay || day >= period.endDay))
      problems.push(problem(prefix, name, 'OUT_OF_RANGE', 'must be a day of the period.'))
  }
  const hasKey = period !== null && (userId === null) !== (teamId === null)
  return { problems, key: hasKey ? { userId, teamId, period: period!.text } : null, period }
}

/** The problems of the quota as it would be stored, where they depend on what is stored. */
export function storedProblems(
  { currency, target, startDate, endDate }: Pick<Quota, 'currency' | 'target' | 'startDate' | 'endDate'>,
  prefix: string,
): FieldProblem[] {
  const problems: FieldProblem[] = []
  const decimals = currencyDecimals(currency)
  if ((decimalsOf(target) ?? Infinity) > decimals)
    problems.push(problem(prefix, 'target', 'TOO_PRECISE', `must have at most ${decimals} decimals in ${currency}.`))
  if (startDate !== null && endDate !== null && endDate < startDate)
    problems.push(problem(prefix, 'endDate', 'OUT_OF_RANGE', 'must not be before startDate.'))
  return problems
}

/** The problems of keys that are given twice in one request. */
export function repeatedProblems(keys: readonly (QuotaKey | null)[], prefixOf: (index: number) => string) {
  const seen = new Set<string>()
  return keys.flatMap((key, index) => {
    if (!key) return []
    const text = keyOf(key)
    if (seen.has(text))
      return [
        problem(prefixOf(index), 'period', 'NOT_UNIQUE', 'must differ from the other quotas of the same user or team.'),
      ]
    seen.add(text)
    return []
  })
}

/** The problems of ids of users and teams that do not exist in the organization. */
export async function referenceProblems(
  ctx: RequestContext,
  keys: readonly QuotaKey[],
  prefixOf: (index: number) => string,
): Promise<FieldProblem[]> {
  const kinds: readonly [name: 'userId' | 'teamId', known: Reference, what: string][] = [
    ['userId', activeUsers, 'must be the id of an active user of the organization.'],
    ['teamId', teamsOfOrganization, 'must be the id of a team of the organization.'],
  ]
  const problems: FieldProblem[] = []
  for (const [name, known, what] of kinds) {
    const ids = [...new Set(keys.flatMap((key) => key[name] ?? []))].filter(isId)
    const found = ids.length === 0 ? new Set<string>() : await known(ctx, ids)
    for (const [index, key] of keys.entries()) {
      const id = key[name]
      if (id !== null && !found.has(id)) problems.push(problem(prefixOf(index), name, 'UNKNOWN_REFERENCE', what))
    }
  }
  return problems
}
