import { createHash } from 'node:crypto'
import type { Sql } from '../../kernel/database/sql.ts'

interface Reference {
  readonly organizationId: string
  readonly id: string
}

/** A body as it is stored: that of an event, or a part with members that belong to the end of the `data` of its base. */
export interface StoredBody {
  readonly id: string
  /** The body of the event. */
  readonly text: string
  /** The further members of a part, without braces; null for the body of an event. */
  readonly members: string | null
  /** The rights as which the part was read. */
  readonly rights: string | null
}

/** What is sent. The text of every body ends with its `data`. */
export const wholeText = ({ text, members }: Pick<StoredBody, 'text' | 'members'>): string =>
  members === null ? text : `${text.slice(0, -2)},${members}}}`

export const bytesOfPart = (members: string): number => Buffer.byteLength(members) + 1

/**
 * The id of a body that follows from another one. It has the time of that one, so that both are in the same partition, and otherwise the
 * digest of its content, so that the same content is stored once.
 */
export function derivedId(of: string, ...content: readonly string[]): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([of, ...content]))
    .digest('hex')
  return `${of.slice(0, 13)}-8${digest.slice(0, 3)}-a${digest.slice(3, 6)}-${digest.slice(6, 18)}`
}

const bodyKeyOf = ({ organizationId, id }: Reference): string => `${organizationId}:${id}`

interface Row extends Reference {
  readonly body: string
  readonly baseId: string | null
  readonly rights: string | null
  readonly [name: string]: unknown
}

async function readBodies(sql: Sql, wanted: readonly Reference[]): Promise<Map<string, Row>> {
  const different = [...new Map(wanted.map((each) => [bodyKeyOf(each), each])).values()]
  if (different.length === 0) return new Map()
  const rows = await sql.query<Row>(
    `select b.organization_id as "organizationId", b.id, b.body, b.base_id as "baseId", b.rights
     from unnest($1::uuid[], $2::uuid[]) wanted(organization_id, id)
     join events.delivery_body b on b.organization_id = wanted.organization_id and b.id = wanted.id`,
    [different.map(({ organizationId }) => organizationId), different.map(({ id }) => id)],
  )
  return new Map(rows.map((row) => [bodyKeyOf(row), row]))
}

/** Reads each body once that several of these share. Null for one that is no longer stored. */
export async function storedBodies(sql: Sql, wanted: readonly Reference[]): Promise<(StoredBody | null)[]> {
  const rows = await readBodies(sql, wanted)
  const baseOf = ({ organizationId, baseId }: Row): Reference[] =>
    baseId === null ? [] : [{ organizationId, id: baseId }]
  const missing = [...rows.values()].flatMap(baseOf).filter((base) => !rows.has(bodyKeyOf(base)))
  const bases = await readBodies(sql, missing)
  return wanted.map((each): StoredBody | null => {
    const row = rows.get(bodyKeyOf(each))
    if (!row) return null
    const { id, body, rights } = row
    const [base] = baseOf(row)
    if (!base) return { id, text: body, members: null, rights }
    const found = rows.get(bodyKeyOf(base)) ?? bases.get(bodyKeyOf(base))
    return found ? { id, text: found.body, members: body, rights } : null
  })
}
