import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import type { Role } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { UserRole } from '../user/user.ts'

@ObjectType({ description: 'A team or the manager of a user, or a member of a team.' })
@RequiresScopes('SCIM')
export class ScimReference {
  @Field(() => ID, { simple: true, description: 'Id of the team or of the user.' })
  id!: string

  @Field(() => String, { simple: true, description: 'Name of the team or of the user.' })
  name!: string
}

@ObjectType({ description: 'A user in the form of SCIM.' })
@RequiresScopes('SCIM')
export class ScimUser {
  @Field(() => ID, { simple: true, description: 'Id of the user in this organization.' })
  id!: string

  @Field(() => String, {
    simple: true,
    nullable: true,
    description: 'Id of the user in the directory; null if the directory sent none.',
  })
  externalId!: string | null

  @Field(() => String, { simple: true, description: 'The email address of the user.' })
  userName!: string

  @Field(() => String, { simple: true, description: 'Full name as it is shown to people.' })
  displayName!: string

  @Field(() => String, { simple: true, nullable: true, description: 'First name; null if not given.' })
  givenName!: string | null

  @Field(() => String, { simple: true, nullable: true, description: 'Last name; null if not given.' })
  familyName!: string | null

  @Field(() => Boolean, {
    simple: true,
    description: 'False if the user is deactivated: no credential of the user works.',
  })
  active!: boolean

  @Field(() => UserRole, { simple: true, description: 'Role of the user.' })
  role!: Role

  @Field(() => ScimReference, {
    simple: true,
    nullable: true,
    description: 'The user to whom the user reports; null if none is set.',
  })
  manager!: ScimReference | null

  @Field(() => [ScimReference], { simple: true, description: 'Teams of the user, ordered by id.' })
  groups!: ScimReference[]

  @Field(() => DateTime, { simple: true, description: 'When the user was created.' })
  createdAt!: string

  @Field(() => DateTime, { simple: true, description: 'When the user was last changed.' })
  updatedAt!: string
}

@ObjectType({ description: 'A part of a list of users.' })
@RequiresScopes('SCIM')
export class ScimUserPage {
  @Field(() => Int, { simple: true, description: 'Number of all matches, also beyond this part.' })
  total!: number

  @Field(() => [ScimUser], { simple: true, description: 'The matches of this part.' })
  data!: ScimUser[]
}

/** Treats an empty id as missing; otherwise a second user with an empty id would violate uniqueness. */
export const emptyToNull = (externalId: string | null | undefined): string | null | undefined =>
  externalId === '' ? null : externalId

@InputType({ description: 'Attributes of a user; absent ones are not changed.' })
export class ScimUserInput {
  @Field(() => String, { nullable: true, description: 'Email address, at most 254 characters; required on create.' })
  userName?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Id of the user in the directory, at most 255 characters; empty text removes it.',
  })
  externalId?: string | null

  @Field(() => String, { nullable: true, description: 'Display name, at most 255 characters.' })
  displayName?: string | null

  @Field(() => String, { nullable: true, description: 'First name, at most 255 characters.' })
  givenName?: string | null

  @Field(() => String, { nullable: true, description: 'Last name, at most 255 characters.' })
  familyName?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the credentials of the user work. Absent on create: true.',
  })
  active?: boolean | null

  @Field(() => UserRole, { nullable: true, description: 'Role of the user. Absent on create: MEMBER.' })
  role?: Role | null

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the user to whom the user reports, of the same organization; null for none.',
  })
  managerId?: string | null
}

const columns = `u.id, u.external_id as "externalId", u.email as "userName", u.name as "displayName", u.first_name as "givenName",
  u.last_name as "familyName", u.is_active as active, u.role, u.created_at as "createdAt", u.updated_at as "updatedAt",
  (
    select jsonb_build_object('id', m.id, 'name', m.name) from identity.user_name m
    where m.organization_id = u.organization_id and m.id = u.manager_id
  ) as manager,
  coalesce((
    select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name) order by t.id) from identity.team_member m
    join identity.team t on t.organization_id = m.organization_id and t.id = m.team_id
    where m.organization_id = u.organization_id and m.user_id = u.id
  ), '[]') as groups`

export interface ScimMatches<T> {
  readonly total: number
  readonly data: T[]
}

export interface ScimRange {
  readonly startIndex: number
  readonly count: number
}

export async function findScimUser(sql: Sql, organizationId: string, id: string): Promise<ScimUser | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<ScimUser>(
    `select ${columns} from identity.admin_user u where u.organization_id = $1 and u.id = $2 and u.deleted_at is null`,
    [organizationId, id],
  )
  return row ?? null
}

/** Finds users by the exact value of one attribute, or all users. */
export async function findScimUsers(
  sql: Sql,
  organizationId: string,
  { userName, externalId }: { readonly userName?: string | null; readonly externalId?: string | null },
  { startIndex, count }: ScimRange,
): Promise<ScimMatches<ScimUser>> {
  const where = `u.organization_id = $1 and u.deleted_at is null
    and ($2::text is null or u.email = $2) and ($3::text is null or u.external_id = $3)`
  const values = [organizationId, userName ?? null, externalId ?? null]
  const [counted] = await sql.query<{ total: number }>(
    `select count(*)::int8 as total from identity.admin_user u where ${where}`,
    values,
  )
  const data = await sql.query<ScimUser>(
    `select ${columns} from identity.admin_user u where ${where} order by u.created_at, u.id limit $4 offset $5`,
    [...values, count, startIndex - 1],
  )
  return { total: counted!.total, data }
}
