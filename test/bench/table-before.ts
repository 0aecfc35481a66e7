import type { Sql } from '../../subgraphs/kernel/database/sql.ts'
import { recordIndexes } from '../../subgraphs/kernel/record/record-table.ts'

/** The table of accounts with the indexes and the total that it had before lists, filters and searches of a million records were fast. */
export const tableBefore = 'bench.account'

const statements = (columns: string): readonly string[] => [
  `insert into ${tableBefore} (${columns}) select ${columns} from crm.account`,
  `alter table ${tableBefore} add primary key (organization_id, id)`,
  ...recordIndexes(tableBefore, 'account')
    .split(';')
    .filter((statement) => statement.trim() !== ''),
  `create index account_owner on ${tableBefore} (organization_id, owner_id, created_at, id) where deleted_at is null`,
  `create index account_name on ${tableBefore} (organization_id, name, id) where deleted_at is null`,
  `create index account_revenue on ${tableBefore} (organization_id, annual_revenue desc nulls last, id desc) where deleted_at is null`,
  `create index account_parent on ${tableBefore} (organization_id, parent_account_id, created_at, id) where deleted_at is null`,
  `create table bench.record_total (
     organization_id uuid not null, id bigint generated always as identity, object text not null, n bigint not null,
     primary key (organization_id, id)
   )`,
  'create index record_total_object on bench.record_total (organization_id, object) include (n)',
  `create function bench.keep_total_of_inserted() returns trigger language plpgsql as $$
   begin
     insert into bench.record_total (organization_id, object, n)
     select organization_id, 'account', count(*) from new_rows where deleted_at is null group by organization_id;
     return null;
   end $$`,
  `create trigger account_total_insert after insert on ${tableBefore} referencing new table as new_rows
     for each statement execute function bench.keep_total_of_inserted()`,
  `analyze ${tableBefore}`,
]

/** Creates the table with all accounts. */
export async function createTableBefore(database: Sql): Promise<void> {
  await database.query('drop schema if exists bench cascade')
  await database.query('create schema bench')
  await database.query(`create table ${tableBefore} (like crm.account including defaults)`)
  await database.query(`alter table ${tableBefore} drop column search_text`)
  const columns = await database.query<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = 'bench' and table_name = 'account'`,
  )
  for (const statement of statements(columns.map(({ name }) => name).join(', '))) await database.query(statement)
}
