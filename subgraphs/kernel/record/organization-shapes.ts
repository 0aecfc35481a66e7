import type { Column } from './column.ts'
import { notFound } from '../errors.ts'
import { customFieldName, customFieldsName } from './custom-field-column.ts'
import { customObjectName } from './custom-object.ts'
import { hasColumn, type Master, type RecordShape } from './definition.ts'
import type { Contributor } from './derived/contributor.ts'
import { contributors } from './derived/contributors.ts'
import { duplicateRulesOf } from './duplicates/compiled-rules.ts'
import type { DuplicateRules } from './duplicates/duplicate-rules.ts'
import { customColumns, FormulaScopes, isRollupField } from './formula-columns.ts'
import { relatedShape } from './formula-relations.ts'
import { columnsFor, isLive } from './live-formulas.ts'
import { recordNamed } from './record-registry.ts'
import { rollupColumn } from './rollup/rollup-column.ts'
import { isMaster, lookupsByTarget, type LookupFrom } from './lookup/lookup.ts'
import type { OrganizationDefinitions } from './organization-definitions.ts'
import type { OrganizationShapes, ShapeReader } from './shape-source.ts'

const unanswered = {}

/** The last of maps inside of one another, with these keys. */
function innermost(outer: WeakMap<object, object>, keys: readonly object[]): WeakMap<object, object> {
  let map = outer
  for (const key of keys) {
    let inner = map.get(key) as WeakMap<object, object> | undefined
    if (!inner) map.set(key, (inner = new WeakMap()))
    map = inner
  }
  return map
}

/** The built-in shapes with the custom fields, and the custom objects, of one version of an organization's definitions. */
export class DefinedShapes implements OrganizationShapes {
  readonly version: number
  /** Extended shapes by built-in shape. An extended shape is also its own key, so that `of` is idempotent. */
  readonly #shapes = new WeakMap<RecordShape, RecordShape>()
  readonly #columns = new Map<string, readonly Column[]>()
  /** Extended shapes with the formulas of one reader, by the operation, its caller and what learns of the answer. */
  readonly #forReaders = new WeakMap<object, object>()
  readonly #scopes: FormulaScopes
  readonly #lookups: ReadonlyMap<string, readonly LookupFrom[]>
  #unversionedKeys: ReadonlySet<string> | null = null

  constructor(
    private readonly definitions: OrganizationDefinitions,
    private readonly contributes: readonly Contributor[] = contributors,
  ) {
    this.version = definitions.version
    const { customFields, objects = {} } = definitions
    this.#scopes = new FormulaScopes(
      (object) => (Object.hasOwn(customFields, object) ? customFields[object]! : []),
      (object) => (Object.hasOwn(objects, object) ? objects[object]! : relatedShape(object)),
    )
    this.#lookups = lookupsByTarget(definitions.customFields)
  }

  of<S extends object>(given: S, reader?: ShapeReader): S {
    const extended = this.#of(given as unknown as RecordShape)
    return (reader && extended.columns.hasLive ? this.#for(reader, extended) : extended) as unknown as S
  }

  #for(reader: ShapeReader, shape: RecordShape): RecordShape {
    const shapes = innermost(this.#forReaders, [reader.startedAt, reader.caller, reader.answered ?? unanswered])
    let own = shapes.get(shape) as RecordShape | undefined
    if (!own) {
      own = { ...shape, columns: shape.columns.withOtherFields(columnsFor(reader, shape, this.#scopes)) }
      shapes.set(shape, own)
      this.#shapes.set(own, shape)
    }
    return own
  }

  #of(shape: RecordShape): RecordShape {
    // The shape of a custom object may be that of an earlier version of the definitions.
    if (customObjectName(shape.object) === null) return this.#extended(shape)
    const current = this.custom(shape.object)
    if (!current) throw notFound('The custom object')
    return current
  }

  get customObjects(): readonly string[] {
    return Object.keys(this.definitions.objects ?? {})
  }

  get unversionedKeys(): ReadonlySet<string> {
    return (this.#unversionedKeys ??= new Set(
      Object.entries(this.definitions.customFields).flatMap(([object, fields]) => {
        const formulas = fields.some(({ formula }) => formula) ? this.#scopes.of(object)?.formulas() : undefined
        return fields
          .filter(
            (field) => isRollupField(field) || isLive({ formula: formulas?.get(customFieldName(field.name)) ?? null }),
          )
          .map(({ name }) => name)
      }),
    ))
  }

  custom(object: string): RecordShape | null {
    const { objects = {} } = this.definitions
    return Object.hasOwn(objects, object) ? this.#extended(objects[object]!) : null
  }

  #extended(shape: RecordShape): RecordShape {
    let extended = this.#shapes.get(shape)
    if (!extended) {
      extended = this.#extend(this.#withRelatedObjects(shape))
      this.#shapes.set(shape, extended)
      this.#shapes.set(extended, extended)
    }
    return extended
  }

  #withRelatedObjects(shape: RecordShape): RecordShape {
    const related = shape.visibleThroughRelated
    if (!related?.orCustomObject || this.customObjects.length === 0) return shape
    const objects = this.customObjects.map((object) => [object, () => this.custom(object)!] as const)
    return { ...shape, visibleThroughRelated: { ...related, to: { ...related.to, ...Object.fromEntries(objects) } } }
  }

  #extend(shape: RecordShape): RecordShape {
    const lookedUpBy = this.#lookups.get(shape.object)
    const withFields = this.#withFields(shape)
    const masters = this.#mastersOf(shape)
    const named = lookedUpBy ? { ...withFields, lookedUpBy } : withFields
    const visible = masters.length > 0 ? { ...named, masters, visibleBy: [] } : named
    const duplicates = this.#duplicatesIn(visible)
    const extended = duplicates ? { ...visible, duplicates } : visible
    const derived = this.contributes.flatMap((contribution) => contribution(extended, this.definitions) ?? [])
    return derived.length > 0 ? { ...extended, derived } : extended
  }

  #duplicatesIn(shape: RecordShape): DuplicateRules | null {
    const { duplicateRules = {} } = this.definitions
    return Object.hasOwn(duplicateRules, shape.object) ? duplicateRulesOf(shape, duplicateRules[shape.object]!) : null
  }

  /** The records of which those of the type are details, if they are any. */
  #mastersOf({ object }: RecordShape): Master[] {
    const { customFields } = this.definitions
    const fields = Object.hasOwn(customFields, object) ? customFields[object]! : []
    return fields.filter(isMaster).map(({ name, lookup }) => ({
      by: customFieldName(name),
      to: () => {
        const builtIn = recordNamed(lookup!.to)
        const master = builtIn ? this.#extended(builtIn) : this.custom(lookup!.to)
        if (!master) throw notFound('The custom object')
        return master
      },
    }))
  }

  /** The columns of the custom fields of a record type, rollups included. */
  #withRollups(shape: RecordShape): readonly Column[] {
    const plain = this.#plainColumns(shape)
    const fields = this.definitions.customFields[shape.object] ?? []
    if (!fields.some(isRollupField)) return plain
    const byKey = new Map(plain.map((column) => [column.key, column]))
    const scope = this.#scopes.of(shape.object)
    return fields.map((field) =>
      isRollupField(field)
        ? rollupColumn(field, scope?.rollup(customFieldName(field.name)) ?? null)
        : byKey.get(field.name)!,
    )
  }

  #plainColumns(shape: RecordShape): readonly Column[] {
    const { object } = shape
    let columns = this.#columns.get(object)
    if (!columns) {
      const scope = this.#scopes.of(object) ?? undefined
      columns = customColumns(shape, this.definitions.customFields[object] ?? [], scope)
      this.#columns.set(object, columns)
    }
    return columns
  }

  #withFields(shape: RecordShape): RecordShape {
    const { object } = shape
    const { customFields, unusedFormulas = {} } = this.definitions
    const fields = Object.hasOwn(customFields, object) ? customFields[object]! : null
    const unused = Object.hasOwn(unusedFormulas, object) ? unusedFormulas[object]! : []
    if ((!fields && unused.length === 0) || !hasColumn(shape, customFieldsName)) return shape
    const columns = this.#withRollups(shape)
    const searchable = (fields ?? [])
      .filter(({ kind, searchable }) => kind === 'text' && searchable)
      .map(({ name }) => customFieldName(name))
    return {
      ...shape,
      columns: shape.columns.withCustomFields(columns, {
        droppedKeys: new Set(unused),
        hasDefinedKeysOnly: fields !== null,
      }),
      searchable: [...shape.searchable, ...searchable],
    }
  }
}

/** Measured memory of an organization's shapes: per extended record type, per custom field, and per value of a field. */
const shapeBytes = 5_000
const fieldBytes = 1_000
const memberBytes = 100
/** Of a compiled formula, for each character of its expression. */
const formulaBytes = 100

/** Estimated memory of the shapes of these definitions. */
export const bytesOfShapes = ({ customFields, objects = {}, duplicateRules = {} }: OrganizationDefinitions): number =>
  Object.values(customFields).reduce(
    (sum, fields) => {
      const members = fields.reduce((count, { members: own = [] }) => count + own.length, 0)
      const characters = fields.reduce((length, { formula }) => length + (formula?.expression.length ?? 0), 0)
      const parts = members * memberBytes + characters * formulaBytes
      return sum + shapeBytes + fields.length * fieldBytes + parts + 2 * JSON.stringify(fields).length
    },
    (Object.keys(objects).length + Object.keys(duplicateRules).length) * shapeBytes +
      4 * JSON.stringify(duplicateRules).length,
  )
