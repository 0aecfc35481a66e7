import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'

/** Definitions of dropped indexes, in the database, so that the next run creates them again when this one is killed. */
const dropped = 'public.dropped_index'

/** Drops the indexes of the tables except primary keys: to fill a table and to index it afterwards takes a fraction of the time. */
export async function dropIndexes(sql: Sql, tables: readonly string[]): Promise<void> {
  await sql.transaction(async (transaction) => {
    await transaction.query(
      `create table ${dropped} as
       select format('%I.%I', n.nspname, c.relname) as name, pg_get_indexdef(c.oid) as definition
       from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
       where i.indrelid = any($1::text[]::regclass[])
         and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
      [tables],
    )
    for (const { name } of await transaction.query<{ name: string }>(`select name from ${dropped}`))
      await transaction.query(`drop index ${name}`)
  })
}

/** Creates the dropped indexes from their own definitions; does nothing when none is missing. */
export async function createDroppedIndexes(sql: Sql): Promise<number> {
  const [found] = await sql.query<{ exists: boolean }>(`select to_regclass('${dropped}') is not null as exists`)
  if (!found!.exists) return 0
  const indexes = await sql.query<{ name: string; definition: string }>(
    `select name, definition from ${dropped} where to_regclass(name) is null`,
  )
  for (const { definition } of indexes) await sql.query(definition)
  await sql.query(`drop table ${dropped}`)
  return indexes.length
}
