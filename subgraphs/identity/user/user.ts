import { Field, ID, ObjectType } from 'type-graphql'
import type { Role } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/database/sql.ts'
import { isId } from '../../kernel/ids.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

export const UserRole = enumeration('UserRole', 'What a user may do in the organization.', {
  OWNER: 'Everything, including changes of owners.',
  ADMIN: 'Administers users, teams, profiles, keys and settings, except owners.',
  MANAGER: 'Reads and changes records.',
  MEMBER: 'Reads and changes records. The default.',
  READ_ONLY: 'Reads records and changes nothing.',
} satisfies Record<Role, string>)
export const RecordVisibility = enumeration('RecordVisibility', 'The records that a user sees.', {
  OWN: 'Records that the user owns or is assigned to.',
  TEAM: "Also those of the members of the user's teams.",
  ALL: 'All records of the organization.',
})

@ObjectType('SignedInUser', { description: 'The signed-in user: a person in one organization.' })
export class User {
  @Field(() => ID, { simple: true, description: 'Id of the user in this organization.' })
  id!: string

  @Field(() => ID, { simple: true, description: 'Id of the organization.' })
  organizationId!: string

  @Field(() => String, { simple: true, description: 'Email address in lower case.' })
  email!: string

  @Field(() => Boolean, { simple: true, description: 'True if the person has proved to read this address.' })
  emailVerified!: boolean

  @Field(() => String, { simple: true, description: 'Display name.' })
  name!: string

  @Field(() => String, { nullable: true, simple: true, description: 'First name; null if not given.' })
  firstName!: string | null

  @Field(() => String, { nullable: true, simple: true, description: 'Last name; null if not given.' })
  lastName!: string | null

  @Field(() => UserRole, {
    simple: true,
    description: 'Role of the user. READ_ONLY users change nothing; OWNER and ADMIN users administer the organization.',
  })
  role!: keyof typeof UserRole

  @Field(() => RecordVisibility, {
    simple: true,
    description:
      "Record visibility, the records that the user sees. OWN is the user's own records, TEAM also those of members of the user's teams, ALL every record of the organization.",
  })
  visibility!: keyof typeof RecordVisibility

  @Field(() => ID, {
    nullable: true,
    simple: true,
    description: 'Profile of the user; null: the default profile of the organization, if it has one.',
  })
  profileId!: string | null

  @NamesRecord('user')
  @Field(() => ID, {
    nullable: true,
    simple: true,
    description: 'Id of the user to whom the user reports; null if none is set.',
  })
  managerId!: string | null

  @Field(() => Boolean, { simple: true, description: 'True if the credentials of the user work.' })
  isActive!: boolean

  @Field(() => String, { simple: true, description: 'Time zone as IANA name.' })
  timezone!: string

  @Field(() => String, { simple: true, description: 'Language as BCP 47 tag.' })
  locale!: string

  @Field(() => String, {
    nullable: true,
    simple: true,
    description: 'URL of a picture of the user, with https; null if not given.',
  })
  avatar!: string | null

  @Field(() => DateTime, { simple: true, description: 'When the user was created.' })
  createdAt!: string

  @Field(() => DateTime, { simple: true, description: 'When the user was last changed.' })
  updatedAt!: string
}

/** The names that an organization gives a person whom it adds. */
export interface KnownAs extends Pick<User, 'name' | 'firstName' | 'lastName'> {}

/** A user with all that is stored of it and of the person. The organization may not see everything: see `shownToOrganization`. */
export interface StoredUser extends User {
  readonly externalId: string | null
  /** Null after the person has accepted or registered. */
  readonly knownAs: KnownAs | null
  readonly hasJoined: boolean
}

const personFields = `p.email, p.email_verified_at is not null as "emailVerified", p.name, p.first_name as "firstName",
  p.last_name as "lastName", p.timezone, p.locale, p.avatar`
const userFields = `u.id, u.organization_id as "organizationId", ${personFields}, u.role, u.visibility, u.profile_id as "profileId",
  u.manager_id as "managerId", u.is_active as "isActive", u.created_at as "createdAt"`
const columns = `${userFields}, greatest(u.updated_at, p.updated_at) as "updatedAt"`
const storedColumns = `${userFields}, u.updated_at as "updatedAt", u.external_id as "externalId", u.known_as as "knownAs",
  u.has_joined as "hasJoined"`
const from = 'from identity.app_user u join identity.person p on p.id = u.person_id'

/**
 * The user in the form that the organization may see, as in the view `identity.admin_user`: with the names that the organization gave,
 * and nothing about the person's account elsewhere, until the person joins.
 */
export function shownToOrganization(stored: StoredUser): User {
  const { externalId: _, knownAs, hasJoined, ...user } = stored
  return {
    ...user,
    ...knownAs,
    ...(!hasJoined && { emailVerified: false, timezone: 'UTC', locale: 'en', avatar: null }),
  }
}

/** Finds a user of the organization, also a deactivated one. */
export async function findUser(sql: Sql, organizationId: string, id: string): Promise<User | null> {
  if (!isId(id)) return null
  const [row] = await sql.query<User>(
    `select ${columns} ${from} where u.organization_id = $1 and u.id = $2 and u.left_at is null`,
    [organizationId, id],
  )
  return row ?? null
}

export async function findStoredUser(sql: Sql, organizationId: string, id: string): Promise<StoredUser | null> {
  const [row] = await sql.query<StoredUser>(
    `select ${storedColumns} ${from} where u.organization_id = $1 and u.id = $2 and u.left_at is null`,
    [organizationId, id],
  )
  return row ?? null
}

const activeMemberships = 'u.person_id = $1 and u.left_at is null and u.is_active'

/** The active memberships of a person. */
export function findMemberships(sql: Sql, personId: string): Promise<StoredUser[]> {
  return sql.query<StoredUser>(
    `select ${storedColumns} ${from} where ${activeMemberships} order by u.organization_id`,
    [personId],
  )
}

export interface Membership extends User {
  /** Increased when all sign-ins of the user are ended. A sign-in is valid only with the current number. */
  readonly signInGeneration: number
}

/**
 * The active memberships of a person, the one of the latest sign-in first, and those in deleted organizations last. By password: without memberships that somebody else
 * created before the password was proven, because a stranger may have registered the address and set the password. Locked until the
 * transaction ends: a concurrent end of all sessions waits, and then also ends the new session.
 */
export function lockMemberships(sql: Sql, personId: string, by: 'mail' | 'password'): Promise<Membership[]> {
  return sql.query<Membership>(
    `select ${columns}, u.sign_in_generation as "signInGeneration" ${from}
     where ${activeMemberships} ${by === 'password' ? 'and not u.distrusts_password' : ''}
     order by exists (select from identity.organization o where o.id = u.organization_id and o.deleted_at is not null),
       (select max(s.created_at) from identity.session s where s.organization_id = u.organization_id and s.user_id = u.id)
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

export interface PersonProfile
  extends Person, Pick<User, 'emailVerified' | 'name' | 'firstName' | 'lastName' | 'timezone' | 'locale' | 'avatar'> {}

const selectPerson = `select p.id, ${personFields}, p.password_hash as "passwordHash" from identity.person p`

/**
 * Locks a person until the transaction ends; null when the person no longer has this address. Call it before any change of the
 * person: two transactions that take a weaker lock first would deadlock.
 */
export async function lockPerson(
  sql: Sql,
  { id, email }: { readonly id: string; readonly email: string },
): Promise<PersonProfile | null> {
  const [row] = await sql.query<PersonProfile>(`${selectPerson} where p.id = $1 and p.email = $2 for no key update`, [
    id,
    email,
  ])
  return row ?? null
}

export async function findPerson(sql: Sql, email: string): Promise<PersonProfile | null> {
  const [row] = await sql.query<PersonProfile>(`${selectPerson} where p.email = $1`, [email])
  return row ?? null
}
