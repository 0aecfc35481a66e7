import { Entity } from '@mikro-orm/decorators/legacy'
import { Field, ID, InputType, ObjectType } from 'type-graphql'
import type { Role, Visibility } from '../../kernel/context.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { filterOf, orderOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { RecordVisibility, UserRole } from '../user/user.ts'

export const UserStatus = enumeration(
  'UserStatus',
  ['INVITED', 'ACTIVE', 'DEACTIVATED'],
  'INVITED: has not accepted the invitation yet. Only an ACTIVE user can sign in.',
)

@ObjectType({ description: 'A user of the organization as its owners and admins see it.' })
@RequiresScopes('SESSION')
@Entity({ schema: 'identity', tableName: 'admin_user' })
export class AdminUser {
  @Column(() => ID)
  id!: string

  @Column(() => ID)
  organizationId!: string

  @Column(() => String)
  email!: string

  @Column(() => Boolean)
  emailVerified!: boolean

  @Column(() => String)
  name!: string

  @Column(() => String, { nullable: true })
  firstName!: string | null

  @Column(() => String, { nullable: true })
  lastName!: string | null

  @Column(() => UserRole)
  role!: Role

  @Column(() => RecordVisibility)
  visibility!: Visibility

  @Column(() => ID, {
    nullable: true,
    description: 'Profile of the user; null: the default profile of the organization, if there is one.',
  })
  profileId!: string | null

  @Column(() => UserStatus)
  status!: keyof typeof UserStatus

  @Column(() => Boolean, { description: 'Whether the credentials of the user work.' })
  isActive!: boolean

  @Column(() => String, { description: 'IANA time zone name; UTC until the person first signs in or accepts.' })
  timezone!: string

  @Column(() => String, { description: 'BCP 47 language tag; en until the person first signs in or accepts.' })
  locale!: string

  @Column(() => String, {
    nullable: true,
    description: 'Id of the user in the directory that provisions it (SCIM); null for other users.',
  })
  externalId!: string | null

  @Column(() => DateTime, {
    nullable: true,
    description: 'When the open invitation was sent; null when there is none.',
  })
  invitedAt!: string | null

  @Column(() => DateTime)
  createdAt!: string

  @Column(() => DateTime)
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

@InputType()
export class UserInviteInput {
  @Field(() => String)
  email!: string

  @Field(() => String, { nullable: true, description: 'Full name; used when firstName and lastName are absent.' })
  name?: string | null

  @Field(() => String, { nullable: true })
  firstName?: string | null

  @Field(() => String, { nullable: true })
  lastName?: string | null

  @Field(() => UserRole, { nullable: true, description: 'Default MEMBER.' })
  role?: Role | null

  @Field(() => RecordVisibility, { nullable: true, description: 'Default OWN.' })
  visibility?: Visibility | null
}

@InputType()
export class UserUpdateInput {
  @Field(() => UserRole, { nullable: true })
  role?: Role | null

  @Field(() => RecordVisibility, { nullable: true })
  visibility?: Visibility | null

  @Field(() => ID, {
    nullable: true,
    description: 'Profile of the user; null: the default profile of the organization.',
  })
  profileId?: string | null
}
