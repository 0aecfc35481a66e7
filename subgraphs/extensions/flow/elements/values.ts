import type { FieldProblem } from '../../../kernel/errors.ts'
import { isJsonObject } from '../../../kernel/json/exact-number.ts'
import { columnKinds } from '../../../kernel/record/column-kind.ts'
import { isStorable } from '../../../kernel/record/scalars.ts'
import { itemsMax, textValueMax } from '../bounds.ts'
import type { FlowVariable } from '../flow-parts.ts'
import type { FlowDataType } from '../flow.enumerations.ts'
import { problemAt, type Values } from './element-type.ts'

const isText = (value: unknown): value is string =>
  typeof value === 'string' && isStorable(value) && value.length <= textValueMax

const parsers: Readonly<Record<FlowDataType, (value: unknown) => unknown>> = {
  TEXT: (value) => (isText(value) ? value : undefined),
  NUMBER: columnKinds.money.parse,
  BOOLEAN: (value) => (typeof value === 'boolean' ? value : undefined),
  DATE: columnKinds.date.parse,
  DATETIME: columnKinds.timestamp.parse,
  RECORD: (value) => (isJsonObject(value) ? value : undefined),
}

/** The value as the variable has it; undefined if it has another type. */
export function valueOf({ dataType, isCollection }: FlowVariable, value: unknown): unknown {
  const parse = parsers[dataType]
  if (!isCollection) return value === null ? null : parse(value)
  if (value === null) return []
  if (!Array.isArray(value) || value.length > itemsMax) return undefined
  const items = value.map((item) => parse(item))
  return items.includes(undefined) ? undefined : items
}

export const typeOf = ({ dataType, isCollection }: FlowVariable): string =>
  isCollection
    ? `a list of at most ${itemsMax} values of the type ${dataType}`
    : `null or a value of the type ${dataType}`

/** The values of all variables at the start of a flow, or what is wrong with the given ones. */
export function initialValues(
  declared: readonly FlowVariable[],
  inputs: Values,
  path: string,
): { readonly values: Values } | { readonly problems: FieldProblem[] } {
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const variable of declared) values[variable.name] = valueOf(variable, variable.defaultValue ?? null)
  const problems: FieldProblem[] = []
  for (const [name, given] of Object.entries(inputs)) {
    const at = `${path}.${name.slice(0, 64)}`
    const variable = declared.find((one) => one.name === name && one.isInput)
    if (!variable) problems.push(problemAt(at, 'UNKNOWN_FIELD', 'is not an input of the flow'))
    else {
      const value = valueOf(variable, given)
      if (value === undefined) problems.push(problemAt(at, 'WRONG_TYPE', `must be ${typeOf(variable)}`))
      else values[name] = value
    }
  }
  return problems.length > 0 ? { problems } : { values }
}
