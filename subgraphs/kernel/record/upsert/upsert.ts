import { invalid, notFound, Refusal, type FieldProblem } from '../../errors.ts'
import type { RequestContext } from '../../request.ts'
import { withArticle } from '../article.ts'
import { changedNames } from '../changed-names.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import { nameOf } from '../describe.ts'
import { isRequired, writableColumns } from '../inputs.ts'
import { normalized, type Fields } from '../next-record.ts'
import { versionConflict } from '../prepare-change.ts'
import { requireRecord } from '../read.ts'
import type { Records } from '../records-of.ts'
import { requireRight, requireWritableRole } from '../save.ts'
import { shapeFor } from '../shape-source.ts'
import { givenKey, keyFieldOf, keyValueOf, withKey, withoutKey, type KeyField } from './key-field.ts'
import { matchKeys } from './match-keys.ts'

/** What names a record by the value of a field. */
export interface Key {
  /** `externalId`, or the name of a unique custom field. */
  readonly field: string
  readonly value: unknown
}

export interface UpsertOptions {
  /** Refuse with 404 unless the record exists, and with VERSION_CONFLICT unless it has this version. */
  readonly expectedVersion?: number | null | undefined
  /** Refuse with PRECONDITION_FAILED if the record exists. */
  readonly onlyCreate?: boolean | null | undefined
  /** The input that has the value of the key, for refusals. */
  readonly path?: string
  /** The records with this key, if they are known. */
  readonly matches?: readonly string[] | undefined
}

export interface Upserted<T> {
  readonly record: T
  readonly isCreated: boolean
}

/** Each is one more change of another client in the moment between two statements. */
const attemptsMax = 5

/** The one of the matching records; null if there is none. */
function onlyOf(definition: RecordShape, { name }: KeyField, ids: readonly string[], path: string): string | null {
  if (ids.length < 2) return ids[0] ?? null
  const message = `Several records of the type ${definition.object} have this ${name}.`
  throw new Refusal('AMBIGUOUS_MATCH', message, {
    errors: [{ path, code: 'AMBIGUOUS', message, conflictingIds: ids }],
  })
}

/** The id of the record with this key; 404 if the caller sees none. */
export async function requireIdOfKey(
  ctx: RequestContext,
  builtIn: RecordShape,
  { field, value }: Key,
): Promise<string> {
  const definition = shapeFor(ctx, builtIn)
  const key = keyFieldOf(ctx, definition, field)
  const text = keyValueOf(key, value, 'value')
  const [ids] = typeof text === 'string' ? await matchKeys(ctx, definition, key, [text]) : []
  const id = onlyOf(definition, key, ids ?? [], 'value')
  if (id === null) throw notFound(`The ${nameOf(definition)}`)
  return id
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalid(...problems)
}

/** Refuses an input with another value in the key field than the one by which the record is found. */
function refuseOtherKey(key: KeyField, input: object, text: string): void {
  const given = givenKey(key, input)
  if (given === undefined || keyValueOf(key, given, key.name) === text) return
  const message = `${key.name} must be the value by which the record is found, or absent.`
  refuse([{ path: key.name, code: 'DIFFERENT_KEY', message }])
}

/** Refuses to create a record without what a new one must have. */
function refuseIncomplete(definition: RecordShape, input: Readonly<Fields>): void {
  const one = withArticle(nameOf(definition))
  const missing = writableColumns(definition.entity, 'CREATE').filter(
    (column) => isRequired(column) && input[column.name] === undefined,
  )
  refuse(
    missing.map(({ name }) => ({
      path: name,
      code: 'REQUIRED',
      message: `${name} is required, because ${one} with this key does not exist yet.`,
    })),
  )
}

/** The values of a change. What only a new record can be given must be as it is. */
async function changeOf<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  id: string,
  input: Readonly<Fields>,
  expectedVersion: number | null,
): Promise<object> {
  const fixed = writableColumns(definition.entity, 'IMPORT').filter(
    ({ name, writable = 'ALWAYS' }) => writable !== 'ALWAYS' && input[name] !== undefined,
  )
  if (fixed.length === 0) return input
  const previous = (await requireRecord(ctx, definition, id)) as T & Fields
  if (expectedVersion !== null && previous['version'] !== expectedVersion) throw versionConflict(definition, previous)
  const given = normalized(definition, Object.fromEntries(fixed.map(({ name }) => [name, input[name]])))
  refuse(
    changedNames<Fields>(definition, previous, given).map((name) => ({
      path: name,
      code: 'READ_ONLY',
      message: `${name} cannot be changed; send it as it is, or leave it out.`,
    })),
  )
  const names = new Set(fixed.map(({ name }) => name))
  return Object.fromEntries(Object.entries(input).filter(([name]) => !names.has(name)))
}

/** The id of the record that the caller sees and that has this key meanwhile, so that a create was refused; null if it was refused otherwise. */
export function takenMeanwhile(error: unknown, { name }: KeyField): string | null {
  if (!(error instanceof Refusal) || error.code !== 'UNIQUE_VIOLATION') return null
  const problems = (error.extensions['errors'] ?? []) as FieldProblem[]
  const id = problems.find(({ path }) => path === name)?.['conflictingId']
  return typeof id === 'string' ? id : null
}

function existing({ object }: RecordShape, { name }: KeyField, id: string, path: string): Refusal {
  const message = `A record of the type ${object} with this ${name} exists already.`
  return new Refusal('PRECONDITION_FAILED', message, {
    errors: [{ path, code: 'NOT_UNIQUE', message, conflictingId: id }],
  })
}

/**
 * Changes the record with this key, or creates it, by `update` or `create` of the record type: with its rules, hooks and events. A unique index decides
 * between two that create it at the same time, and the other one then changes what the first has created; so nothing is locked while hooks are called. A
 * record that the caller does not see keeps its key: 409 without its id.
 */
export async function upsert<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  records: Pick<Records<T>, 'create' | 'update'>,
  { field, value }: Key,
  input: object,
  { expectedVersion = null, onlyCreate = false, path = 'value', matches }: UpsertOptions = {},
): Promise<Upserted<T>> {
  requireWritableRole(ctx)
  const definition = shapeFor(ctx, builtIn)
  const key = keyFieldOf(ctx, definition, field)
  const values = withoutKey(key, input)
  // What only a new record can be given may be sent as it is. Its right is that of the create.
  const fixed = new Set(definition.columns.imported.map(({ name }) => name))
  requireRight(ctx, definition, Object.fromEntries(Object.entries(values).filter(([name]) => !fixed.has(name))))
  const text = keyValueOf(key, value, path)
  if (typeof text !== 'string') throw invalid(text)
  refuseOtherKey(key, input, text)
  for (let attempt = 1; ; attempt++) {
    const ids = (attempt === 1 && matches) || (await matchKeys(ctx, definition, key, [text]))[0]!
    const id = onlyOf(definition, key, ids, path)
    try {
      if (id === null) {
        if (expectedVersion !== null) throw notFound(`The ${nameOf(definition)}`)
        refuseIncomplete(definition, values)
        return { record: await records.create(ctx, withKey(key, values, text)), isCreated: true }
      }
      if (onlyCreate) throw existing(definition, key, id, path)
      const change = await changeOf(ctx, definition, id, values, expectedVersion)
      return { record: await records.update(ctx, id, change, expectedVersion), isCreated: false }
    } catch (error) {
      if (!(error instanceof Refusal) || attempt === attemptsMax) throw error
      const isGone = id !== null && expectedVersion === null && error.code === 'NOT_FOUND'
      if (!isGone && !(id === null && takenMeanwhile(error, key) !== null)) throw error
    }
  }
}
