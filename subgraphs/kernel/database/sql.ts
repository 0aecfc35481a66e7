/** One row of an answer, by the names of its columns. */
export type Row = Record<string, unknown>

/**
 * The kind of a statement. It determines the timeout, and whether a timeout is the fault of the client or of the platform.
 *
 * - `LOOKUP`: reads records by id or by another index that our code chose.
 * - `LIST`: reads a page that the client requested along an index, such as a page in the order of creation.
 * - `SCAN`: may read every row of the organization: a filter, a search, a count, figures.
 * - `WRITE`: changes rows.
 */
export type StatementKind = 'LOOKUP' | 'LIST' | 'SCAN' | 'WRITE'

/** Executes SQL: on a pool, or in one open transaction. */
export interface Sql {
  /** True inside a transaction. */
  readonly open: boolean
  /** `kind` matters on the pools that tenants share. */
  query<R = Row>(text: string, values?: readonly unknown[], kind?: StatementKind): Promise<R[]>
  /**
   * The row with this id, or null. The statement selects a column "id" and has the list of ids as its last parameter, after `values`.
   * Lookups of several operations may share one execution of it.
   */
  byId(text: string, values: readonly unknown[], id: string): Promise<Row | null>
  /** Everything in `work` commits together or not at all; inside a transaction, `work` runs in a savepoint. */
  transaction<T>(work: (sql: Sql) => Promise<T>, options?: TransactionOptions): Promise<T>
}

export interface TransactionOptions {
  /** Asked after the commit: false saves the search for new events, which follows every other commit. */
  readonly hasEvents?: () => boolean
  /**
   * The commit does not wait for the disk. If the database server crashes within a second after it, the transaction may be lost, as a whole and
   * together with all later ones that do not wait either. Only for work that is done again then. Ignored inside a transaction.
   */
  readonly mayBeLost?: boolean
}
