import { Field, ID, ObjectType } from 'type-graphql'
import { roles } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/database.ts'
import { isId } from '../../kernel/ids.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

export const UserRole = enumeration('UserRole', roles)
export const RecordVisibility = enumeration(
  'RecordVisibility',
  ['OWN', 'TEAM', 'ALL'],
  "Whose records a user sees: its own, those of its teams' members too, or all.",
)

@ObjectType({ description: 'A person in one organization.' })
export class User {
  @Field(() => ID, { simple: true })
  id!: string

  @Field(() => ID, { simple: true })
  organizationId!: string

  @Field(() => String, { simple: true })
  email!: string

  @Field(() => Boolean, { simple: true })
  emailVerified!: boolean

  @Field(() => String, { simple: true })
  name!: string

  @Field(() => String, { nullable: true, simple: true })
  firstName!: string | null

  @Field(() => String, { nullable: true, simple: true })
  lastName!: string | null

  @Field(() => UserRole, { simple: true })
  role!: keyof typeof UserRole

  @Field(() => RecordVisibility, { simple: true })
  visibility!: keyof typeof RecordVisibility

  @Field(() => ID, {
    nullable: true,
    simple: true,
    description: 'Null: the default profile of the organization, if it has one.',
  })
  profileId!: string | null

  @Field(() => Boolean, { simple: true })
  isActive!: boolean

  @Field(() => String, { simple: true, description: 'IANA name.' })
  timezone!: string

  @Field(() => String, { simple: true, description: 'BCP 47.' })
  locale!: string

  @Field(() => DateTime, { simple: true })
  createdAt!: string

  @Field(() => DateTime, { simple: true })
  updatedAt!: string
}

const columns = `u.id, u.organization_id as "organizationId", p.email, p.email_verified_at is not null as "emailVerified", p.name,
  p.first_name as "firstName", p.last_name as "lastName", u.role, u.visibility, u.profile_id as "profileId", u.is_active as "isActive", p.timezone, p.locale,
  u.created_at as "createdAt", greatest(u.updated_at, p.updated_at) as "updatedAt"`
const from = 'from identity.app_user u join identity.person p on p.id = u.person_id'

const columnsAsTold = `t.id, t.organization_id as "organizationId", t.email, t.email_verified as "emailVerified", t.name,
  t.first_name as "firstName", t.last_name as "lastName", t.role, t.visibility, t.profile_id as "profileId",
  t.is_active as "isActive", t.timezone, t.locale, t.created_at as "createdAt", t.updated_at as "updatedAt"`

/** A user who belongs to the organization, deactivated or not. */
export async function findUser(sql: Sql, organizationId: string, id: string): Promise<User | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<User>(
    `select ${columns} ${from} where u.organization_id = $1 and u.id = $2 and u.left_at is null`,
    [organizationId, id],
  )
  return row ?? null
}

/**
 * As the organization is told of it: who invites somebody or provisions them learns nothing of an account they have, and calls
 * them as it likes.
 */
export async function findUserAsTold(sql: Sql, organizationId: string, id: string): Promise<User | null> {
  const [row] = await sql.query<User>(
    `select ${columnsAsTold} from identity.admin_user t
     where t.organization_id = $1 and t.id = $2 and t.deleted_at is null`,
    [organizationId, id],
  )
  return row ?? null
}

const activeMemberships = 'u.person_id = $1 and u.left_at is null and u.is_active'

/** The active memberships of a person, as its organizations are told of them. */
export function membershipsAsTold(sql: Sql, personId: string): Promise<User[]> {
  return sql.query<User>(
    `select ${columnsAsTold} from identity.app_user u
     join identity.admin_user t on t.organization_id = u.organization_id and t.id = u.id
     where ${activeMemberships} order by u.organization_id`,
    [personId],
  )
}

export interface Membership extends User {
  /** Another one means that everything ended that began with a sign-in of the user. */
  readonly signInGeneration: number
}

/**
 * The active memberships of a person, that of the latest sign-in first. By password: not those that somebody else made while
 * nobody had proven the password. Whoever registered the address, and set it, need not be who was meant. They stay as they
 * are until the transaction ends: whoever ends sessions of a member waits, and then finds the one that is started.
 */
export function lockMemberships(sql: Sql, personId: string, by: 'mail' | 'password'): Promise<Membership[]> {
  return sql.query<Membership>(
    `select ${columns}, u.sign_in_generation as "signInGeneration" ${from}
     where ${activeMemberships} ${by === 'password' ? 'and not u.distrusts_password' : ''}
     order by (select max(s.created_at) from identity.session s where s.organization_id = u.organization_id and s.user_id = u.id)
       desc nulls last, u.created_at, u.id
     for share of u`,
    [personId],
  )
}

export interface Person {
  readonly id: string
  readonly email: string
  readonly passwordHash: string | null
}

const personColumns = 'id, email, password_hash as "passwordHash"'

/**
 * A person as long as it has this address, who changes by nobody else until the transaction ends. To be called before
 * anything of the person is changed: of two who had only read it, each would wait for the other.
 */
export async function lockPerson(
  sql: Sql,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<Person | null> {
  const [row] = await sql.query<Person>(
    `select ${personColumns} from identity.person where id = $1 and email = $2 for no key update`,
    [id, email],
  )
  return row ?? null
}

export async function findPerson(sql: Sql, email: string): Promise<Person | null> {
  const [row] = await sql.query<Person>(`select ${personColumns} from identity.person where email = $1`, [email])
  return row ?? null
}
