import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, ID, InputType, ObjectType } from 'type-graphql'
import type { Role, Visibility } from '../../kernel/context.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { RecordVisibility, UserRole } from '../user/user.ts'

export const UserStatus = enumeration('UserStatus', 'Whether a user can sign in.', {
  INVITED: 'Has not accepted the invitation yet, so cannot sign in.',
  ACTIVE: 'Can sign in.',
  DEACTIVATED: 'Cannot sign in, and the keys of the user are refused.',
})

@ObjectType({ description: 'A user of the organization as its owners and admins see it.' })
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'admin_user' })
export class AdminUser {
  @Column(() => ID, { description: 'Id of the user in this organization.' })
  id!: string

  @Column(() => ID, { description: 'Id of the organization.' })
  organizationId!: string

  @Column(() => String, {
    isEmail: true,
    isCanonical: true,
    description: 'Email address in lower case, at most 254 characters.',
  })
  email!: string

  @Column(() => Boolean, { description: 'True if the user has proved to read this address.' })
  emailVerified!: boolean

  @Column(() => String, { description: 'Display name.' })
  name!: string

  @Column(() => String, { nullable: true, description: 'First name; null if not given.' })
  firstName!: string | null

  @Column(() => String, { nullable: true, description: 'Last name; null if not given.' })
  lastName!: string | null

  @Column(() => UserRole, {
    description: 'Role of a user. READ_ONLY users change nothing; OWNER and ADMIN users administer the organization.',
  })
  role!: Role

  @Column(() => RecordVisibility, {
    description:
      "Record visibility, the records that a user sees. OWN is the user's own records, TEAM also those of members of the user's teams, ALL every record of the organization.",
  })
  visibility!: Visibility

  @Column(() => ID, {
    nullable: true,
    description: 'Id of the profile of the user; null for the default profile of the organization, if there is one.',
  })
  profileId!: string | null

  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user to whom the user reports; null if none is set.',
  })
  managerId!: string | null

  @Column(() => UserStatus, {
    description: 'INVITED: the user has not accepted the invitation yet. Only an ACTIVE user can sign in.',
  })
  status!: keyof typeof UserStatus

  @Column(() => Boolean, { description: 'True if the credentials of the user work.' })
  isActive!: boolean

  @Column(() => String, { description: 'Time zone as IANA name; UTC until the user has signed in.' })
  timezone!: string

  @Column(() => String, { description: 'Language as BCP 47 tag; en until the user has signed in.' })
  locale!: string

  @Column(() => String, {
    nullable: true,
    description: 'Id of the user in the directory that provisions it by SCIM; null if the directory gave none.',
  })
  externalId!: string | null

  @Column(() => DateTime, {
    nullable: true,
    description: 'When the open invitation was sent; null if there is none.',
  })
  invitedAt!: string | null

  @Column(() => DateTime, { description: 'When the user was created.' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the user was last changed.' })
  updatedAt!: string

  /** When the user left the organization. */
  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null
}

export const adminUser: RecordShape = {
  entity: AdminUser,
  columns: Columns.of(AdminUser),
  object: 'user',
  table: 'identity.admin_user',
  visibleBy: [],
  searchable: ['name', 'email'],
}

export const AdminUserFilter = filterOf('AdminUserFilter', AdminUser)
export const AdminUserOrder = orderOf('AdminUserOrder', AdminUser)
export const AdminUserPage = pageRequiring('AdminUserPage', AdminUser, 'SESSION')

@InputType({ description: 'A person to invite. A full name or a first and last name may be given.' })
export class UserInviteInput {
  @Field(() => String, { description: 'Email address to invite, at most 254 characters.' })
  email!: string

  @Field(() => String, {
    nullable: true,
    description: 'Display name, at most 255 characters. Used only if firstName and lastName are absent.',
  })
  name?: string | null

  @Field(() => String, { nullable: true, description: 'First name, at most 255 characters.' })
  firstName?: string | null

  @Field(() => String, { nullable: true, description: 'Last name, at most 255 characters.' })
  lastName?: string | null

  @Field(() => UserRole, { nullable: true, description: 'Default MEMBER.' })
  role?: Role | null

  @Field(() => RecordVisibility, { nullable: true, description: 'Default OWN.' })
  visibility?: Visibility | null
}

@InputType({ description: 'Changes of a user; absent fields are not changed.' })
export class UserUpdateInput {
  @Field(() => UserRole, {
    nullable: true,
    description: 'Role of a user. READ_ONLY users change nothing; OWNER and ADMIN users administer the organization.',
  })
  role?: Role | null

  @Field(() => RecordVisibility, {
    nullable: true,
    description:
      "Record visibility, the records that a user sees. OWN is the user's own records, TEAM also those of members of the user's teams, ALL every record of the organization.",
  })
  visibility?: Visibility | null

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the profile of the user; null for the default profile of the organization, if there is one.',
  })
  profileId?: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the user to whom the user reports; null for none. Any user of the organization, also one who is invited or deactivated, but nobody who reports to this user.',
  })
  managerId?: string | null
}
