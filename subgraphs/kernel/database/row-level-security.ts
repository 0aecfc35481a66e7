import { ConfigError } from '../config/config.ts'
import type { Sql } from './sql.ts'
import { tenantRole } from './tenant-role.ts'
import { tenantView } from './tenant-view.ts'

/** Tables with an `organization_id` that requests must not use: only the vault reads the data keys. */
const platformTables = ['kernel.data_key']

/** Tables that lists read through `tenantView` although they have no custom fields. */
const listedTables = ['kernel.record_value', 'kernel.rollup', 'kernel.rollup_delta']

/**
 * Enables row-level security, as a second line of defence behind the tenant predicates of our own SQL. Requests use the role
 * `crm_app`, which owns no table and cannot bypass row-level security. In a table with an `organization_id` the role reads and
 * writes only rows of the organization in the setting `app.organization_id`, and no rows when the setting is missing. Access to
 * other tables must be granted by a migration. Runs after the migrations, so that it covers the tables that they add.
 */
export async function enableRowLevelSecurity(sql: Sql): Promise<void> {
  const tables = await tenantTables(sql)
  for (const schema of new Set(tables.map((table) => table.schema))) {
    await sql.query(`grant usage on schema ${schema} to ${tenantRole}`)
  }
  for (const { name, isPlatformTable } of tables) {
    await enablePolicy(sql, name)
    if (!isPlatformTable) await sql.query(`grant select, insert, update, delete on ${name} to ${tenantRole}`)
  }
  for (const { name } of await tenantViews(sql)) await sql.query(`grant select on ${name} to ${tenantRole}`)
  await sql.query('create schema if not exists tenant')
  await sql.query(`grant usage on schema tenant to ${tenantRole}`)
  for (const { name } of tables.filter(({ hasView }) => hasView)) await createTenantView(sql, name)
}

/**
 * Creates the tenant's view of a table. It reads with the rights of its owner, so the policy of the table does not apply, and has the
 * same condition itself. It is no `security_barrier`: our own SQL is the only SQL that reads it, so no operator of a client can see a row
 * before that condition removes it, and PostgreSQL may use every index.
 */
async function createTenantView(sql: Sql, table: string): Promise<void> {
  const view = tenantView(table)
  const create = `create view ${view} as select * from ${table} where organization_id = kernel.current_organization()`
  // One statement, so that other processes never miss the view.
  await sql.query(
    `do $do$ begin drop view if exists ${view}; ${create}; grant select on ${view} to ${tenantRole}; end $do$`,
  )
}

/** False when a start was killed between its migrations and `enableRowLevelSecurity`, or when the role is missing. */
export async function isRowLevelSecurityComplete(sql: Sql): Promise<boolean> {
  const tables = await tenantTables(sql)
  const found = [...tables, ...(await tenantViews(sql))]
  const views = tables.filter(({ hasView }) => hasView).map(({ name }) => tenantView(name))
  const missing = await sql.query('select from unnest($1::text[]) as name where to_regclass(name) is null', [views])
  return missing.length === 0 && found.every(({ isProtected }) => isProtected)
}

interface Relation {
  readonly schema: string
  readonly name: string
  readonly isPlatformTable: boolean
  /** True for the tables of records with custom fields: lists are read through `tenantView`. */
  readonly hasView: boolean
  /** True when the policy and the grants exist. */
  readonly isProtected: boolean
}

const relation = `select n.nspname as schema, format('%I.%I', n.nspname, c.relname) as name`
const relations = 'from pg_class c join pg_namespace n on n.oid = c.relnamespace'
const mayUse = (right: string) =>
  `exists (select from pg_roles r where r.rolname = '${tenantRole}' and has_table_privilege(r.oid, c.oid, '${right}'))`

function tenantTables(sql: Sql): Promise<Relation[]> {
  const hasPolicy = `c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')`
  return sql.query<Relation>(
    `${relation}, t.of_platform as "isPlatformTable", exists (select from pg_attribute f where f.attrelid = c.oid and f.attname = 'custom_fields' and not f.attisdropped) or n.nspname || '.' || c.relname = any($2) as "hasView",
       ${hasPolicy} and (t.of_platform or ${mayUse('delete')}) as "isProtected"
     ${relations}
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
     cross join lateral (select n.nspname || '.' || c.relname = any($1) as of_platform) t
     where c.relkind in ('r', 'p') and n.nspname not in ('public', 'graphile_worker') order by 2`,
    [platformTables, listedTables],
  )
}

/** Views with `security_invoker` apply the policies of their tables. Other views read with the rights of their owner and get no grant. */
function tenantViews(sql: Sql): Promise<Relation[]> {
  return sql.query<Relation>(
    `${relation}, false as "isPlatformTable", false as "hasView", ${mayUse('select')} as "isProtected" ${relations}
     where c.relkind = 'v' and c.reloptions @> array['security_invoker=true'] order by 2`,
  )
}

/** Creates what migrations may refer to: the role, and the function that returns the current organization. */
export async function prepareTenantRole(sql: Sql): Promise<void> {
  await makeRole(sql)
  await sql.query(currentOrganization)
}

const currentOrganization = `
  create or replace function kernel.current_organization() returns uuid language sql stable parallel safe as
  $$ select nullif(current_setting('app.organization_id', true), '')::uuid $$`

async function enablePolicy(sql: Sql, table: string): Promise<void> {
  // The subquery is evaluated once per statement instead of once per row.
  const ownRows = 'organization_id = (select kernel.current_organization())'
  await sql.query(`alter table ${table} enable row level security`)
  await sql.query(`drop policy if exists tenant on ${table}`)
  await sql.query(`create policy tenant on ${table} to ${tenantRole} using (${ownRows}) with check (${ownRows})`)
}

async function makeRole(sql: Sql): Promise<void> {
  const [role] = await sql.query<{ isMember: boolean }>(
    `select pg_has_role(current_user, oid, 'MEMBER') as "isMember" from pg_roles where rolname = $1`,
    [tenantRole],
  )
  if (role?.isMember) return
  try {
    if (!role) await sql.query(`create role ${tenantRole} nologin`)
    await sql.query(`grant ${tenantRole} to current_user`)
  } catch (error) {
    throw new ConfigError(
      `The database must have the role ${tenantRole}, and the user of DATABASE_URL may not create it (${(error as Error).message}). ` +
        `Run as an administrator: CREATE ROLE ${tenantRole} NOLOGIN; GRANT ${tenantRole} TO <the user of DATABASE_URL>;`,
    )
  }
}
