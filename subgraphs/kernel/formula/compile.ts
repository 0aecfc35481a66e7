import { Checker } from './check.ts'
import { evaluation } from './evaluate.ts'
import { decimalsMax, rounded } from './fixed-point.ts'
import type { Form, Formula, FormulaFields, FormulaType, Node } from './formula.ts'
import { arithmetic, form } from './functions/form.ts'
import { parseFormula } from './parse.ts'
import { toJson } from './read-value.ts'
import { nodeSql } from './to-sql.ts'

/** The type of the field that a formula computes. */
export type FormulaReturnType = 'TEXT' | 'NUMBER' | 'CURRENCY' | 'DATE' | 'DATETIME' | 'CHECKBOX'

/** `ZERO`: blank numbers count as 0 in arithmetic. */
export type BlankAs = 'ZERO' | 'BLANK'

export interface FormulaOptions {
  readonly fields: FormulaFields
  readonly returnType: FormulaReturnType
  /** Of a number, 0 to 20; without it, numbers are not rounded beyond the 20 decimals that all have. */
  readonly decimals?: number
  readonly blankAs: BlankAs
}

const typeOfResult: Readonly<Record<FormulaReturnType, FormulaType>> = {
  TEXT: 'TEXT',
  NUMBER: 'NUMBER',
  CURRENCY: 'NUMBER',
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  CHECKBOX: 'BOOLEAN',
}

const call = (form: Form, ...args: readonly Node[]): Node => ({
  kind: 'call',
  type: form.gives,
  form,
  args,
  blankIsZero: false,
})

const whole = form(
  ['TEXT'],
  'TEXT',
  (text) => text,
  (text) => text,
)

const roundedTo = (decimals: number): Form =>
  arithmetic(
    ['NUMBER'],
    (value) => rounded(value, decimals),
    (value) => `trim_scale(round(${value}, ${decimals}))`,
  )

/** The result with the bounds of its type, so that it is the same where it is stored, shown or read by another formula. */
function finished(tree: Node, type: FormulaType, decimals: number): Node {
  if (type === 'NUMBER') return call(roundedTo(decimals), tree)
  return type === 'TEXT' ? call(whole, tree) : tree
}

/** Checks a formula. Throws a `FormulaError` with what is wrong and where. */
export function compileFormula(
  text: string,
  { fields, returnType, decimals = decimalsMax, blankAs }: FormulaOptions,
): Formula {
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > decimalsMax)
    throw new Error(`${decimals} decimals are not between 0 and ${decimalsMax}.`)
  const type = typeOfResult[returnType]
  const { tree: checked, ...facts } = new Checker(text, fields, blankAs === 'ZERO').check(parseFormula(text), type)
  const tree = finished(checked, type, decimals)
  const evaluate = evaluation(tree)
  return {
    type,
    tree,
    ...facts,
    evaluate: (record, moment) => toJson(type, evaluate(record, moment)),
    toSql: (place) => nodeSql(tree, place),
  }
}
