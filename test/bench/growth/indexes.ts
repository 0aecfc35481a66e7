import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'

/** Drops the indexes of a table except those of its constraints, and returns the statements that create them again. */
export async function dropIndexes(sql: Sql, table: string): Promise<string[]> {
  const indexes = await sql.query<{ name: string; definition: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name, pg_get_indexdef(c.oid) as definition
     from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
     where i.indrelid = $1::text::regclass and not exists (select from pg_constraint k where k.conindid = i.indexrelid)`,
    [table],
  )
  for (const { name } of indexes) await sql.query(`drop index ${name}`)
  // The index of a partitioned table is created on its partitions too.
  return indexes.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}
