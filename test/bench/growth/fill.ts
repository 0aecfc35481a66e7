import { createOrganization, createUser } from '../../../subgraphs/identity/public.ts'
import { Database } from '../../../subgraphs/kernel/database/database.ts'
import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'
import type { OpenServices } from '../../../subgraphs/kernel/services.ts'
import {
  accountColumns,
  activityColumns,
  caseColumns,
  caseCommentColumns,
  contactColumns,
  orderColumns,
  leadColumns,
  opportunityColumns,
  productColumns,
  taskColumns,
  quoteColumns,
  type Columns,
} from './columns.ts'
import { createFunctions, type Filled } from './functions.ts'
import { createDroppedIndexes, dropIndexes } from './indexes.ts'

/** The organization that is measured, with a user who may do everything and signs in with the password. */
export interface GrownOrganization {
  readonly organizationId: string
  readonly email: string
  readonly password: string
}

const batch = 50_000
const members = 400
const others = 99
const password = 'Growth-bench-2026!'
const emailOf = (rows: number): string => `growth-${rows}@bench.example`

const tables: readonly (readonly [table: string, columns: Columns])[] = [
  ['crm.account', accountColumns],
  ['crm.contact', contactColumns],
  ['crm.lead', leadColumns],
  ['crm.opportunity', opportunityColumns],
  ['support."case"', caseColumns],
  ['commerce.product', productColumns],
  ['commerce.quote', quoteColumns],
  ['commerce."order"', orderColumns],
  ['support.case_comment', caseCommentColumns],
  ['crm.task', taskColumns],
  ['crm.activity', activityColumns],
]

const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(0)} s`

/** `rows` rows of each table in one organization and as many in others; reuses those of an earlier run if the database has them. */
export async function openGrownOrganization(services: OpenServices, rows: number): Promise<GrownOrganization> {
  // One connection, because its settings and temporary functions are needed throughout; without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    for (const setting of [
      'synchronous_commit = off',
      `maintenance_work_mem = '1GB'`,
      'max_parallel_maintenance_workers = 2',
    ])
      await sql.query(`set ${setting}`)
    const missing = await createDroppedIndexes(sql)
    if (missing > 0) console.log(`Created ${missing} indexes that an interrupted run had dropped.`)
    const email = emailOf(rows)
    const [found] = await sql.query<{ organizationId: string }>(
      `select organization_id as "organizationId" from identity.admin_user where email = $1`,
      [email],
    )
    const organizationId = found?.organizationId ?? (await addOrganizations(services, sql, rows))
    const vacuuming = performance.now()
    // Migrations that ran on data of an earlier run have written the tables anew.
    await vacuum(sql)
    console.log(`Vacuum and analyze: ${secondsSince(vacuuming)}.`)
    return { organizationId, email, password }
  } finally {
    await sql.close()
  }
}

async function addOrganizations(services: OpenServices, sql: Sql, rows: number): Promise<string> {
  const start = performance.now()
  const { id: main } = await createOrganization(services, { name: `Grown to ${rows} records` })
  const small: string[] = []
  for (let index = 1; index <= others; index++)
    small.push((await createOrganization(services, { name: `Small organization ${index}` })).id)
  await dropIndexes(
    sql,
    tables.map(([table]) => table),
  )
  const latest = new Date().toISOString()
  await fill(sql, { organizations: [main], users: await addMembers(sql, [main], members), rows, latest })
  await fill(sql, { organizations: small, users: await addMembers(sql, small, 1), rows, latest })
  console.log(`Filled ${tables.length} tables with ${2 * rows} rows each: ${secondsSince(start)}.`)

  const indexing = performance.now()
  const created = await createDroppedIndexes(sql)
  console.log(`Created ${created} indexes: ${secondsSince(indexing)}.`)
  // Last, because a later run takes this user as the sign that the data is complete.
  const user = { name: 'Bench User', email: emailOf(rows), password, role: 'ADMIN', visibility: 'ALL' } as const
  await createUser(services, main, user)
  return main
}

/** Updates the statistics and the visibility map of all our tables. */
async function vacuum(sql: Sql): Promise<void> {
  const own = await sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)'`,
  )
  for (const { name } of own) await sql.query(`vacuum analyze ${name}`)
}

/** Adds `each` users to every organization; returns their ids in the order of the organizations. */
async function addMembers(sql: Sql, organizations: readonly string[], each: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `with wanted as (
       select o.id as organization_id, uuidv7() as id, uuidv7() as person_id, o.place, u as number
       from unnest($1::uuid[]) with ordinality as o(id, place), generate_series(1, $2::int) as u
     ), people as (
       insert into identity.person (id, email, name, created_at, updated_at)
       select person_id, person_id || '@bench.example', 'Member ' || number, now(), now() from wanted
     ), users as (
       insert into identity.app_user (organization_id, id, person_id, role, visibility, created_at, updated_at)
       select organization_id, id, person_id, 'MEMBER', 'ALL', now(), now() from wanted
     )
     select id from wanted order by place, number`,
    [organizations, each],
  )
  return rows.map(({ id }) => id)
}

async function fill(sql: Sql, filled: Filled): Promise<void> {
  await createFunctions(sql, filled)
  // The indexes that the activity dates of accounts are read from do not exist while the tables are filled.
  const dated = ['crm.task', 'crm.activity'].flatMap((table) =>
    ['note_dates_insert', 'refresh_dates'].map((trigger) => [table, trigger]),
  )
  for (const [table, trigger] of dated) await sql.query(`alter table ${table} disable trigger ${trigger}`)
  for (const [table, columns] of tables) {
    const start = performance.now()
    const names = Object.keys(columns)
    const insert = `insert into ${table} (${names.join(', ')}) select ${names.map((name) => columns[name]).join(', ')}
      from generate_series($1::int, $2::int) as i`
    for (let done = 0; done < filled.rows; done += batch)
      await sql.query(insert, [done + 1, Math.min(done + batch, filled.rows)])
    console.log(
      `${table}: ${filled.rows} rows in ${filled.organizations.length} organizations: ${secondsSince(start)}.`,
    )
  }
  for (const [table, trigger] of dated) await sql.query(`alter table ${table} enable trigger ${trigger}`)
  await sql.query(
    `insert into kernel.record_number (organization_id, object, value) select organization, object, $2
     from unnest($1::uuid[]) as organization, unnest(array['case', 'quote', 'order']) as object`,
    [filled.organizations, Math.ceil(filled.rows / filled.organizations.length)],
  )
}
