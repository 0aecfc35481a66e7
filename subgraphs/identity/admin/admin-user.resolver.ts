import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { IdentityContext } from '../context.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { ListedUser } from '../user-lookup/listed-user.ts'
import { userOf } from '../user-lookup/user-of.ts'
import { Team, teamsOf } from '../team/team.ts'
import { adminTables, provenPasswordColumn, joinedAndGenerationColumns, acceptanceColumns } from './admin.migrations.ts'
import {
  deactivateUser,
  inviteAgain,
  inviteUser,
  reactivateUser,
  readUser,
  readUsers,
  removeUser,
  updateUser,
} from './admin-user.actions.ts'
import {
  AdminUser,
  AdminUserFilter,
  AdminUserOrder,
  AdminUserPage,
  UserInviteInput,
  UserUpdateInput,
} from './admin-user.ts'

const AdminUserPageArgs = pageArgs(AdminUserFilter, AdminUserOrder)
type AdminUserPageArgs = InstanceType<typeof AdminUserPageArgs>

@Resolver(() => AdminUser)
export class AdminUserResolver {
  @Query(() => AdminUser, { nullable: true, description: 'One user by id. For owners and admins.' })
  @RequiresScopes('SESSION')
  user(
    @Arg('id', () => ID, { description: 'Id of the user in this organization.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return readUser(ctx, id)
  }

  @Query(() => AdminUserPage, { description: 'Users of the organization. For owners and admins.' })
  @RequiresScopes('SESSION')
  userList(
    @Args(() => AdminUserPageArgs) args: AdminUserPageArgs,
    @Ctx() ctx: IdentityContext,
    @Info() info: SelectionInfo,
  ) {
    return readUsers(ctx, args, info)
  }

  @Mutation(() => AdminUser, { description: 'Invites a user by a mail with a one-time link, valid for seven days.' })
  @RequiresScopes('SESSION')
  userInvite(@InputArg(() => UserInviteInput) input: UserInviteInput, @Ctx() ctx: IdentityContext) {
    return inviteUser(ctx, input)
  }

  @Mutation(() => AdminUser, {
    description: 'Sends the invitation again with a new link; earlier links become invalid.',
  })
  @RequiresScopes('SESSION')
  userInviteAgain(
    @Arg('id', () => ID, { description: 'Id of the user in this organization.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return inviteAgain(ctx, id)
  }

  @Mutation(() => AdminUser, {
    description:
      'Changes role, record visibility, manager and profile. Only an owner may create or change owners; one active owner must remain.',
  })
  @RequiresScopes('SESSION')
  userUpdate(
    @Arg('id', () => ID, { description: 'Id of the user in this organization.' }) id: string,
    @InputArg(() => UserUpdateInput) input: UserUpdateInput,
    @Ctx() ctx: IdentityContext,
  ) {
    return updateUser(ctx, id, input)
  }

  @Mutation(() => AdminUser, {
    description: 'Deactivates a user: the sessions end, and the keys are refused until the user is reactivated.',
  })
  @RequiresScopes('SESSION')
  userDeactivate(
    @Arg('id', () => ID, { description: 'Id of the user in this organization.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return deactivateUser(ctx, id)
  }

  @Mutation(() => AdminUser, {
    description:
      'Reactivates a deactivated user. A user who has never accepted an invitation gets another mail and is INVITED again. Other users do not change.',
  })
  @RequiresScopes('SESSION')
  userReactivate(
    @Arg('id', () => ID, { description: 'Id of the user in this organization.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return reactivateUser(ctx, id)
  }

  @Mutation(() => ID, { description: 'Removes the user from the organization. Records that the user owns are kept.' })
  @RequiresScopes('SESSION')
  userDelete(
    @Arg('id', () => ID, { description: 'Id of the user in this organization.' }) id: string,
    @Ctx() ctx: IdentityContext,
  ) {
    return removeUser(ctx, id)
  }

  @FieldResolver(() => ListedUser, {
    nullable: true,
    description: 'The user to whom the user reports; null if `managerId` is null.',
  })
  manager(@Root() { managerId }: AdminUser, @Ctx() ctx: IdentityContext, @Info() info: SelectionInfo) {
    return userOf(ctx, managerId, info)
  }

  @FieldResolver(() => [Team], { description: 'Teams of the user.' })
  teams(@Root() { organizationId, id }: AdminUser, @Ctx() { db }: IdentityContext) {
    return teamsOf(db, organizationId, id)
  }
}

export const adminUserResource: Resource = {
  resolver: AdminUserResolver,
  crossTenantFields: ['userInvite', 'userInviteAgain', 'userReactivate'],
  crossTenantDryRuns: ['userInvite', 'userInviteAgain', 'userReactivate'],
  migrations: [adminTables, acceptanceColumns, provenPasswordColumn, joinedAndGenerationColumns],
}
