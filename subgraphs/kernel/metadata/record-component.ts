import type { Row } from '../database/sql.ts'
import { initialValue, columnsOf, type Column } from '../record/column.ts'
import type { RecordDefinition, StoredRow } from '../record/definition.ts'
import { shownColumns } from '../record/inputs.ts'
import { isDeployedByItsApp } from '../record/managed-by.ts'
import { OrgRecord } from '../record/org-record.ts'
import { isSameValue } from '../record/same-value.ts'
import { storedStructure } from '../record/structure.ts'
import { columnSchema, type JsonSchema } from './column-schema.ts'
import type {
  ComponentPlan,
  Content,
  FilePlace,
  MetadataComponent,
  MetadataContext,
  StoredComponent,
  ValuePlace,
} from './component.ts'
import { decodedName, encodedName } from './file-name.ts'
import type { FieldProblem } from '../errors.ts'
import { FileSchema, ValueSchema } from './file-schema.ts'
import { liveRows } from './live-rows.ts'

/** A property of a file that has the value of a column. */
export interface ColumnProperty {
  /** Default: the name of the property. */
  readonly column?: string
  /** Rules of the format in addition to the bounds of the column, or in their place. */
  readonly rules?: JsonSchema
  /** The rules alone are the schema. */
  readonly isOpen?: true
  readonly description?: string
  /** It has no property of its own in the file; see `write`. */
  readonly isHidden?: true
  /** The value without the property, where it is not that of a new record. */
  readonly fallback?: unknown
  readonly toFile?: (value: unknown) => unknown
  readonly toColumn?: (value: unknown) => unknown
}

export type ColumnProperties = Readonly<Record<string, ColumnProperty>>

type Values = Readonly<Record<string, unknown>>

interface Mapped extends ColumnProperty {
  readonly name: string
  readonly of: Column
  /** Of a value whose parts the format leaves open: what the record says of them. */
  readonly parts: ValueSchema | null
}

/** Parts without a value are left out. */
function shownParts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shownParts)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null))
}

/** The value that a file without the property stands for; `x-computed-default` if a new record gets one that is computed, and another keeps its own. */
function defaultOf({ of, fallback, toFile }: Mapped): JsonSchema {
  const initial = fallback === undefined ? initialValue(of) : fallback
  if (initial === undefined && of.derivedDefault !== undefined) return { 'x-computed-default': true }
  const value = fallback === undefined && toFile ? toFile(initial) : initial
  return value === null || value === undefined || value === '' ? {} : { default: value }
}

/** What the properties of a file and the columns of a record have in common. */
export class ColumnMapping {
  readonly #mapped: readonly Mapped[]
  readonly #columns: ReadonlyMap<string, Column>

  constructor(
    private readonly entity: object,
    properties: ColumnProperties,
  ) {
    this.#columns = new Map(columnsOf(entity).map((column) => [column.name, column]))
    this.#mapped = Object.entries(properties).map(([name, property]) => {
      const of = this.#columns.get(property.column ?? name)
      if (!of) throw new Error(`There is no column for the property ${name}.`)
      const parts = of.structure ? new ValueSchema(name, columnSchema(of)) : null
      return { ...property, name, of, parts }
    })
  }

  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries(
      this.#mapped.flatMap((mapped) => {
        const { name, of, rules = {}, isOpen, isHidden, description = of.description } = mapped
        return isHidden
          ? []
          : [
              [
                name,
                {
                  ...(isOpen ? {} : columnSchema(of)),
                  ...rules,
                  ...defaultOf(mapped),
                  ...(description && { description }),
                },
              ],
            ]
      }),
    )
  }

  /** The properties of a record that have a value, in their order. */
  contentOf(row: Values): Content {
    return Object.fromEntries(
      this.#mapped.flatMap(({ name, of, toFile }) => {
        const stored = of.structure ? shownParts(row[of.name]) : row[of.name]
        const value = toFile ? toFile(stored) : stored
        return value === null || value === undefined ? [] : [[name, value]]
      }),
    )
  }

  /** What is wrong with values whose parts the schema of the file leaves open. */
  problemsOf(content: Content): FieldProblem[] {
    return this.#mapped.flatMap(({ name, parts, toColumn }) => {
      const given = content[name] ?? null
      if (!parts || given === null) return []
      return parts.problems(toColumn ? toColumn(given) : given)
    })
  }

  /** The values that the record has by its file: what the file does not say is as in a new record. */
  valuesOf(content: Content): Record<string, unknown> {
    return Object.fromEntries(
      this.#mapped.flatMap(({ name, of, fallback = null, toColumn }) => {
        const given = content[name] ?? fallback
        const value = given !== null && toColumn ? toColumn(given) : given
        const known = value ?? initialValue(of)
        if (known === undefined) return value === null && of.derivedDefault === undefined ? [[of.name, null]] : []
        return [[of.name, of.structure ? storedStructure(of, known) : known]]
      }),
    )
  }

  /** Those of the values that differ from the record. */
  changesOf(values: Values, row: Values): Record<string, unknown> {
    return Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSameValue(value, row[name])))
  }

  /** The settings of a record without a property, where they are not those of a new record. */
  omittedOf(row: Values, isKnown: (name: string) => boolean = () => false): string[] {
    const mapped = new Set(this.#mapped.map(({ of }) => of.name))
    const common = new Set(columnsOf(OrgRecord).map(({ name }) => name))
    return shownColumns(this.entity)
      .filter(
        ({ name, writable, derivedDefault, computed }) =>
          writable !== 'NEVER' && !computed && derivedDefault === undefined && !mapped.has(name) && !common.has(name),
      )
      .filter((column) => !isKnown(column.name) && !isSameValue(row[column.name], initialValue(column)))
      .map(({ name }) => name)
  }

  /** The place of a value in the file, from its path in the record. */
  placeOf = (path: string): ValuePlace => {
    const [first = '', ...others] = path.split('.')
    const property = this.#mapped.find(({ of }) => of.name === first)
    return { path: [property?.name ?? first, ...others].join('.') }
  }
}

/** How the paths of the files of a type are made: `fields/<name>.field.json`. */
export const filePaths = (folder: string, suffix: string) => ({
  pathOf: (name: string): string => `${folder}/${encodedName(name)}${suffix}`,
  placeOf: (path: string): FilePlace | null => {
    if (!path.startsWith(`${folder}/`) || !path.endsWith(suffix)) return null
    const name = decodedName(path.slice(folder.length + 1, -suffix.length))
    return name === null || name === '' ? null : { name, source: null }
  },
})

export interface RecordComponentOptions<T extends StoredRow> {
  readonly type: string
  readonly noun: string
  readonly description: string
  readonly folder: string
  readonly suffix: string
  readonly phase: number
  readonly definition: RecordDefinition<T>
  readonly properties: ColumnProperties
  /** Settings that the format leaves out on purpose, so that nothing warns of them. */
  readonly leftOut?: readonly string[]
  readonly required: readonly string[]
  readonly nameOf: (content: Content) => string
  readonly provides?: (content: Content) => readonly string[]
  readonly needs?: (content: Content) => readonly string[]
  readonly create: (ctx: MetadataContext, values: Partial<T>) => Promise<unknown>
  readonly update: (ctx: MetadataContext, id: string, values: Partial<T>, version: number) => Promise<unknown>
  readonly remove: (ctx: MetadataContext, id: string, version: number) => Promise<unknown>
  /** The content of a file from its columns, and back, where several columns are one property. */
  readonly write?: (content: Content) => Content
  readonly read?: (content: Content) => Content
  readonly warnings?: (content: Content, isNew: boolean) => readonly string[]
  /** Secrets that the component needs and does not have; `row` is null for a new one. */
  readonly missingSecrets?: (values: Partial<T>, row: T | null) => readonly string[]
}

/** A record as a component: its version refuses a change that was decided with an older one. */
interface StoredRecord<T> extends StoredComponent {
  readonly row: T & Values
}

interface ComponentRow extends StoredRow {
  readonly version: number
  readonly managedBy: string | null
}

/** A component type of which each component is one record and one file. */
export function recordComponent<T extends ComponentRow>(options: RecordComponentOptions<T>): MetadataComponent {
  const { type, noun, description, folder, suffix, phase, definition, properties, required, nameOf } = options
  const { write = (content) => content, read = (content) => content } = options
  const {
    provides = (content) => [`${type} ${nameOf(content)}`],
    needs = () => [],
    warnings = () => [],
    missingSecrets = () => [],
  } = options
  const mapping = new ColumnMapping(definition.entity, properties)
  const schema = new FileSchema({ title: noun, description, properties: mapping.schemas, required })
  const stored = (row: T & Row): StoredRecord<T> => {
    const content = write(mapping.contentOf(row))
    return {
      name: nameOf(content),
      content,
      omitted: mapping.omittedOf(row, (name) => options.leftOut?.includes(name) ?? false),
      managedBy: row.managedBy,
      row,
    }
  }
  return {
    type,
    noun,
    schema,
    nameOf,
    ...filePaths(folder, suffix),
    problemsOf: ({ content }) => mapping.problemsOf(read(content)),
    async list(ctx) {
      const rows = await liveRows(ctx, definition)
      return new Map(rows.map((row) => stored(row)).map((one) => [one.name, one]))
    },
    plan(ctx, { content }, before): ComponentPlan {
      const values = mapping.valuesOf(read(content)) as Partial<T>
      const row = (before as StoredRecord<T> | null)?.row
      const common = { missingSecrets: missingSecrets(values, row ?? null) }
      const step = { phase, provides: provides(content), needs: needs(content), placeOf: mapping.placeOf }
      if (!row)
        return {
          ...common,
          change: 'CREATED',
          steps: [{ ...step, run: (ctx) => options.create(ctx, values) }],
          warnings: warnings(content, true),
        }
      const changes = mapping.changesOf(values, row) as Partial<T>
      const run = (inner: MetadataContext) => options.update(inner, row.id, changes, row.version)
      if (Object.keys(changes).length === 0)
        return { ...common, change: 'UNCHANGED', steps: isDeployedByItsApp(ctx, row) ? [{ ...step, run }] : [] }
      return { ...common, change: 'UPDATED', steps: [{ ...step, run }], warnings: warnings(content, false) }
    },
    removal: (one) => {
      const { row, content } = one as StoredRecord<T>
      return {
        phase,
        provides: provides(content),
        needs: needs(content),
        run: (ctx) => options.remove(ctx, row.id, row.version),
      }
    },
  }
}
