import type { Form, FormulaType, ValueOf } from '../formula.ts'

type Types = readonly FormulaType[]
type Values<T extends Types> = { [I in keyof T]: ValueOf[T[I]] }
type BlankableValues<T extends Types> = { [I in keyof T]: ValueOf[T[I]] | null }
type Texts<T extends Types> = { [I in keyof T]: string }
type Options = Pick<Form, 'isArithmetic' | 'isChoice'>

/** The forms of a function or operator, by its name. */
export type FunctionTable = Readonly<Record<string, readonly Form[]>>

/** A form that is blank, or false, when an argument is blank. */
export const form = <const T extends Types, G extends FormulaType>(
  takes: T,
  gives: G,
  js: (...args: Values<T>) => ValueOf[G] | null,
  sql: (...args: Texts<T>) => string,
  options: Options = {},
): Form => ({ takes, gives, js: js as unknown as Form['js'], sql: sql as Form['sql'], ...options })

/** A form of numbers: blank ones are 0 in a formula with `blankAs: ZERO`. */
export const arithmetic = <const T extends readonly 'NUMBER'[]>(
  takes: T,
  js: (...args: Values<T>) => bigint | null,
  sql: (...args: Texts<T>) => string,
): Form => form(takes, 'NUMBER', js, sql, { isArithmetic: true })

/** A form that says itself what a blank argument means. */
export const blankForm = <const T extends Types, G extends FormulaType>(
  takes: T,
  gives: G,
  js: (...args: BlankableValues<T>) => ValueOf[G] | null,
  sql: (...args: Texts<T>) => string,
  options: Options = {},
): Form => ({ takes, gives, takesBlank: true, js: js as unknown as Form['js'], sql: sql as Form['sql'], ...options })

/** The form with arguments that may occur again: `count` at a time, from the argument with the index `from`. */
export const repeated = (form: Form, from: number, count: number): Form => ({ ...form, repeats: [from, count] })

export const scalars = ['NUMBER', 'TEXT', 'DATE', 'DATETIME', 'BOOLEAN'] as const
export const ordered = ['NUMBER', 'TEXT', 'DATE', 'DATETIME'] as const
