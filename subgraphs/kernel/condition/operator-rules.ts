import type { ConditionOperator } from './condition.ts'
import type { FieldKind } from './condition-fields.ts'

/** What the value of an operator must be. */
export type OperandForm = 'NONE' | 'ONE' | 'LIST' | 'RANGE' | 'TEXT' | 'PATTERN' | 'DURATION'

/** How values of a field are compared. */
export type Comparison = 'TEXT' | 'NUMBER' | 'TIME' | 'BOOLEAN' | 'LIST' | 'JSON' | 'ANY'

const comparisons: Readonly<Record<FieldKind, Comparison>> = {
  id: 'TEXT',
  text: 'TEXT',
  enum: 'TEXT',
  integer: 'NUMBER',
  number: 'NUMBER',
  money: 'NUMBER',
  boolean: 'BOOLEAN',
  timestamp: 'TIME',
  date: 'TIME',
  textList: 'LIST',
  json: 'JSON',
  any: 'ANY',
}

export const comparisonOf = (kind: FieldKind): Comparison => comparisons[kind]

interface OperatorRule {
  readonly operand: OperandForm
  /** The comparisons for which the operator has a meaning; undefined: all. */
  readonly fits?: readonly Comparison[]
  /** The value may be another field, or a time relative to the event. */
  readonly takesReference?: boolean
}

const scalars = ['TEXT', 'NUMBER', 'TIME', 'BOOLEAN', 'ANY'] as const
const ordered = ['NUMBER', 'TIME', 'ANY'] as const
const texts = ['TEXT', 'ANY'] as const
const textsAndLists = ['TEXT', 'LIST', 'ANY'] as const
const times = ['TIME', 'ANY'] as const

const order: OperatorRule = { operand: 'ONE', fits: ordered, takesReference: true }
const equality: OperatorRule = { operand: 'ONE', fits: scalars, takesReference: true }
const list: OperatorRule = { operand: 'LIST', fits: scalars }
const time: OperatorRule = { operand: 'ONE', fits: times, takesReference: true }

export const operatorRules: Readonly<Record<ConditionOperator, OperatorRule>> = {
  EQUALS: equality,
  NOT_EQUALS: equality,
  IN: list,
  NOT_IN: list,
  CONTAINS: { operand: 'TEXT', fits: textsAndLists },
  NOT_CONTAINS: { operand: 'TEXT', fits: textsAndLists },
  STARTS_WITH: { operand: 'TEXT', fits: texts },
  ENDS_WITH: { operand: 'TEXT', fits: texts },
  MATCHES: { operand: 'PATTERN', fits: texts },
  GREATER_THAN: order,
  GREATER_OR_EQUAL: order,
  LESS_THAN: order,
  LESS_OR_EQUAL: order,
  BETWEEN: { operand: 'RANGE', fits: ordered, takesReference: true },
  IS_EMPTY: { operand: 'NONE' },
  IS_NOT_EMPTY: { operand: 'NONE' },
  BEFORE: time,
  AFTER: time,
  WITHIN_LAST: { operand: 'DURATION', fits: times },
  WITHIN_NEXT: { operand: 'DURATION', fits: times },
  CHANGED: { operand: 'NONE' },
  CHANGED_FROM: { operand: 'ONE', fits: scalars },
  CHANGED_TO: { operand: 'ONE', fits: scalars },
  INCREASED: { operand: 'NONE', fits: ordered },
  DECREASED: { operand: 'NONE', fits: ordered },
}

export const operatorsFor = (comparison: Comparison): ConditionOperator[] =>
  (Object.keys(operatorRules) as ConditionOperator[]).filter((operator) => {
    const { fits } = operatorRules[operator]
    return !fits || fits.includes(comparison)
  })
