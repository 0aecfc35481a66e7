import { columnsOf, type Column } from './column.ts'

/**
 * The columns of a record type, immutable. Columns of built-in record types come from decorated classes when their module is
 * loaded; the definitions of an organization add its custom fields (`organization-shapes.ts`).
 */
export class Columns {
  /** Columns that are part of the GraphQL schema and of events. */
  readonly shown: readonly Column[]
  /** Columns of the kind `id`. */
  readonly ids: readonly Column[]
  /** Columns whose values are objects with declared parts, or lists of them. */
  readonly structured: readonly Column[]
  /** All columns by name, including custom fields. */
  readonly byName: ReadonlyMap<string, Column>
  /** The defined custom fields by API name. */
  readonly customFields: ReadonlyMap<string, Column>

  constructor(
    /** Columns of the table, in the order of their declaration. */
    readonly stored: readonly Column[],
    customFields: readonly Column[] = [],
  ) {
    this.shown = stored.filter((column) => !column.internal)
    this.ids = stored.filter((column) => column.kind === 'id')
    this.structured = stored.filter(({ structure }) => structure)
    this.byName = new Map([...stored, ...customFields].map((column) => [column.name, column]))
    this.customFields = new Map(customFields.map((column) => [column.key!, column]))
  }

  /** The columns of a decorated class, including those of its base classes. */
  static of(entity: object): Columns {
    return new Columns(columnsOf(entity))
  }

  withCustomFields(customFields: readonly Column[]): Columns {
    return new Columns(this.stored, [...this.customFields.values(), ...customFields])
  }
}
