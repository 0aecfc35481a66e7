import { compileFormula } from '../formula/compile.ts'
import { fieldOfColumn } from '../formula/column-field.ts'
import { relationsAt } from '../formula/paths.ts'
import type { Formula, FormulaFields, Reference } from '../formula/formula.ts'
import { FormulaError } from '../formula/problem.ts'
import { blankSql, noValueSql } from './blank-sql.ts'
import type { Column } from './column.ts'
import type { ColumnKind } from './column-kind.ts'
import {
  customField,
  customFieldName,
  customFieldsName,
  type CustomFieldDefinition,
  type FormulaDefinition,
} from './custom-field-column.ts'
import { hasColumn, type RecordShape } from './definition.ts'
import { localSql } from './local-formula.ts'
import { relatedShape, relationNamed, type FormulaRelation } from './formula-relations.ts'
import type { RollupDefinition } from './rollup/rollup-definition.ts'
import { compileRollup, kindOfRollup, sourcesOf, type Rollup } from './rollup/rollup.ts'

/** The formulas of a record type by the names of their fields; null for one that cannot be evaluated. */
type Formulas = ReadonlyMap<string, Formula | null>

/** A formula with the fields of its record type, to be compiled by `FormulaScope`. */
type FieldWithFormula = CustomFieldDefinition & Required<Pick<CustomFieldDefinition, 'formula'>>

const hasFormula = (field: CustomFieldDefinition): field is FieldWithFormula => field.formula !== undefined

/** A custom field that is a rollup. */
export type RollupField = CustomFieldDefinition & { readonly rollup: RollupDefinition }

export const isRollupField = (field: CustomFieldDefinition): field is RollupField => field.rollup !== undefined

/** Columns that change without a new version of the record, so that nothing that is stored with it can depend on them. */
const isReadable = ({ isUnversioned = false, computed = false }: Column): boolean => !isUnversioned && !computed

/** What formulas of a record type can read: its columns, and the custom fields of the organization, formulas and rollups among them. */
export class FormulaScope {
  readonly #plain: ReadonlyMap<string, Column>
  readonly #fields: ReadonlyMap<string, FieldWithFormula>
  readonly #rollups: ReadonlyMap<string, RollupField>
  readonly #compiled = new Map<string, Formula | null>()
  readonly #errors = new Map<string, FormulaError>()
  readonly #compiledRollups = new Map<string, Rollup | null>()
  #rolledUp: RecordShape | null = null
  readonly fields: FormulaFields

  constructor(
    readonly shape: RecordShape,
    private readonly custom: readonly CustomFieldDefinition[],
    private readonly scopeOf: (object: string) => FormulaScope | null = () => null,
  ) {
    const named = <T extends CustomFieldDefinition>(fields: readonly T[]) =>
      fields.map((field) => [customFieldName(field.name), field] as const)
    const plain = custom.filter((field) => !hasFormula(field) && !isRollupField(field))
    this.#plain = new Map(named(plain).map(([name, field]) => [name, customField(field)]))
    this.#fields = new Map(named(custom.filter(hasFormula)))
    this.#rollups = new Map(named(custom.filter(isRollupField)))
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
    if ([this.shape.columns.byName, this.#plain, this.#fields, this.#rollups].some((fields) => fields.has(path)))
      return [`${this.shape.object}.${path}`]
    for (const relation of relationsAt(path.split('.'))) {
      const further = this.#target(relation)?.namesIn(path.slice(relation.length + 1)) ?? []
      if (further.length > 0) return [`${this.shape.object}.${this.relation(relation)!.column.name}`, ...further]
    }
    return []
  }

  /**
   * The unique names of what a reference reads: the columns with the ids of the records that it follows, the field, and those of other records from which a rollup
   * follows.
   */
  namesOf({ relations, field }: Reference): string[] {
    const [first, ...further] = relations
    if (first === undefined) {
      const rollup = this.#rollups.has(field) ? this.rollup(field) : null
      return [`${this.shape.object}.${field}`, ...(rollup ? sourcesOf(rollup) : [])]
    }
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

  /** The rollup of a field; null for one that can no longer be evaluated. Its child may have formulas that read it, so it is compiled when its SQL is needed. */
  rollup(name: string): Rollup | null {
    let rollup = this.#compiledRollups.get(name)
    if (rollup === undefined) {
      const definition = this.#rollups.get(name)!.rollup
      const child = this.scopeOf(definition.child)?.rolledUp()
      rollup = child ? compileRollup(definition, child, this.shape.object) : null
      this.#compiledRollups.set(name, rollup)
    }
    return rollup
  }

  /** The record type with those of its custom fields that rollups of others can read. */
  rolledUp(): RecordShape {
    if (this.custom.length === 0 || !hasColumn(this.shape, customFieldsName)) return this.shape
    const columns = (): Column[] =>
      this.custom.flatMap((field) => {
        const name = customFieldName(field.name)
        if (!hasFormula(field)) return this.#plain.get(name) ?? []
        const formula = this.#formula(name)
        return formula?.isLocal ? formulaColumn(field, formula, this) : []
      })
    return (this.#rolledUp ??= { ...this.shape, columns: this.shape.columns.withCustomFields(columns()) })
  }

  #rollupField(field: RollupField) {
    const child = this.scopeOf(field.rollup.child)
    const kind = kindOfRollup(field.rollup, (name) => child?.kindOf(name) ?? null)
    const column = customField({ ...field, kind })
    const sql = (alias: string): string => this.rollup(column.name)?.sql(alias) ?? blankSql(column)
    return { ...fieldOfColumn({ ...column, sql })!, isRollup: true as const }
  }

  /** The kind of the values of a field, which is known without its formula; null if there is no such field. */
  kindOf(name: string): ColumnKind | null {
    const column = this.shape.columns.byName.get(name) ?? this.#plain.get(name)
    return column?.kind ?? this.#fields.get(name)?.kind ?? null
  }

  #field(name: string) {
    const column = this.shape.columns.byName.get(name) ?? this.#plain.get(name)
    if (column) return isReadable(column) ? fieldOfColumn(column) : null
    const rollup = this.#rollups.get(name)
    if (rollup) return this.#rollupField(rollup)
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
  return {
    ...column,
    writable: 'NEVER',
    derivedFrom: [customFieldsName, ...(formula ? ownInputs(formula) : [])],
    ...(formula &&
      !formula.isLocal && { hiddenWith: [...new Set(formula.inputs.flatMap((input) => scope.namesOf(input)))] }),
    formula,
    ...(isStored
      ? { isStored }
      : { sql: formula?.isLocal ? localSql(formula) : () => (formula ? noValueSql(column) : blankSql(column)) }),
  }
}

/** The columns of the custom fields of a record type, in their order, without rollups. */
export function customColumns(
  shape: RecordShape,
  fields: readonly CustomFieldDefinition[],
  scope: FormulaScope = new FormulaScope(shape, fields),
): Column[] {
  const custom = fields.filter((field) => !isRollupField(field))
  if (!custom.some(hasFormula)) return custom.map(customField)
  const formulas = scope.formulas()
  return custom.map((field) =>
    hasFormula(field) ? formulaColumn(field, formulas.get(customFieldName(field.name))!, scope) : customField(field),
  )
}
