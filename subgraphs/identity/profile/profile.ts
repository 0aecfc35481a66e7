import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, ObjectType } from 'type-graphql'
import type { FieldRestrictions } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { Column } from '../../kernel/record/column.ts'
import { addDerivedRestrictions } from '../../kernel/record/field-security.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'

@ObjectType({
  description:
    'Field-level security: which fields of records its users may read and write. Record visibility applies in addition.',
})
@Entity({ schema: 'identity', tableName: 'profile' })
export class Profile {
  @Column(() => ID, { description: 'Id of the profile.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => String, { max: 100, description: 'Name of the profile.' })
  name!: string

  @Column(() => Boolean, { description: 'True if the profile applies to users without a profile.' })
  isDefault!: boolean

  @Column(() => Json, {
    description: 'Access level (HIDDEN or READ) by record type and field; a field that is not named is WRITE.',
  })
  fields!: FieldRestrictions

  @Column(() => DateTime, { description: 'When the profile was created.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the profile was last changed.' })
  updatedAt!: string
}

const columns = `id, organization_id as "organizationId", name, is_default as "isDefault", fields, created_at as "createdAt",
  updated_at as "updatedAt"`

export async function findProfile(sql: Sql, organizationId: string, id: string): Promise<Profile | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<Profile>(
    `select ${columns} from identity.profile where organization_id = $1 and id = $2`,
    [organizationId, id],
  )
  return row ?? null
}

/** Whether a profile of the organization has this name, in any case. */
export async function isProfileName({ db, caller }: RequestContext, name: string): Promise<boolean> {
  const rows = await db.query('select from identity.profile where organization_id = $1 and lower(name) = lower($2)', [
    caller.organizationId,
    name,
  ])
  return rows.length > 0
}

/** Those of the names that profiles of the organization have, in any case. */
export async function knownProfileNames(
  { db, caller }: RequestContext,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ name: string }>(
    `select distinct given.name from unnest($2::text[]) as given (name)
     join identity.profile p on p.organization_id = $1 and lower(p.name) = lower(given.name)`,
    [caller.organizationId, names],
  )
  return new Set(rows.map(({ name }) => name))
}

/** The restrictions of the profile with this name, in any case, with those that follow from them; null if there is no such profile. */
export async function restrictionsOfProfile(
  { db, caller }: RequestContext,
  name: string,
): Promise<FieldRestrictions | null> {
  const [row] = await db.query<{ fields: FieldRestrictions }>(
    'select fields from identity.profile where organization_id = $1 and lower(name) = lower($2)',
    [caller.organizationId, name],
  )
  return row ? addDerivedRestrictions(row.fields) : null
}

/** The name of the caller's profile: the own one, else the default of the organization; null without one. */
export async function profileNameOf({ db, caller }: RequestContext): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(
    `select p.name from identity.app_user u join identity.profile p
       on p.organization_id = u.organization_id and case when u.profile_id is null then p.is_default else p.id = u.profile_id end
     where u.organization_id = $1 and u.id = $2`,
    [caller.organizationId, caller.userId],
  )
  return row?.name ?? null
}

/** All profiles of the organization, ordered by name; at most `profilesMax`. */
export const profilesOf = (sql: Sql, organizationId: string): Promise<Profile[]> =>
  sql.query<Profile>(`select ${columns} from identity.profile where organization_id = $1 order by lower(name), id`, [
    organizationId,
  ])
