import type { Logger } from 'pino'
import type { Sql } from '../database/sql.ts'

/** A record with an external id that an older record of its type has as well. Both had it before external ids had to be unique. */
export interface SharedExternalId extends Record<string, unknown> {
  readonly organizationId: string
  /** The table of the record, and the name of its custom object. */
  readonly type: string
  readonly externalId: string
  readonly id: string
  /** The record that the external id belongs to; null if it is another one of these. */
  readonly firstId: string | null
}

interface RecordTable extends Record<string, unknown> {
  readonly name: string
  readonly hasObject: boolean
}

/** The tables whose records have external ids. */
const tablesOf = (database: Sql): Promise<RecordTable[]> =>
  database.query<RecordTable>(
    `select format('%I.%I', n.nspname, c.relname) as name,
       exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'release_external_id' and t.tgnargs = 1) as "hasObject"
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where a.attname = 'shares_external_id' and not a.attisdropped and c.relkind = 'r' order by 1`,
  )

/** The records of all organizations that share their external id with another one, at most `limit` of each table. */
export async function sharedExternalIds(database: Sql, limit = 1000): Promise<SharedExternalId[]> {
  const found: SharedExternalId[] = []
  for (const { name, hasObject } of await tablesOf(database)) {
    const type = hasObject ? `'${name} ' || t.object` : `'${name}'`
    const rows = await database.query<SharedExternalId>(
      `select t.organization_id as "organizationId", ${type} as type, t.external_id as "externalId", t.id, f.id as "firstId"
       from ${name} t left join ${name} f on f.organization_id = t.organization_id and f.external_id = t.external_id
         and f.deleted_at is null and not f.shares_external_id ${hasObject ? 'and f.object = t.object' : ''}
       where t.shares_external_id order by t.organization_id, t.external_id, t.created_at, t.id limit $1`,
      [limit],
    )
    found.push(...rows)
  }
  return found
}

/** Tells the operator after a migration that some records share their external ids. */
export async function warnOfSharedExternalIds(database: Sql, log: Logger): Promise<void> {
  const shared = await sharedExternalIds(database)
  if (shared.length === 0) return
  const organizations = new Set(shared.map(({ organizationId }) => organizationId)).size
  log.warn({ records: shared.length, organizations }, 'records share external ids: see operate external-ids')
}
