import { compileFormula } from '../formula/compile.ts'
import { fieldOfColumn } from '../formula/column-field.ts'
import { relationsAt } from '../formula/paths.ts'
import type { Formula, FormulaFields, Reference } from '../formula/formula.ts'
import { FormulaError } from '../formula/problem.ts'
import type { Column } from './column.ts'
import {
  customField,
  customFieldName,
  customFieldsName,
  type CustomFieldDefinition,
  type FormulaDefinition,
} from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import { localSql } from './local-formula.ts'
import { relatedShape, relationNamed, type FormulaRelation } from './formula-relations.ts'

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
  readonly fields: FormulaFields

  constructor(
    readonly shape: RecordShape,
    custom: readonly CustomFieldDefinition[],
    private readonly scopeOf: (object: string) => FormulaScope | null = () => null,
  ) {
    const named = <T extends CustomFieldDefinition>(fields: readonly T[]) =>
      fields.map((field) => [customFieldName(field.name), field] as const)
    const plain = custom.filter((field) => !hasFormula(field) && field.rollup === undefined)
    this.#plain = new Map(named(plain).map(([name, field]) => [name, customField(field)]))
    this.#fields = new Map(named(custom.filter(hasFormula)))
    this.fields = {
      of: shape.object,
      field: (name) => this.#field(name),
      related: (name) => this.#target(name)?.fields ?? null,
    }
  }

  /** The relation with this name that leads to a record type with readable fields. */
  relation(name: string): FormulaRelation | null {
    return relationNamed(this.shape, name, this.#plain.get(name))
  }

  #target(name: string): FormulaScope | null {
    const relation = this.relation(name)
    return relation && this.scopeOf(relation.object)
  }

  /**
   * The unique names, `account.customFields.margin`, of what a path of a formula names: the columns with the ids of the records that it follows, and the
   * field; none if there is no such field.
   */
  namesIn(path: string): string[] {
    if (this.shape.columns.byName.has(path) || this.#plain.has(path) || this.#fields.has(path))
      return [`${this.shape.object}.${path}`]
    for (const relation of relationsAt(path.split('.'))) {
      const further = this.#target(relation)?.namesIn(path.slice(relation.length + 1)) ?? []
      if (further.length > 0) return [`${this.shape.object}.${this.relation(relation)!.column.name}`, ...further]
    }
    return []
  }

  /** The unique names of what a reference reads: the columns with the ids of the records that it follows, and the field. */
  namesOf({ relations, field }: Reference): string[] {
    const [first, ...further] = relations
    if (first === undefined) return [`${this.shape.object}.${field}`]
    const { column } = this.relation(first)!
    return [`${this.shape.object}.${column.name}`, ...this.#target(first)!.namesOf({ relations: further, field })]
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
    return compileFormula(expression, { fields: this.fields, ...options })
  }

  #field(name: string) {
    const column = this.shape.columns.byName.get(name) ?? this.#plain.get(name)
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

/** What formulas of all record types of an organization can read. */
export class FormulaScopes {
  readonly #scopes = new Map<string, FormulaScope | null>()

  constructor(
    private readonly fieldsOf: (object: string) => readonly CustomFieldDefinition[],
    private readonly shapeOf: (object: string) => RecordShape | null = relatedShape,
  ) {}

  of(object: string): FormulaScope | null {
    let scope = this.#scopes.get(object)
    if (scope === undefined) {
      const shape = this.shapeOf(object)
      scope = shape && new FormulaScope(shape, this.fieldsOf(object), (other) => this.of(other))
      this.#scopes.set(object, scope)
    }
    return scope
  }
}

/**
 * The column of a formula. Once every record has its value, it is read as any other custom field; before, by the SQL of the formula, whatever is stored
 * under its key. One that reads other records or the time is blank but for a reader.
 */
function formulaColumn(field: FieldWithFormula, formula: Formula | null, scope: FormulaScope): Column {
  const column = customField(field)
  const isStored = formula?.isLocal === true && field.formula.isStored === true
  const names = formula ? new Set(formula.inputs.flatMap((input) => scope.namesOf(input))) : []
  return {
    ...column,
    writable: 'NEVER',
    derivedFrom: [customFieldsName, ...(formula ? ownInputs(formula) : [])],
    ...(formula && !formula.isLocal && { hiddenWith: [...names] }),
    formula,
    ...(isStored
      ? { isStored }
      : { sql: formula?.isLocal ? localSql(formula) : () => (formula ? noValueSql(column) : blankSql(column)) }),
  }
}

const blankTypes: Partial<Record<Column['kind'], string>> = {
  money: 'numeric',
  date: 'date',
  timestamp: 'timestamptz',
  boolean: 'boolean',
}

/** SQL of no value of the kind. */
export const blankSql = ({ kind }: Pick<Column, 'kind'>): string =>
  kind === 'boolean' ? 'false' : noValueSql({ kind })

export const noValueSql = ({ kind }: Pick<Column, 'kind'>): string => `null::${blankTypes[kind] ?? 'text'}`

/** The columns of the custom fields of a record type, in their order, without rollups. */
export function customColumns(
  shape: RecordShape,
  fields: readonly CustomFieldDefinition[],
  scope: FormulaScope = new FormulaScope(shape, fields),
): Column[] {
  const custom = fields.filter(({ rollup }) => rollup === undefined)
  if (!custom.some(hasFormula)) return custom.map(customField)
  const formulas = scope.formulas()
  return custom.map((field) =>
    hasFormula(field) ? formulaColumn(field, formulas.get(customFieldName(field.name))!, scope) : customField(field),
  )
}
