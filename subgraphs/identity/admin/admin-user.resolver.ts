import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { pageArgs } from '../../kernel/record/list-args.ts'
import type { Asked } from '../../kernel/record/selection.ts'
import { RequiresScopes } from '../../kernel/record/scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Team, teamsOf } from '../team/team.ts'
import { adminTables, provenPasswords, signIns, waysToBelong } from './admin.migrations.ts'
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
  @Query(() => AdminUser, { nullable: true, description: 'For owners and admins.' })
  @RequiresScopes('SESSION')
  user(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return readUser(ctx, id)
  }

  @Query(() => AdminUserPage, { description: 'For owners and admins.' })
  @RequiresScopes('SESSION')
  userList(@Args(() => AdminUserPageArgs) args: AdminUserPageArgs, @Ctx() ctx: RequestContext, @Info() info: Asked) {
    return readUsers(ctx, args, info)
  }

  @Mutation(() => AdminUser, { description: 'Sends a mail with a link to accept within seven days.' })
  @RequiresScopes('SESSION')
  userInvite(@Arg('input', () => UserInviteInput) input: UserInviteInput, @Ctx() ctx: RequestContext) {
    return inviteUser(ctx, input)
  }

  @Mutation(() => AdminUser, { description: 'Another mail with another link; earlier ones lead nowhere.' })
  @RequiresScopes('SESSION')
  userInviteAgain(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return inviteAgain(ctx, id)
  }

  @Mutation(() => AdminUser, { description: 'Only an owner makes owners or changes them; one active owner stays.' })
  @RequiresScopes('SESSION')
  userUpdate(
    @Arg('id', () => ID) id: string,
    @Arg('input', () => UserUpdateInput) input: UserUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateUser(ctx, id, input)
  }

  @Mutation(() => AdminUser, { description: 'Its sessions end, and its keys are refused until it is reactivated.' })
  @RequiresScopes('SESSION')
  userDeactivate(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return deactivateUser(ctx, id)
  }

  @Mutation(() => AdminUser, {
    description:
      'Who has never accepted an invitation gets another mail and is INVITED again. Who is not deactivated stays as it is.',
  })
  @RequiresScopes('SESSION')
  userReactivate(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return reactivateUser(ctx, id)
  }

  @Mutation(() => ID, { description: 'Takes the user out of the organization. What it owns stays.' })
  @RequiresScopes('SESSION')
  userDelete(@Arg('id', () => ID) id: string, @Ctx() ctx: RequestContext) {
    return removeUser(ctx, id)
  }

  @FieldResolver(() => [Team])
  teams(@Root() { organizationId, id }: AdminUser, @Ctx() { db }: RequestContext) {
    return teamsOf(db, organizationId, id)
  }
}

export const adminUserResource: Resource = {
  resolver: AdminUserResolver,
  aboveTenants: ['userInvite', 'userInviteAgain', 'userReactivate'],
  migrations: [adminTables, waysToBelong, provenPasswords, signIns],
}
