import type { Caller } from '../../kernel/context.ts'
import type { ActingUser } from '../../kernel/credentials/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { actingUserColumns, withDerivedRestrictions } from '../credential/credential-source.ts'

/** A user in whose name the platform writes to customers, with the rights of this moment. */
export interface Sender extends Pick<Caller, 'visibility' | 'role' | 'ownerIds' | 'fields' | 'entitlements'> {
  readonly id: string
  readonly name: string
  readonly firstName: string | null
  readonly lastName: string | null
  readonly email: string
  /** IANA name of the time zone of the profile. */
  readonly timezone: string
}

/** Those of the users who are active and may change records, by id. */
export async function sendersOf(
  { db, caller }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Sender>> {
  const rows = await db.query<
    ActingUser & Pick<Sender, 'id' | 'name' | 'firstName' | 'lastName' | 'email' | 'timezone'>
  >(
    `select a.id, a.name, a.first_name as "firstName", a.last_name as "lastName", a.email, a.timezone, ${actingUserColumns}
     from identity.admin_user a
     join identity.app_user u on u.organization_id = a.organization_id and u.id = a.id
     join identity.organization o on o.id = u.organization_id
     where a.organization_id = $1 and a.id = any($2::uuid[]) and a.is_active and a.deleted_at is null and a.role <> 'READ_ONLY'`,
    [caller.organizationId, ids],
  )
  return new Map(rows.map((row) => [row.id, withDerivedRestrictions(row)]))
}

/** The rights of users at this moment, also of those who have left. */
export async function rightsOf(
  { db, caller }: RequestContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<Sender, 'id' | 'ownerIds' | 'fields'>>> {
  const rows = await db.query<ActingUser & Pick<Sender, 'id'>>(
    `select u.id, ${actingUserColumns}
     from identity.app_user u join identity.organization o on o.id = u.organization_id
     where u.organization_id = $1 and u.id = any($2::uuid[])`,
    [caller.organizationId, ids],
  )
  return new Map(rows.map((row) => [row.id, withDerivedRestrictions(row)]))
}
