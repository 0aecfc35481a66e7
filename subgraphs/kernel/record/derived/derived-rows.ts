import type { Column } from '../column.ts'
import type { Operation, StatementValues } from '../event-types.ts'

type Fields = Readonly<Record<string, unknown>>

/** A change of one record as its statement writes it. `previous` is the version that the statement replaces, with all columns. */
export interface RecordChange {
  readonly operation: Operation
  readonly previous: Fields | null
  /** The record after the change; for a record that is removed from the table, its last values. */
  readonly next: Fields
  /** The columns of the table that change; all of them for a new record. */
  readonly changed: readonly Column[]
}

/** The statement that writes records, to which derived rows are added. */
export interface RecordStatement {
  /** The parameters of the statement. */
  readonly values: StatementValues
  /** SQL condition that the statement writes the record with this id, which is an SQL expression of the type uuid. */
  readonly isWritten: (id: string) => string
}

/**
 * What a write of records of one type adds to its statement: data-modifying SQL by name, for all changes of the statement together. So the
 * derived rows and the records are never apart, and no write can forget them. All parts of a statement see the rows as they were before it.
 */
export type DerivedRows = (
  statement: RecordStatement,
  changes: readonly RecordChange[],
) => Readonly<Record<string, string>>

/** The names and the SQL of what the changes of one statement add to it; none for a record type without definitions. */
export function derivedStatements(
  { derived }: { readonly derived?: readonly DerivedRows[] },
  statement: RecordStatement,
  changes: readonly RecordChange[],
): readonly (readonly [name: string, sql: string])[] {
  if (!derived) return []
  return derived.flatMap((rows) => Object.entries(rows(statement, changes)))
}
