import { isExactNumber, type ExactNumber } from '../../../kernel/json/exact-number.ts'
import { decimalOf, exactOf } from '../../../kernel/values/decimal.ts'
import { assignmentsMax, namePattern } from '../bounds.ts'
import type { FlowVariable } from '../flow-parts.ts'
import { ElementFailure, noConnectors, problemAt, settings, type ElementType } from './element-type.ts'
import { typeOf, valueOf } from './values.ts'

type Operator = 'SET' | 'ADD' | 'SUBTRACT' | 'APPEND'

interface Assignment {
  readonly variable: string
  readonly operator?: Operator
  readonly value: unknown
}

/** The value that the variable gets; undefined if it cannot have it. */
function assigned(variable: FlowVariable, current: unknown, { operator = 'SET', value }: Assignment): unknown {
  if (operator === 'SET') return valueOf(variable, value)
  if (operator === 'APPEND') {
    const added: readonly unknown[] = Array.isArray(value) ? value : [value]
    return valueOf(variable, [...((current ?? []) as readonly unknown[]), ...added])
  }
  const given = valueOf(variable, value)
  if (!isExactNumber(given)) return undefined
  const [one, other] = [decimalOf((current ?? 0) as ExactNumber), decimalOf(given)]
  return valueOf(variable, exactOf(operator === 'ADD' ? one.plus(other) : one.minus(other)))
}

const fits = ({ dataType, isCollection }: FlowVariable, operator: Operator): boolean =>
  operator === 'SET' || (operator === 'APPEND' ? isCollection : dataType === 'NUMBER' && !isCollection)

export const assignment: ElementType = {
  type: 'ASSIGNMENT',
  schema: settings(
    {
      assignments: {
        type: 'array',
        minItems: 1,
        maxItems: assignmentsMax,
        items: settings(
          {
            variable: { type: 'string', pattern: namePattern.source },
            operator: { enum: ['SET', 'ADD', 'SUBTRACT', 'APPEND'] },
            value: {},
          },
          ['variable', 'value'],
        ),
      },
    },
    ['assignments'],
  ),
  connectors: noConnectors,
  scopes: () => [],
  problems: ({ config, path, flow }) =>
    (config['assignments'] as Assignment[]).flatMap(({ variable: name, operator = 'SET' }, index) => {
      const at = `${path}.assignments.${index}`
      const variable = flow.variables.find((one) => one.name === name)
      if (!variable) return [problemAt(`${at}.variable`, 'UNKNOWN_REFERENCE', 'must be a variable of the flow')]
      const rule = 'must be SET, APPEND for a list, or ADD and SUBTRACT for a NUMBER'
      return fits(variable, operator) ? [] : [problemAt(`${at}.operator`, 'NOT_ALLOWED', rule)]
    }),
  run({ input, variables, declared }) {
    const changed: Record<string, unknown> = {}
    for (const one of input['assignments'] as Assignment[]) {
      const { variable: name } = one
      const variable = declared.find((known) => known.name === name)!
      const value = assigned(variable, Object.hasOwn(changed, name) ? changed[name] : variables[name], one)
      if (value === undefined)
        throw new ElementFailure('WRONG_TYPE', `The variable ${name} must be ${typeOf(variable)}.`)
      changed[name] = value
    }
    return { output: null, variables: changed }
  },
}
