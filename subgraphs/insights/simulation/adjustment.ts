import { textOfNumber, isExactNumber, isJsonObject } from '../../kernel/json/exact-number.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isDay } from '../../kernel/time/days.ts'
import type { AdjustmentOperation, AdjustmentTarget } from './scenario.enumerations.ts'
import type { ScenarioAdjustment } from './scenario.structures.ts'

/** The deals that an adjustment concerns. */
export interface AdjustmentScope {
  readonly stage?: string
  readonly ownerId?: string
  readonly opportunityId?: string
  readonly type?: string
}

/** An adjustment with checked values. */
export interface Adjustment {
  readonly target: AdjustmentTarget
  readonly operation: AdjustmentOperation | null
  readonly number: number
  /** The stage or the day. */
  readonly text: string
  readonly scope: AdjustmentScope
}

const dealTypes = ['NEW_BUSINESS', 'EXPANSION', 'RENEWAL', 'OTHER']
const scopeNames = ['stage', 'ownerId', 'opportunityId', 'type'] as const

const operations: Readonly<Record<AdjustmentTarget, readonly (AdjustmentOperation | null)[]>> = {
  WIN_RATE: ['MULTIPLY', 'ADD', 'SET'],
  AMOUNT: ['MULTIPLY', 'ADD', 'SET'],
  CLOSE_DATE: ['SHIFT_DAYS', 'SET'],
  STAGE: ['SET'],
  CYCLE_TIME: ['MULTIPLY'],
  NEW_PIPELINE: ['MULTIPLY', 'ADD', 'SET'],
  REMOVE_DEAL: [null],
}

/** The largest value of each kind, and the smallest. */
const bounds = {
  factor: [0, 1000],
  share: [0, 1],
  shareChange: [-1, 1],
  amount: [0, 1e12],
  amountChange: [-1e12, 1e12],
  days: [-3650, 3650],
  deals: [0, 10_000],
  dealsChange: [-10_000, 10_000],
} as const

function boundsOf(target: AdjustmentTarget, operation: AdjustmentOperation): readonly [number, number] {
  if (operation === 'MULTIPLY') return bounds.factor
  if (operation === 'SHIFT_DAYS') return bounds.days
  const isChange = operation === 'ADD'
  if (target === 'WIN_RATE') return isChange ? bounds.shareChange : bounds.share
  if (target === 'NEW_PIPELINE') return isChange ? bounds.dealsChange : bounds.deals
  return isChange ? bounds.amountChange : bounds.amount
}

const isText = ({ target, operation }: Pick<ScenarioAdjustment, 'target' | 'operation'>): boolean =>
  target === 'STAGE' || (target === 'CLOSE_DATE' && operation === 'SET')

const problem = (path: string, code: string, rule: string): FieldProblem => ({ path, code, message: `${path} ${rule}` })

function valueProblems({ target, operation, value }: ScenarioAdjustment, path: string): FieldProblem[] {
  if (operation === null) return value === null ? [] : [problem(path, 'NOT_ALLOWED', `must be null for ${target}.`)]
  if (target === 'STAGE')
    return typeof value === 'string' && value !== '' && value.length <= 63
      ? []
      : [problem(path, 'WRONG_TYPE', 'must be the API name of a stage.')]
  if (isText({ target, operation }))
    return isDay(value) && !Number.isNaN(Date.parse(value))
      ? []
      : [problem(path, 'WRONG_FORMAT', 'must be a day such as 2027-03-31.')]
  if (!isExactNumber(value)) return [problem(path, 'WRONG_TYPE', 'must be a number.')]
  const number = Number(textOfNumber(value))
  const [low, high] = boundsOf(target, operation)
  if (!(number >= low && number <= high)) return [problem(path, 'OUT_OF_RANGE', `must be between ${low} and ${high}.`)]
  return operation === 'SHIFT_DAYS' && !Number.isInteger(number)
    ? [problem(path, 'WRONG_TYPE', 'must be a whole number of days.')]
    : []
}

function scopeProblems(target: AdjustmentTarget, scope: unknown, path: string): FieldProblem[] {
  if (scope === null)
    return target === 'REMOVE_DEAL' ? [problem(path, 'REQUIRED', 'must not be null for REMOVE_DEAL.')] : []
  if (target === 'NEW_PIPELINE') return [problem(path, 'NOT_ALLOWED', 'must be null for NEW_PIPELINE.')]
  if (!isJsonObject(scope) || Array.isArray(scope)) return [problem(path, 'WRONG_TYPE', 'must be an object.')]
  if (Object.keys(scope).length === 0) return [problem(path, 'EMPTY', `must have one of ${scopeNames.join(', ')}.`)]
  return Object.entries(scope).flatMap(([name, value]) => {
    const at = `${path}.${name}`
    switch (name) {
      case 'stage':
        return typeof value === 'string' && value !== '' && value.length <= 63
          ? []
          : [problem(at, 'WRONG_TYPE', 'must be the API name of a stage.')]
      case 'ownerId':
      case 'opportunityId':
        return isId(value) ? [] : [problem(at, 'NOT_AN_ID', 'must be an id (UUID).')]
      case 'type':
        return dealTypes.includes(value as string)
          ? []
          : [problem(at, 'NOT_ALLOWED', `must be one of ${dealTypes.join(', ')}.`)]
      default:
        return [problem(at, 'UNKNOWN_FIELD', `is not known; use one of ${scopeNames.join(', ')}.`)]
    }
  })
}

/** What is wrong with an adjustment, whatever exists in the organization. */
export function adjustmentProblems(adjustment: ScenarioAdjustment, path: string): FieldProblem[] {
  const { target, operation, scope } = adjustment
  const allowed = operations[target]
  if (!allowed.includes(operation)) {
    const names = allowed.map((name) => name ?? 'null').join(', ')
    return [problem(`${path}.operation`, 'NOT_ALLOWED', `must be ${names} for ${target}.`)]
  }
  return [...valueProblems(adjustment, `${path}.value`), ...scopeProblems(target, scope, `${path}.scope`)]
}

/** The adjustment in the form in which it is applied. It has no problems. */
export function adjustmentOf({ target, operation, value, scope }: ScenarioAdjustment): Adjustment {
  const { ownerId, opportunityId, ...others } = (scope ?? {}) as AdjustmentScope
  return {
    target,
    operation,
    number: isExactNumber(value) ? Number(textOfNumber(value)) : 0,
    text: typeof value === 'string' ? value : '',
    scope: {
      ...others,
      ...(ownerId !== undefined && { ownerId: ownerId.toLowerCase() }),
      ...(opportunityId !== undefined && { opportunityId: opportunityId.toLowerCase() }),
    },
  }
}
