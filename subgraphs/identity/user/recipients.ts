import type { Caller } from '../../kernel/context.ts'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { actingUserColumns, withDerivedRestrictions } from '../credential/credential-source.ts'

/** A user whom the platform may notify, with the rights of this moment. */
export interface Recipient extends Pick<Caller, 'visibility' | 'role' | 'ownerIds' | 'fields' | 'entitlements'> {
  readonly id: string
  readonly organizationId: string
  /** Null while the person has not proved to read it. */
  readonly email: string | null
  /** IANA name of the time zone of the profile. */
  readonly timezone: string
}

/** Those of the users who are active in an active organization. Others are not notified. */
export const recipientsOf = (sql: Sql, organizationId: string, ids: readonly string[]): Promise<Recipient[]> =>
  recipientsWho(sql, 'u.id = any($2::uuid[])', [organizationId, ids])

/** Maximum number of owners of an organization who are notified. */
const ownersMax = 20

/** The owners of the organization, as `recipientsOf` answers users. */
export const ownersToNotify = (sql: Sql, organizationId: string): Promise<Recipient[]> =>
  recipientsWho(sql, `u.role = 'OWNER'`, [organizationId], `order by u.id limit ${ownersMax}`)

async function recipientsWho(sql: Sql, condition: string, values: unknown[], end = ''): Promise<Recipient[]> {
  const rows = await sql.query<ActingUser & Pick<Recipient, 'id' | 'email' | 'timezone'>>(
    `select u.id, case when p.email_verified_at is not null then p.email end as email, p.timezone, ${actingUserColumns}
     from identity.app_user u
     join identity.organization o on o.id = u.organization_id
     join identity.person p on p.id = u.person_id
     where u.organization_id = $1 and ${condition} and u.is_active and u.left_at is null and u.has_joined
       and o.status <> 'SUSPENDED' ${end}`,
    values,
  )
  return rows.map((row) => withDerivedRestrictions(row))
}

/** The names of these users as the organization knows them, by id. */
export async function userNames(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.query<{ id: string; name: string }>(
    'select id, name from identity.user_name where organization_id = $1 and id = any($2::uuid[])',
    [organizationId, ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Maximum number of managers of one user. */
const managersMax = 20

/** The active users with the role MANAGER who share a team with each of these users, by the id of that user. */
export async function managersOf(
  sql: Sql,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map()
  const rows = await sql.query<{ id: string; managers: string[] }>(
    `select w.id, array(
       select distinct m.id from identity.team_member own
       join identity.team_member other on other.organization_id = own.organization_id and other.team_id = own.team_id
       join identity.app_user m on m.organization_id = other.organization_id and m.id = other.user_id
       where own.organization_id = $1 and own.user_id = w.id and m.id <> w.id
         and m.role = 'MANAGER' and m.is_active and m.left_at is null
       order by m.id limit ${managersMax}
     ) as managers
     from unnest($2::uuid[]) as w (id)`,
    [organizationId, ids],
  )
  return new Map(rows.map(({ id, managers }) => [id, managers]))
}
