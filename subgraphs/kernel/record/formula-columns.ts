import { compileFormula } from '../formula/compile.ts'
import { fieldOfColumn } from '../formula/column-field.ts'
import type { Formula, FormulaFields, Reference } from '../formula/formula.ts'
import { FormulaError, problemAt } from '../formula/problem.ts'
import type { Column } from './column.ts'
import {
  customField,
  customFieldName,
  customFieldsName,
  type CustomFieldDefinition,
  type FormulaDefinition,
} from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'

/** The formulas of a record type by the names of their fields; null for one that cannot be evaluated. */
type Formulas = ReadonlyMap<string, Formula | null>

/** A formula with the fields of its record type, to be compiled by `FormulaScope`. */
type FieldWithFormula = CustomFieldDefinition & Required<Pick<CustomFieldDefinition, 'formula'>>

const hasFormula = (field: CustomFieldDefinition): field is FieldWithFormula => field.formula !== undefined

/** Columns that change without a new version of the record, so that nothing that is stored with it can depend on them. */
const isReadable = ({ isUnversioned = false, computed = false }: Column): boolean => !isUnversioned && !computed

/** What formulas of a record type can read: its columns, and the custom fields of the organization, formulas among them. */
export class FormulaScope {
  readonly #plain: ReadonlyMap<string, Column>
  readonly #fields: ReadonlyMap<string, FieldWithFormula>
  readonly #compiled = new Map<string, Formula | null>()
  readonly #errors = new Map<string, FormulaError>()
  readonly #shape: Pick<RecordShape, 'object' | 'columns'>
  readonly fields: FormulaFields

  constructor(shape: Pick<RecordShape, 'object' | 'columns'>, custom: readonly CustomFieldDefinition[]) {
    this.#shape = shape
    const named = <T extends CustomFieldDefinition>(fields: readonly T[]) =>
      fields.map((field) => [customFieldName(field.name), field] as const)
    const plain = custom.filter((field) => !hasFormula(field) && field.rollup === undefined)
    this.#plain = new Map(named(plain).map(([name, field]) => [name, customField(field)]))
    this.#fields = new Map(named(custom.filter(hasFormula)))
    this.fields = { of: shape.object, field: (name) => this.#field(name) }
  }

  /** The formulas of all fields that have one. */
  formulas(): Formulas {
    for (const name of this.#fields.keys()) this.#formula(name)
    return this.#compiled
  }

  /** What is wrong with formulas, by the names of their fields. */
  errors(): ReadonlyMap<string, FormulaError> {
    this.formulas()
    return this.#errors
  }

  /** Compiles a formula with these fields. Throws a `FormulaError`. */
  compile({ expression, ...options }: FormulaDefinition): Formula {
    const formula = compileFormula(expression, { fields: this.fields, ...options })
    if (formula.isLocal) return formula
    const message =
      'A formula reads the fields of its record only, without TODAY(), NOW() and the day of a time, which depend on the time and the zone.'
    throw new FormulaError([problemAt(expression, { start: 0, end: expression.length }, 'FORMULA_TYPE', message)])
  }

  #field(name: string) {
    const column = this.#shape.columns.byName.get(name) ?? this.#plain.get(name)
    if (column) return isReadable(column) ? fieldOfColumn(column) : null
    const formula = this.#fields.has(name) ? this.#formula(name) : null
    const path = name.split('.')
    return (
      formula && { type: formula.type, path, sql: (alias: string) => formula.toSql({ alias: () => alias }), formula }
    )
  }

  /** A formula that reads itself, or fields that no longer exist, cannot be evaluated: it was refused when it was set up. */
  #formula(name: string): Formula | null {
    const known = this.#compiled.get(name)
    if (known !== undefined) return known
    this.#compiled.set(name, null)
    try {
      this.#compiled.set(name, this.compile(this.#fields.get(name)!.formula))
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error
      this.#errors.set(name, error)
    }
    return this.#compiled.get(name)!
  }
}

/** The names of the columns that a formula reads in its own record, also through other formulas. */
export const ownInputs = ({ inputs }: { readonly inputs: readonly Reference[] }): readonly string[] =>
  inputs.flatMap(({ relations, field }) => (relations.length === 0 ? [field] : []))

/** The column of a formula. It is read and compared by the SQL of the formula, whatever is stored under its key. */
function formulaColumn(field: CustomFieldDefinition, formula: Formula | null): Column {
  const column = customField(field)
  return {
    ...column,
    writable: 'NEVER',
    derivedFrom: [customFieldsName, ...(formula ? ownInputs(formula) : [])],
    formula,
    sql: formula ? (alias) => `(${formula.toSql({ alias: () => alias })})` : () => blankSql(column),
  }
}

const blankTypes: Partial<Record<Column['kind'], string>> = {
  money: 'numeric',
  date: 'date',
  timestamp: 'timestamptz',
}

/** SQL of no value of the kind. */
export const blankSql = ({ kind }: Pick<Column, 'kind'>): string =>
  kind === 'boolean' ? 'false' : `null::${blankTypes[kind] ?? 'text'}`

/** The columns of the custom fields of a record type, in their order, without rollups. */
export function customColumns(shape: RecordShape, fields: readonly CustomFieldDefinition[]): Column[] {
  const custom = fields.filter(({ rollup }) => rollup === undefined)
  if (!custom.some(hasFormula)) return custom.map(customField)
  const formulas = new FormulaScope(shape, custom).formulas()
  return custom.map((field) =>
    hasFormula(field) ? formulaColumn(field, formulas.get(customFieldName(field.name))!) : customField(field),
  )
}
