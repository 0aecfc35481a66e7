import { createHash } from 'node:crypto'
import type { Caller } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'

/** Where a copy is. It is no secret and gives no right: the caller reads by the own rights. */
export interface SyncCursor {
  /** The copy has what was changed up to this position in the event log of the organization, if it has the whole snapshot. */
  readonly position: number
  /** The record types of the copy: their names, or the digest of the names of all that the caller could read when the snapshot began. */
  readonly objects: readonly string[] | string
  /** What the caller saw when the snapshot began. */
  readonly rights: string
  /** How far the snapshot was read; null behind its last page. */
  readonly snapshot: SnapshotPlace | null
}

export interface SnapshotPlace {
  /** The place of the record type among those of the copy. */
  readonly index: number
  /** The cursor of its list; null at its beginning. */
  readonly cursor: string | null
}

const form = 1

export const encodeCursor = ({ position, objects, rights, snapshot }: SyncCursor): string =>
  Buffer.from(
    JSON.stringify([form, position, objects, rights, ...(snapshot ? [snapshot.index, snapshot.cursor] : [])]),
  ).toString('base64url')

/** So many names, of custom objects too, that they would not fit into a cursor. */
export const digestOf = (names: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(names)).digest('base64url').slice(0, 22)

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0

const isTypes = (value: unknown): value is string | string[] =>
  typeof value === 'string' ||
  (Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length)

function parsed(text: string): SyncCursor | null {
  let parts: unknown
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(parts)) return null
  const [version, position, objects, rights, index, cursor] = parts as unknown[]
  if (version !== form || !isCount(position) || typeof rights !== 'string' || !isTypes(objects)) return null
  const own = { position, objects, rights }
  if (parts.length === 4) return { ...own, snapshot: null }
  if (!isCount(index) || (cursor !== null && typeof cursor !== 'string')) return null
  return { ...own, snapshot: { index, cursor } }
}

/** The cursor in a text. Refuses any other text. */
export function decodeCursor(text: string): SyncCursor {
  const cursor = parsed(text)
  if (!cursor)
    throw invalid({
      path: 'cursor',
      code: 'NOT_A_CURSOR',
      message: 'cursor must be the nextCursor of a snapshot or of changes.',
    })
  return cursor
}

/** What decides which records of these types a caller sees, and which fields, besides the records themselves. */
export function rightsOf(
  { organizationId, userId, ownerIds, fields, entitlements }: Caller,
  shapes: readonly RecordShape[],
): string {
  const isOwnPrivate = shapes.some(({ privateUnless }) => privateUnless !== undefined)
  const parts = [
    organizationId,
    ownerIds?.toSorted() ?? null,
    isOwnPrivate ? userId : null,
    sorted(fields),
    entitlements.toSorted(),
  ]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 22)
}

const sorted = (fields: Caller['fields']): unknown =>
  fields &&
  Object.entries(fields)
    .map(([object, restrictions]) => [object, Object.entries(restrictions).toSorted(([a], [b]) => (a < b ? -1 : 1))])
    .toSorted(([a], [b]) => (a! < b! ? -1 : 1))
