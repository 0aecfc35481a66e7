import { createOrganization, createUser } from '../../../subgraphs/identity/public.ts'
import { Database } from '../../../subgraphs/kernel/database/database.ts'
import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'
import type { OpenServices } from '../../../subgraphs/kernel/services.ts'
import type { Columns } from './column-values.ts'
import * as records from './columns.ts'
import * as outreach from './outreach-columns.ts'
import { mergeTotals } from '../../../subgraphs/kernel/record/maintained-totals.ts'
import { createFunctions } from './functions.ts'
import { dropIndexes } from './indexes.ts'
import { recordTypes } from './samples.ts'

/** The organization that is measured, with a user who may do everything and signs in with the password. */
export interface GrownOrganization {
  readonly organizationId: string
  readonly email: string
  readonly password: string
}

const batch = 50_000
const members = 400
const otherOrganizations = 99
const password = 'Growth-bench-2026!'
const emailOf = (rows: number): string => `growth-${rows}@bench.example`

/** Tables with their columns, and the number of their rows where it is not that of the other tables. */
const tables: readonly (readonly [table: string, columns: Columns, rows?: number])[] = [
  ['crm.account', records.accountColumns],
  ['support."case"', records.caseColumns],
  ['commerce.product', records.productColumns],
  ['support.case_comment', records.caseCommentColumns],
  ['crm.contact', records.contactColumns],
  ['crm.lead', records.leadColumns],
  ['crm.opportunity', records.opportunityColumns],
  ['commerce.quote', records.quoteColumns],
  ['commerce."order"', records.orderColumns],
  ['crm.task', records.taskColumns],
  ['crm.activity', records.activityColumns],
  ['outreach.email_template', outreach.templateColumns],
  ['outreach.email_thread', outreach.threadColumns],
  ['outreach.email_message', outreach.messageColumns],
  ['outreach.suppressed_address', outreach.suppressionColumns],
  ['outreach.mailbox', outreach.mailboxColumns, outreach.fewRecords.mailbox],
  ['events.notification', outreach.notificationColumns],
  ['events.webhook', outreach.webhookColumns, outreach.fewRecords.webhook],
  ['events.delivery', outreach.deliveryColumns],
  ['outreach.sequence', outreach.sequenceColumns, outreach.fewRecords.sequence],
  ['outreach.sequence_enrollment', outreach.enrollmentColumns],
  ['outreach.reply_draft', outreach.replyDraftColumns],
  ['outreach.smart_email_draft', outreach.smartDraftColumns],
  ['commerce.invoice', records.invoiceColumns],
  ['commerce.payment', records.paymentColumns],
]
const datesOf: ReadonlySet<string> = new Set(['crm.task', 'crm.activity'])

const nameOf = (table: string): string => table.replaceAll('"', '').split('.')[1]!

const secondsSince = (start: number): string => `${((performance.now() - start) / 1000).toFixed(0)} s`

/** What is filled, in the database, so that a later run adds only the tables that are missing. */
const state = 'public.grown'

interface Grown {
  readonly id: string
  readonly small: readonly string[]
  /** The user who is measured. */
  readonly reader: string
  readonly members: readonly string[]
  readonly smallMembers: readonly string[]
  readonly latest: string
  /** Names of the filled tables. */
  readonly filled: readonly string[]
}

export interface FillOptions {
  /** Number of rows of each table in the organization that is measured. */
  readonly rows: number
  /** Number of rows of each table in the other organizations together. */
  readonly others: number
  /** Names of the tables that are filled; empty for all. */
  readonly only: readonly string[]
}

/** The organization with its rows; those of an earlier run stay. */
export async function openGrownOrganization(services: OpenServices, options: FillOptions): Promise<GrownOrganization> {
  const { rows, only } = options
  // One connection, because its settings and temporary functions are needed throughout; without a statement timeout.
  const sql = new Database({ url: services.databaseUrl, connectionsMax: 1, statementTimeoutMs: 0 })
  try {
    for (const setting of [
      'synchronous_commit = off',
      `maintenance_work_mem = '1GB'`,
      'max_parallel_maintenance_workers = 2',
    ])
      await sql.query(`set ${setting}`)
    const grown = (await findGrown(sql, rows)) ?? (await addOrganizations(services, sql, rows))
    for (const [table, columns, few = Infinity] of tables) {
      const isWanted = only.length === 0 || only.includes(nameOf(table))
      const count = { rows: Math.min(rows, few), others: Math.min(options.others, few) }
      if (isWanted && !grown.filled.includes(table)) await fill(sql, grown, { table, columns, ...count })
    }
    await mergeTotals(sql, [...recordTypes.values()])
    const vacuuming = performance.now()
    // Migrations that ran on data of an earlier run have written the tables anew.
    await vacuum(sql)
    console.log(`Vacuum and analyze: ${secondsSince(vacuuming)}.`)
    return { organizationId: grown.id, email: emailOf(rows), password }
  } finally {
    await sql.close()
  }
}

/** A member of the middle of the organization, who owns about as many records as most, with the password of the reader. */
export async function readerOf(
  { database }: Pick<OpenServices, 'database'>,
  grown: GrownOrganization,
  visibility: 'OWN' | 'TEAM',
): Promise<GrownOrganization> {
  const { organizationId } = grown
  const email = `${visibility.toLowerCase()}-${grown.email}`
  await database.transaction(async (sql) => {
    const [found] = await sql.query('select from identity.person where email = $1', [email])
    if (found) return
    const [state] = await sql.query<{ members: string[] }>('select members from public.grown where id = $1', [
      organizationId,
    ])
    const team = state!.members.slice(visibility === 'OWN' ? 100 : 150).slice(0, 20)
    await sql.query(
      `with reader as (
         update identity.app_user set visibility = $3 where organization_id = $1 and id = $2 returning person_id
       ) update identity.person p set email = $4, password_hash = r.password_hash, email_verified_at = now()
       from reader, identity.person r where p.id = reader.person_id and r.email = $5`,
      [organizationId, team[0], visibility, email, grown.email],
    )
    await sql.query(
      `with added as (
         insert into identity.team (organization_id, id, name, created_at, updated_at)
         values ($1, gen_random_uuid(), $2, now(), now()) returning id
       ) insert into identity.team_member (organization_id, team_id, user_id) select $1, added.id, u from added, unnest($3::uuid[]) u`,
      [organizationId, email, team],
    )
  })
  return { ...grown, email }
}

async function findGrown(sql: Sql, rows: number): Promise<Grown | null> {
  await sql.query(
    `create table if not exists ${state} (rows int primary key, id uuid not null, small uuid[] not null, members uuid[] not null,
       small_members uuid[] not null, latest timestamptz not null, filled text[] not null default '{}')`,
  )
  const [found] = await sql.query<Grown>(
    `select id, small, members, (select u.id from identity.admin_user u where u.email = $2) as reader, small_members as "smallMembers",
       to_char(latest at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as latest, filled
     from ${state} where rows = $1`,
    [rows, emailOf(rows)],
  )
  return found ?? null
}

async function addOrganizations(services: OpenServices, sql: Sql, rows: number): Promise<Grown> {
  const { id: main } = await createOrganization(services, { name: `Grown to ${rows} records` })
  const small: string[] = []
  for (let index = 1; index <= otherOrganizations; index++)
    small.push((await createOrganization(services, { name: `Small organization ${index}` })).id)
  const user = { name: 'Bench User', email: emailOf(rows), password, role: 'ADMIN', visibility: 'ALL' } as const
  await createUser(services, main, user)
  await sql.query(
    `insert into kernel.record_number (organization_id, object, value) select organization, object, $3
     from unnest($1::uuid[] || $2::uuid) as organization, unnest(array['case', 'quote', 'order', 'invoice']) as object`,
    [small, main, rows],
  )
  await sql.query(
    `insert into ${state} (rows, id, small, members, small_members, latest) values ($1, $2, $3, $4, $5, $6)`,
    [
      rows,
      main,
      small,
      await addMembers(sql, [main], members),
      await addMembers(sql, small, 1),
      new Date().toISOString(),
    ],
  )
  return (await findGrown(sql, rows))!
}

/** Updates the statistics and the visibility map of all our tables, and removes the differences that were merged in the totals. */
async function vacuum(sql: Sql): Promise<void> {
  const own = await sql.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname !~ '^(pg_|information_schema)'`,
  )
  for (const { name } of own) await sql.query(`vacuum (analyze${name.endsWith('_totals') ? ', full' : ''}) ${name}`)
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

interface FilledTable extends Omit<FillOptions, 'only'> {
  readonly table: string
  readonly columns: Columns
}

/**
 * Fills one table in one transaction, so that a run that is killed leaves nothing behind. The indexes are created anew afterwards,
 * which takes a fraction of the time; the triggers stay, so that totals are exact.
 */
async function fill(database: Sql, grown: Grown, { table, columns, rows, others }: FilledTable): Promise<void> {
  const start = performance.now()
  await database.transaction(async (sql) => {
    const indexes = await dropIndexes(sql, table)
    // The indexes that the activity dates of accounts are read from do not exist while the table is filled.
    const paused = datesOf.has(table) ? ['note_dates_insert', 'refresh_dates'] : []
    for (const trigger of paused) await sql.query(`alter table ${table} disable trigger ${trigger}`)
    const names = Object.keys(columns)
    const insert = `insert into ${table} (${names.join(', ')}) select ${names.map((name) => columns[name]).join(', ')}
      from generate_series($1::int, $2::int) as i`
    const { id, small, reader, members, smallMembers, latest } = grown
    for (const [organizations, users, count] of [
      [[id], members, rows],
      [small, smallMembers, others],
    ] as const) {
      const isSmall = organizations === small
      await createFunctions(sql, { organizations, users, reader: isSmall ? null : reader, rows: count, latest })
      for (let done = 0; done < count; done += batch) await sql.query(insert, [done + 1, Math.min(done + batch, count)])
    }
    for (const trigger of paused) await sql.query(`alter table ${table} enable trigger ${trigger}`)
    const filling = secondsSince(start)
    for (const definition of indexes) await sql.query(definition)
    await sql.query(`update ${state} set filled = filled || $2::text where id = $1`, [id, table])
    console.log(
      `${table}: ${rows} and ${others} rows in ${filling}, with ${indexes.length} indexes in ${secondsSince(start)}.`,
    )
  })
}
