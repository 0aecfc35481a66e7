import { copierOf } from '../compiled-copy.ts'
import { columnsOf, initialValue, type Column } from './column.ts'

interface Copies {
  readonly shownOf: (record: object) => Record<string, unknown>
  readonly blank: () => Record<string, unknown>
}

/** One for each record type, because organizations with custom fields have `Columns` of their own. */
const copiesByStored = new WeakMap<readonly Column[], Copies>()

function copiesOf(stored: readonly Column[], shown: readonly Column[]): Copies {
  let copies = copiesByStored.get(stored)
  if (!copies) {
    const initial = Object.fromEntries(stored.map((column) => [column.name, Object.freeze(initialValue(column))]))
    const blankOf = copierOf(stored.map(({ name }) => name))
    copies = { shownOf: copierOf(shown.map(({ name }) => name)), blank: () => blankOf(initial) }
    copiesByStored.set(stored, copies)
  }
  return copies
}

/**
 * The columns of a record type, immutable. Columns of built-in record types come from decorated classes when their module is
 * loaded; the definitions of an organization add its custom fields (`organization-shapes.ts`).
 */
export class Columns {
  /** Columns that are part of the GraphQL schema and of events. */
  readonly shown: readonly Column[]
  /** Columns of the kind `id`. */
  readonly ids: readonly Column[]
  /** Text columns without white space around their values. */
  readonly trimmed: readonly Column[]
  /** Columns that an import may set. */
  readonly imported: readonly Column[]
  /** Columns whose values are objects with declared parts, or lists of them. */
  readonly structured: readonly Column[]
  /** All columns by name, including custom fields. */
  readonly byName: ReadonlyMap<string, Column>
  /** The defined custom fields by API name. */
  readonly customFields: ReadonlyMap<string, Column>
  /** The values of new records in custom fields for which none is given, by API name. */
  readonly customDefaults: Readonly<Record<string, unknown>>
  /** The custom fields that are formulas. */
  readonly formulas: readonly Column[]
  /** The custom fields that are rollups. Reads have their values; what is written and sent in events has not. */
  readonly rollups: readonly Column[]
  /** Whether the values of custom fields that are written are others than the given ones. */
  readonly isComputed: boolean
  /** The formulas and rollups that are computed by reads. */
  readonly computedByReads: readonly Column[]
  /** Whether the values of custom fields that are read are others than the stored ones. */
  readonly isComputedByReads: boolean
  /** Whether a formula reads other records or the time, so that its value is that of a reader. */
  readonly hasLive: boolean
  /** The values of the `shown` columns of a record. */
  readonly shownOf: (record: object) => Record<string, unknown>
  /** A new record with the initial values of all stored columns; undefined where a value is required. */
  readonly blank: () => Record<string, unknown>

  constructor(
    /** Columns of the table, in the order of their declaration. */
    readonly stored: readonly Column[],
    customFields: readonly Column[] = [],
    /** Only defined custom fields can be written. Without any definition of a record type, its keys are free. */
    readonly hasDefinedKeysOnly = false,
    /** Keys of formulas that are not in use. Nobody sees what is stored under them, because it is old, and what it was computed from may be hidden. */
    readonly droppedKeys: ReadonlySet<string> = new Set(),
  ) {
    this.formulas = customFields.filter(({ formula }) => formula !== undefined)
    this.hasLive = this.formulas.some(({ formula }) => formula?.isLocal === false)
    this.rollups = customFields.filter(({ rollup }) => rollup !== undefined)
    this.isComputed = this.formulas.length + this.rollups.length > 0 || droppedKeys.size > 0
    this.computedByReads = [...this.formulas.filter(({ isStored }) => !isStored), ...this.rollups]
    this.isComputedByReads = this.computedByReads.length > 0 || droppedKeys.size > 0
    this.shown = stored.filter((column) => !column.internal)
    this.ids = stored.filter((column) => column.kind === 'id')
    this.imported = stored.filter(({ writable }) => writable === 'ON_IMPORT')
    this.trimmed = stored.filter(({ isTrimmed }) => isTrimmed)
    this.structured = stored.filter(({ structure }) => structure)
    this.byName = new Map([...stored, ...customFields].map((column) => [column.name, column]))
    this.customFields = new Map(customFields.map((column) => [column.key!, column]))
    this.customDefaults = Object.fromEntries(
      customFields.flatMap(({ key, default: value, stored }) => (value === undefined ? [] : [[key!, stored(value)]])),
    )
    const { shownOf, blank } = copiesOf(stored, this.shown)
    this.shownOf = shownOf
    this.blank = blank
  }

  /** The columns of a decorated class, including those of its base classes. */
  static of(entity: object): Columns {
    return new Columns(columnsOf(entity))
  }

  /** With other columns for the same custom fields. */
  withOtherFields(customFields: readonly Column[]): Columns {
    return new Columns(this.stored, customFields, this.hasDefinedKeysOnly, this.droppedKeys)
  }

  withCustomFields(
    customFields: readonly Column[],
    {
      droppedKeys = new Set(),
      hasDefinedKeysOnly = true,
    }: Partial<Pick<Columns, 'droppedKeys' | 'hasDefinedKeysOnly'>> = {},
  ): Columns {
    return new Columns(this.stored, [...this.customFields.values(), ...customFields], hasDefinedKeysOnly, droppedKeys)
  }
}
