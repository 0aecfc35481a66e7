import { isOneValue } from './operators.ts'

export type FilterInput = { readonly [field: string]: unknown }

/** Whether an operator has an operand. */
export const hasOperand = (value: unknown): boolean =>
  Object.values(value as FilterInput).some((operand) => operand !== undefined && operand !== null)

const rangeOperators: ReadonlySet<string> = new Set(['gt', 'gte', 'lt', 'lte'])

const operatorNames = (value: unknown): string[] =>
  Object.entries(value as FilterInput).flatMap(([name, operand]) =>
    operand !== undefined && operand !== null ? [name] : [],
  )

const combinations: ReadonlySet<string> = new Set(['and', 'or', 'not'])

/** Null if the filter has nothing but operators without a value, as the stored documents of REST have for parameters that a request lacks. */
export function withoutUnused(filter: FilterInput | null): FilterInput | null {
  const isUsed = ([name, value]: [string, unknown]): boolean =>
    value !== null && value !== undefined && (combinations.has(name) || typeof value !== 'object' || hasOperand(value))
  return filter && Object.entries(filter).some(isUsed) ? filter : null
}

/** A filter with another condition. The paths in the filter stay as they are. */
export const withCondition = (filter: FilterInput | null, condition: FilterInput): FilterInput =>
  filter ? { ...filter, and: [...((filter['and'] ?? []) as FilterInput[]), condition] } : condition

/** Whether the only operator compares with one value. */
export function isEquality(value: unknown): boolean {
  const [name, ...others] = operatorNames(value)
  return name !== undefined && others.length === 0 && isOneValue(name, (value as FilterInput)[name])
}

/** Whether all operators limit a range of values. */
export const isRange = (value: unknown): boolean => operatorNames(value).every((name) => rangeOperators.has(name))

/** Whether the filter names the ids of the records. */
export const namesIds = (filter: FilterInput): boolean =>
  Object.entries((filter['id'] ?? {}) as FilterInput).some(
    ([operator, operand]) => ['eq', 'in'].includes(operator) && Boolean(operand),
  )
