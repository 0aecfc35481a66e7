import type { Origin } from '../context.ts'
import type { FieldProblem } from '../errors.ts'
import type { Sql } from '../database/sql.ts'
import type { Outcome } from '../outbound/external-calls.ts'
import type { OrganizationShapes } from '../record/shape-source.ts'

type Fields = Readonly<Record<string, unknown>>

/** The changes that rules tell apart. */
export type ExtendedOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'RESTORE'

/** The part of a record shape that extensions are found by, because the context of a request cannot import shapes. */
export interface ExtendedShape {
  readonly object: string
}

/** The rules of an organization for one record type. */
export interface RecordRules {
  /** The keys of the custom fields that the rules of the operation name. */
  fieldsOf(operation: ExtendedOperation): ReadonlySet<string>
  /** One problem for each rule that the record after the change breaks. `now` is in milliseconds. */
  problems(operation: ExtendedOperation, next: Fields, previous: Fields | null, now: number): FieldProblem[]
}

/** The changes that hooks tell apart: restoring is an update. */
export type HookOperation = Exclude<ExtendedOperation, 'RESTORE'>

/** A change that hooks decide on before it is written. */
export interface HookedChange {
  readonly operation: HookOperation
  readonly id: string
  /** The values that the caller sends. */
  readonly values: Fields
  /** With all fields, also those that are hidden from the caller. */
  readonly previous: Fields | null
  /** The record as it would be with these changes of hooks. */
  nextWith(changes: Fields): Fields
}

/** What the hooks of a record type together decide on one change. */
export type HookDecision =
  | { readonly changes: Fields }
  | { readonly rejection: { readonly hook: string; readonly message: string | null; readonly field: string | null } }
  /** A hook changed a field to a value that the field cannot have. */
  | { readonly problems: FieldProblem[] }

/** The hooks of an organization for one record type, by their position. */
export interface RecordHooks {
  /** Whether one of them decides on changes of this kind. */
  concerns(operation: HookOperation): boolean
  /**
   * Calls them one after another, each for all changes at once, in at most `msMax` milliseconds. The value of an outcome is a `HookDecision`. No
   * transaction may be open. `depth` is that of what makes the changes.
   */
  decide(
    services: object,
    changes: readonly HookedChange[],
    options: {
      readonly organizationId: string
      readonly depth: number
      /** The automation that makes the changes; null for a client. */
      readonly origin: Origin | null
      readonly msMax: number
    },
  ): Promise<readonly Outcome[]>
}

/** What an organization has added to its records and their writes: one version, immutable, with everything compiled. */
export interface Extensions {
  /** The version of the definitions of the organization, raised by every change of them. */
  readonly version: number
  /** Estimated memory in bytes. */
  readonly bytes: number
  /** The shapes of records with the custom fields of the organization; null when it has defined none. */
  readonly shapes: OrganizationShapes | null
  /** Null when the organization has none for the record type. The shape is the one of the organization. */
  rulesFor(shape: ExtendedShape): RecordRules | null
  /** Whether a record type has hooks, which are called while no transaction is open. */
  readonly hasHooks: boolean
  hooksFor(shape: ExtendedShape): RecordHooks | null
}

/** Reads the current extensions of an organization; null when it has never had any. One statement, so that they belong to one version. */
export type ExtensionReader = (sql: Sql, organizationId: string) => Promise<Extensions | null>

let reader: ExtensionReader = () => Promise.resolve(null)

/** The subgraph that owns the definitions registers how they are read. */
export function registerExtensionReader(read: ExtensionReader): void {
  reader = read
}

export const readExtensions: ExtensionReader = (sql, organizationId) => reader(sql, organizationId)
