import type { FieldProblem } from '../errors.ts'
import type { Sql } from '../database/sql.ts'

type Fields = Readonly<Record<string, unknown>>

/** The changes that rules tell apart. */
export type ExtendedOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE'

/** The part of a record shape that extensions are found by, because the context of a request cannot import shapes. */
export interface ExtendedShape {
  readonly object: string
}

/** The rules of an organization for one record type. */
export interface RecordRules {
  /** One problem for each rule that the record after the change breaks. `now` is in milliseconds. */
  problems(operation: ExtendedOperation, next: Fields, previous: Fields | null, now: number): FieldProblem[]
}

/** What an organization has added to the writes of its records: one version, immutable, with everything compiled. */
export interface Extensions {
  /** The version of the definitions of the organization, raised by every change of them. */
  readonly version: number
  /** Estimated memory in bytes. */
  readonly bytes: number
  /** Null when the organization has none for the record type. The shape is the one of the organization. */
  rulesFor(shape: ExtendedShape): RecordRules | null
}

/** Reads the current extensions of an organization; null when it has never had any. One statement, so that they belong to one version. */
export type ExtensionReader = (sql: Sql, organizationId: string) => Promise<Extensions | null>

let reader: ExtensionReader = () => Promise.resolve(null)

/** The subgraph that owns the definitions registers how they are read. */
export function registerExtensionReader(read: ExtensionReader): void {
  reader = read
}

export const readExtensions: ExtensionReader = (sql, organizationId) => reader(sql, organizationId)
