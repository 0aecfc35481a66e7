import { visibleAccounts } from '../../crm/public.ts'
import { activeUsers } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { decimalsOf, type ExactNumber } from '../../kernel/json/exact-number.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf } from '../../kernel/values/decimal.ts'
import { timezoneProblems } from '../../kernel/values/time-zone.ts'
import { activeTemplates } from '../../outreach/public.ts'
import { daysMax, excludedMax, stepsMax, type DunningSettings, type DunningStep } from './dunning-configuration.ts'

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

const amountMax = 1e9
/** Decimals of amounts and percentages. */
const decimalsMax = 6

function between(path: string, value: ExactNumber, min: number, max: number): FieldProblem[] {
  const number = decimalOf(value)
  if (number.gte(min) && number.lte(max)) return []
  return [problem(path, 'OUT_OF_RANGE', `${path} must be between ${min} and ${max}.`)]
}

function decimalProblems(path: string, value: ExactNumber, max: number): FieldProblem[] {
  if ((decimalsOf(value) ?? Infinity) > decimalsMax)
    return [problem(path, 'TOO_PRECISE', `${path} must have at most ${decimalsMax} decimals.`)]
  return between(path, value, 0, max)
}

function stepProblems(step: DunningStep, index: number, before: DunningStep | undefined): FieldProblem[] {
  const path = `steps.${index}`
  const { fee } = step
  const problems = [
    ...between(`${path}.daysOverdue`, step.daysOverdue, 0, daysMax),
    ...decimalProblems(`${path}.fee.value`, fee.value, fee.type === 'PERCENT' ? 100 : amountMax),
  ]
  if (step.level !== index + 1)
    problems.push(problem(`${path}.level`, 'OUT_OF_ORDER', `${path}.level must be ${index + 1}; levels count from 1.`))
  if (before && step.daysOverdue <= before.daysOverdue) {
    const message = `${path}.daysOverdue must be above ${before.daysOverdue}, that of the level before.`
    problems.push(problem(`${path}.daysOverdue`, 'OUT_OF_ORDER', message))
  }
  if (fee.type === 'NONE' && decimalOf(fee.value).gt(0))
    problems.push(problem(`${path}.fee.value`, 'NOT_ALLOWED', `${path}.fee.value must be 0 or null for NONE.`))
  return problems
}

/** What is wrong with the settings, apart from references. */
export function settingsProblems(settings: DunningSettings): FieldProblem[] {
  const { gracePeriodDays, minimumAmount, sendTime, timezone, excludeAccountIds, steps } = settings
  const { interestRatePercent, markUncollectibleAfterDays } = settings
  const problems = [
    ...between('gracePeriodDays', gracePeriodDays, 0, daysMax),
    ...decimalProblems('minimumAmount', minimumAmount, amountMax),
    ...(timezone === null ? [] : timezoneProblems('timezone', timezone)),
    ...between('interestRatePercent', interestRatePercent, 0, 100),
    ...(markUncollectibleAfterDays === null
      ? []
      : between('markUncollectibleAfterDays', markUncollectibleAfterDays, 1, daysMax)),
  ]
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(sendTime))
    problems.push(problem('sendTime', 'NOT_A_TIME', 'sendTime must be a time such as 09:00.'))
  if (excludeAccountIds.length > excludedMax)
    problems.push(problem('excludeAccountIds', 'TOO_MANY', `excludeAccountIds must have at most ${excludedMax} items.`))
  if (steps.length < 1 || steps.length > stepsMax) {
    const code = steps.length < 1 ? 'TOO_FEW' : 'TOO_MANY'
    problems.push(problem('steps', code, `steps must have 1 to ${stepsMax} items.`))
    return problems
  }
  return [...problems, ...steps.flatMap((step, index) => stepProblems(step, index, steps[index - 1]))]
}

const unknown = (path: string): FieldProblem => {
  const what = path.endsWith('.templateId') ? 'ACTIVE email template' : 'existing record'
  return problem(path, 'UNKNOWN_REFERENCE', `${path} must be the id of an ${what} that you can see.`)
}

/** The new references that name no record. What was set before is kept, also when the record was deleted. */
export async function referenceProblems(
  ctx: RequestContext,
  next: DunningSettings,
  before: DunningSettings,
): Promise<FieldProblem[]> {
  const accounts = next.excludeAccountIds.map((id, index) => ({ path: `excludeAccountIds.${index}`, id }))
  const users = next.steps.flatMap(({ escalateToUserId: id }, index) =>
    id === null ? [] : [{ path: `steps.${index}.escalateToUserId`, id }],
  )
  const templates = next.steps.flatMap(({ templateId: id }, index) =>
    id === null ? [] : [{ path: `steps.${index}.templateId`, id }],
  )
  const inSteps = before.steps.flatMap(({ escalateToUserId, templateId }) => [escalateToUserId, templateId])
  const kept = new Set([...before.excludeAccountIds, ...inSteps])
  const problems: FieldProblem[] = []
  for (const [named, reference] of [
    [accounts, visibleAccounts],
    [users, activeUsers],
    [templates, activeTemplates],
  ] as const) {
    const changed = named.filter(({ id }) => !kept.has(id))
    const ids = [...new Set(changed.map(({ id }) => id))].filter((id) => isId(id))
    const known = ids.length > 0 ? await reference(ctx, ids) : new Set<string>()
    problems.push(...changed.filter(({ id }) => !known.has(id)).map(({ path }) => unknown(path)))
  }
  return problems
}
