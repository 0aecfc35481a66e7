import type { FieldProblem } from '../errors.ts'

export type FormulaProblemCode =
  | 'FORMULA_SYNTAX'
  | 'FORMULA_TYPE'
  | 'FORMULA_UNKNOWN_FIELD'
  | 'FORMULA_UNKNOWN_FUNCTION'
  | 'FORMULA_CYCLE'
  | 'FORMULA_TOO_COMPLEX'

/** A part of the text of a formula: UTF-16 code units, as editors count them. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** What is wrong with a formula, and where. */
export interface FormulaProblem {
  readonly code: FormulaProblemCode
  readonly message: string
  /** From 0, in UTF-16 code units; `length` too. */
  readonly offset: number
  readonly length: number
  /** From 1. */
  readonly line: number
  readonly column: number
  /** The formulas and rollups that read one another, from one of them back to it: `["account.a", "account.b", "account.a"]`. */
  readonly cycle?: readonly string[]
}

/** A formula that cannot be used, with its problems in the order of the text. */
export class FormulaError extends Error {
  constructor(readonly problems: readonly FormulaProblem[]) {
    super(problems[0]?.message)
    this.name = 'FormulaError'
  }
}

export function problemAt(
  text: string,
  { start, end }: Span,
  code: FormulaProblemCode,
  message: string,
): FormulaProblem {
  const before = text.slice(0, start).split(/\r\n|\r|\n/)
  return {
    code,
    message,
    offset: start,
    length: end - start,
    line: before.length,
    column: before.at(-1)!.length + 1,
  }
}

/** The problem of a formula that reads itself, as `formulaCycle` finds it. */
export const cycleProblem = (text: string, cycle: readonly string[]): FormulaProblem => ({
  ...problemAt(text, { start: 0, end: text.length }, 'FORMULA_CYCLE', `The formula reads itself: ${cycle.join(', ')}.`),
  cycle,
})

/** The problems of an answer: `path` is the input with the expression, such as `formulaConfig.expression`. */
export const fieldProblems = (path: string, problems: readonly FormulaProblem[]): FieldProblem[] =>
  problems.map((problem) => ({ path, ...problem }))
