import { columnsOf, type Column } from './column.ts'

/**
 * The columns of a kind of record: an immutable value. Decorated classes give those of the built-in kinds when their module is
 * loaded; the definitions of an organization add its custom fields (`organization-shapes.ts`).
 */
export class Columns {
  /** Columns of the graph and of events. */
  readonly shown: readonly Column[]
  /** Always read: ids, which edges and visibility need. */
  readonly ids: readonly Column[]
  /** All of them by name, custom fields included. */
  readonly byName: ReadonlyMap<string, Column>
  /** The custom fields that are defined, by API name. */
  readonly customFields: ReadonlyMap<string, Column>

  constructor(
    /** Columns of the table, in the order of their declaration: what a write stores. */
    readonly stored: readonly Column[],
    customFields: readonly Column[] = [],
  ) {
    this.shown = stored.filter((column) => !column.internal)
    this.ids = stored.filter((column) => column.kind === 'id')
    this.byName = new Map([...stored, ...customFields].map((column) => [column.name, column]))
    this.customFields = new Map(customFields.map((column) => [column.key!, column]))
  }

  /** The columns of a decorated class and of the classes that it extends. */
  static of(entity: object): Columns {
    return new Columns(columnsOf(entity))
  }

  withCustomFields(customFields: readonly Column[]): Columns {
    return new Columns(this.stored, [...this.customFields.values(), ...customFields])
  }
}
