import type { Caller } from '../context.ts'
import type { AnsweredRecords } from './answered-records.ts'

/** In whose name records are read: formulas over other records and the time are computed for this caller and moment. */
export interface ShapeReader {
  readonly caller: Caller
  /** The time of the operation: the same whenever it is asked for. */
  readonly startedAt: () => Date
  readonly answered: AnsweredRecords | null
}

/** The record shapes of one organization, at one version of its definitions. */
export interface OrganizationShapes {
  /** The shape of a record type with the custom fields of the organization; the given shape when there are none. Formulas over other records and the time are blank without a reader. */
  of<S extends object>(shape: S, reader?: ShapeReader): S
  /** The shape of a custom object of the organization, by its name as a record type: `custom:site_visit`. Null when there is none. */
  custom(object: string): object | null
  /** The names of the custom objects as record types, by name. */
  readonly customObjects: readonly string[]
  /** The names of the custom fields, of all record types, whose values change without a new version of their record: rollups, and formulas over other records and the time. */
  readonly unversionedKeys: ReadonlySet<string>
}

/** The shapes of all organizations. */
export interface ShapeSource {
  /** Null when the organization has no definitions of its own, or when they are not loaded. */
  shapesOf(organizationId: string): OrganizationShapes | null
  /** Loads the definitions into memory; null when the latest ones are already loaded. Called before each operation, outside of transactions. */
  load(organizationId: string): Promise<unknown> | null
}

/** A source without definitions: every organization has the built-in shapes. */
export const builtInShapes: ShapeSource = { shapesOf: () => null, load: () => null }

export interface WithShapes extends Partial<ShapeReader> {
  readonly shapes: OrganizationShapes | null
}

const isReader = (ctx: WithShapes): ctx is WithShapes & ShapeReader =>
  ctx.caller !== undefined && ctx.startedAt !== undefined

/** The shape of a record type for the organization of a request; the built-in shape when the organization defined nothing. */
export const shapeFor = <S extends object>(ctx: WithShapes, shape: S): S =>
  ctx.shapes === null ? shape : ctx.shapes.of(shape, isReader(ctx) ? ctx : undefined)
