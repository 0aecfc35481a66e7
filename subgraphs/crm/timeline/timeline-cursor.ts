import { invalid } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { normalizeTimestamp } from '../../kernel/record/scalars.ts'
import { timelineSource } from '../../kernel/record/timeline-source.ts'
import type { TimelineEntry } from './timeline.types.ts'

/** An entry with what orders the entries of one time. */
export interface Placed extends TimelineEntry {
  readonly entryId: string
  /** The number of the entry where its id is not its own; otherwise 0. */
  readonly entryNumber: number
}

/** The place of an entry in a timeline. */
export interface Position {
  readonly kind: string
  readonly occurredAt: string
  readonly id: string
  readonly number: number
}

export const cursorOf = ({
  kind,
  occurredAt,
  entryId,
  entryNumber,
}: Pick<Placed, 'kind' | 'occurredAt' | 'entryId' | 'entryNumber'>): string =>
  Buffer.from(JSON.stringify(['timeline', kind, occurredAt, entryId, entryNumber])).toString('base64url')

const numberMax = 2_147_483_647

/** The place that a cursor names; `path` is the name of its argument. */
export function positionOf(cursor: string, path: string): Position {
  const refused = invalid({ path, code: 'NOT_A_CURSOR', message: 'The cursor must be a value that this API returned.' })
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
  } catch {
    throw refused
  }
  if (!Array.isArray(parsed) || parsed.length !== 5) throw refused
  const [name, kind, occurredAt, id, number] = parsed as unknown[]
  const isKind = typeof kind === 'string' && timelineSource(kind) !== null
  const isTime = typeof occurredAt === 'string' && normalizeTimestamp(occurredAt) === occurredAt
  const isNumber = Number.isInteger(number) && (number as number) >= 0 && (number as number) <= numberMax
  if (name !== 'timeline' || !isKind || !isTime || !isId(id) || !isNumber) throw refused
  return { kind, occurredAt, id, number: number as number }
}
