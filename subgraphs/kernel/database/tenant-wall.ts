import { ConfigError } from '../config.ts'
import type { Sql } from './database.ts'
import { tenantRole } from './tenant-role.ts'

/** Tables that have an organization and are still no concern of requests: the vault alone reads its keys. */
const ofThePlatform = ['kernel.data_key']

/**
 * The second wall under the predicates of our own SQL. Requests act as the role `crm_app`, which owns nothing and bypasses
 * nothing: in a table with an `organization_id` it finds and writes the rows of the organization that the statement was told
 * (`app.organization_id`), and without one it finds none. Other tables it sees only as far as a migration says. Runs after
 * migrations, so that the tables they add are behind the wall.
 */
export async function raiseTenantWall(sql: Sql): Promise<void> {
  const tables = await tenantTables(sql)
  for (const schema of new Set(tables.map((table) => table.schema))) {
    await sql.query(`grant usage on schema ${schema} to ${tenantRole}`)
  }
  for (const { name, isOfThePlatform } of tables) {
    await wall(sql, name)
    if (!isOfThePlatform) await sql.query(`grant select, insert, update, delete on ${name} to ${tenantRole}`)
  }
  for (const { name } of await tenantViews(sql)) await sql.query(`grant select on ${name} to ${tenantRole}`)
}

/** False after a start that was killed between its migrations and the wall, and where the role is gone. */
export async function isTenantWallWhole(sql: Sql): Promise<boolean> {
  const behind = [...(await tenantTables(sql)), ...(await tenantViews(sql))]
  return behind.every(({ isBehind }) => isBehind)
}

interface Relation {
  readonly schema: string
  readonly name: string
  readonly isOfThePlatform: boolean
  /** Walled and granted. */
  readonly isBehind: boolean
}

const relation = `select n.nspname as schema, format('%I.%I', n.nspname, c.relname) as name`
const relations = 'from pg_class c join pg_namespace n on n.oid = c.relnamespace'
const mayUse = (right: string) =>
  `exists (select from pg_roles r where r.rolname = '${tenantRole}' and has_table_privilege(r.oid, c.oid, '${right}'))`

function tenantTables(sql: Sql): Promise<Relation[]> {
  const isWalled = `c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'tenant')`
  return sql.query<Relation>(
    `${relation}, t.of_platform as "isOfThePlatform",
       ${isWalled} and (t.of_platform or ${mayUse('delete')}) as "isBehind"
     ${relations}
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'organization_id' and not a.attisdropped
     cross join lateral (select n.nspname || '.' || c.relname = any($1) as of_platform) t
     where c.relkind in ('r', 'p') and n.nspname not in ('public', 'graphile_worker') order by 2`,
    [ofThePlatform],
  )
}

/** A view that reads as whoever asks it has the walls of its tables. Any other reads as its owner, and is granted to nobody. */
function tenantViews(sql: Sql): Promise<Relation[]> {
  return sql.query<Relation>(
    `${relation}, false as "isOfThePlatform", ${mayUse('select')} as "isBehind" ${relations}
     where c.relkind = 'v' and c.reloptions @> array['security_invoker=true'] order by 2`,
  )
}

/** What migrations may refer to: the role, and the organization that a statement was told. */
export async function prepareTenantRole(sql: Sql): Promise<void> {
  await makeRole(sql)
  await sql.query(currentOrganization)
}

const currentOrganization = `
  create or replace function kernel.current_organization() returns uuid language sql stable parallel safe as
  $$ select nullif(current_setting('app.organization_id', true), '')::uuid $$`

async function wall(sql: Sql, table: string): Promise<void> {
  // Worked out once per statement, not once per row.
  const mine = 'organization_id = (select kernel.current_organization())'
  await sql.query(`alter table ${table} enable row level security`)
  await sql.query(`drop policy if exists tenant on ${table}`)
  await sql.query(`create policy tenant on ${table} to ${tenantRole} using (${mine}) with check (${mine})`)
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
      `The database needs a role that requests act as, and may not make it itself (${(error as Error).message}). ` +
        `As an administrator: CREATE ROLE ${tenantRole} NOLOGIN; GRANT ${tenantRole} TO <the user of DATABASE_URL>;`,
    )
  }
}
