import { Entity } from '@mikro-orm/decorators/legacy'
import { ArgsType, Directive, Field, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { Columns } from '../../kernel/record/columns.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { connectionRequiring, pageRequiring } from '../../kernel/record/inputs.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'

@ObjectType('User', {
  description:
    'A user of the organization as every other user sees it: enough to show who owns or changed a record. It needs no scope, because a record that a caller may read already has the ids of its users, and the people of one organization know each other.',
})
@Directive('@key(fields: "id")')
@RequiresScopes(memberScope)
@Entity({ schema: 'identity', tableName: 'listed_user' })
export class ListedUser {
  @Column(() => ID, { description: 'Id of the user, as in `ownerId` and the other ids of users.' })
  id!: string

  @Column(() => ID, { internal: true })
  organizationId!: string

  @Column(() => String, {
    indexed: true,
    description:
      'Full name as the organization knows it. A user who has left the organization keeps the name of that time.',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    isEmail: true,
    isCanonical: true,
    description: 'Email address, in lower case; null after the user has left the organization.',
  })
  email!: string | null

  @Column(() => String, {
    nullable: true,
    description: 'URL of a picture of the user; null when there is none, and after the user has left the organization.',
  })
  avatar!: string | null

  @Column(() => Boolean, {
    description: 'Whether the user can sign in; false for users who were invited, deactivated or have left.',
  })
  active!: boolean

  @Column(() => ID, {
    nullable: true,
    description:
      'Id of the user to whom the user reports; null if none is set, and after the user has left the organization.',
  })
  managerId!: string | null

  @Column(() => DateTime, { internal: true })
  createdAt!: string
}

/** All users that the organization ever had: records refer also to those who have left. */
export const listedUser: RecordShape = {
  entity: ListedUser,
  columns: Columns.of(ListedUser),
  object: 'user',
  table: 'identity.listed_user',
  storedIn: 'identity.user_name',
  visibleBy: [],
  searchable: ['name', 'email'],
  hasSearchText: true,
}

export const UserPage = pageRequiring('UserPage', ListedUser, memberScope)

export const UserConnection = connectionRequiring('User', ListedUser, memberScope)

@ArgsType()
export class ReportsArgs {
  @Field(() => Int, { defaultValue: 20, description: 'Number of users, 1 to 100.' })
  first!: number

  @Field(() => String, { nullable: true, description: 'Cursor of the last user of the previous page.' })
  after?: string | null
}

@ArgsType()
export class UserLookupArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'Text that the name or the email address must contain, at most 200 characters. One or two ASCII letters or digits find words that begin with them. `%` and `_` are ordinary characters.',
  })
  search?: string | null

  @Field(() => [ID], {
    nullable: true,
    description:
      'Only users with these ids, at most 100, also those who are not active; ids that are not found are ignored.',
  })
  ids?: string[] | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'True also returns users who were invited, deactivated or have left. Default: false, true with `ids`.',
  })
  includeInactive?: boolean | null

  @Field(() => Int, { defaultValue: 1, description: 'Number of the page, 1 to 100,000.' })
  page!: number

  @Field(() => Int, { defaultValue: 20, description: 'Users per page, 1 to 100.' })
  limit!: number

  @Field(() => String, { nullable: true, description: '`nextCursor` of the previous page; replaces `page`.' })
  cursor?: string | null
}
