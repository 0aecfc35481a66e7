import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql'
import { InputArg } from '../../kernel/record/args.ts'
import { notFound } from '../../kernel/errors.ts'
import { filterOf, pageRequiring } from '../../kernel/record/inputs.ts'
import { orderOf } from '../../kernel/record/order-input.ts'
import { readPage } from '../../kernel/record/list.ts'
import { pageArgs } from '../../kernel/record/list-args.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { administering } from '../admin/administer.ts'
import { User } from '../user/user.ts'
import { addTeam, changeTeam, requireUsersOfOrganization, removeTeam } from './team.actions.ts'
import { teamTables } from './team.migrations.ts'
import { findTeam, Team, teamsOf } from './team.ts'
import { team } from './team.record.ts'

@InputType({ description: 'A team to create.' })
export class TeamCreateInput {
  @Field(() => String, { description: 'Name of the team, 1 to 100 characters, not only white space.' })
  name!: string

  @Field(() => [ID], { nullable: true, description: 'Ids of the members.' })
  userIds?: string[] | null
}

@InputType({ description: 'Changes of a team; absent fields are not changed.' })
export class TeamUpdateInput {
  @Field(() => String, { nullable: true, description: 'Name of the team, 1 to 100 characters, not only white space.' })
  name?: string | null

  @Field(() => [ID], { nullable: true, description: 'Ids of all members; replaces the former members.' })
  userIds?: string[] | null
}

const TeamFilter = filterOf('TeamFilter', Team)
const TeamOrder = orderOf('TeamOrder', Team)
const TeamPage = pageRequiring('TeamPage', Team, 'SESSION')
const TeamPageArgs = pageArgs(TeamFilter, TeamOrder)
type TeamPageArgs = InstanceType<typeof TeamPageArgs>

const lowerCased = (ids: readonly string[] | null | undefined): string[] => (ids ?? []).map((id) => id.toLowerCase())

@Resolver(() => User)
export class TeamResolver {
  @Query(() => Team, { nullable: true, description: 'One team by id. For owners and admins.' })
  @RequiresScopes('SESSION')
  async team(@Arg('id', () => ID, { description: 'Id of the team.' }) id: string, @Ctx() ctx: RequestContext) {
    requireAdministrator(ctx)
    const found = await findTeam(ctx.db, ctx.caller.organizationId, id)
    if (!found) throw notFound('The team')
    return found
  }

  @Query(() => TeamPage, { description: 'Teams of the organization. For owners and admins.' })
  @RequiresScopes('SESSION')
  teamList(@Args(() => TeamPageArgs) args: TeamPageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    requireAdministrator(ctx)
    const total = isAnySelected(info, 'total', 'totalPages')
    return readPage(ctx, team, args, { page: selectedFields(info), record: allColumnNames(team), total })
  }

  @Mutation(() => Team, { description: 'Creates a team, with members if `userIds` is given. For owners and admins.' })
  @RequiresScopes('SESSION')
  teamCreate(@InputArg(() => TeamCreateInput) { name, userIds }: TeamCreateInput, @Ctx() ctx: RequestContext) {
    return administering(ctx, (inner) => addTeam(inner, { name, memberIds: lowerCased(userIds) }))
  }

  @Mutation(() => Team, { description: 'Renames a team or sets its members. For owners and admins.' })
  @RequiresScopes('SESSION')
  teamUpdate(
    @Arg('id', () => ID, { description: 'Id of the team.' }) id: string,
    @InputArg(() => TeamUpdateInput) { name, userIds }: TeamUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    const change = { ...(name != null && { name }), ...(userIds && { members: lowerCased(userIds) }) }
    return administering(ctx, (inner) => changeTeam(inner, id, change))
  }

  @Mutation(() => ID, {
    description:
      'Deletes a team. Its members remain users, but no longer see the records of each other through this team.',
  })
  @RequiresScopes('SESSION')
  teamDelete(@Arg('id', () => ID, { description: 'Id of the team.' }) id: string, @Ctx() ctx: RequestContext) {
    return administering(ctx, (inner) => removeTeam(inner, id))
  }

  @Mutation(() => Team, { description: 'Adds members; users who are already members are kept.' })
  @RequiresScopes('SESSION')
  teamMembersAdd(
    @Arg('id', () => ID, { description: 'Id of the team.' }) id: string,
    @Arg('userIds', () => [ID], { description: 'Ids of users of the organization, at most 1000.' }) userIds: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return administering(ctx, (inner) => changeTeam(inner, id, { joining: lowerCased(userIds) }))
  }

  @Mutation(() => Team, { description: 'Removes members; users who are not members are ignored.' })
  @RequiresScopes('SESSION')
  teamMembersRemove(
    @Arg('id', () => ID, { description: 'Id of the team.' }) id: string,
    @Arg('userIds', () => [ID], { description: 'Ids of users of the organization, at most 1000.' }) userIds: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return administering(ctx, async (inner) => {
      await requireUsersOfOrganization(inner, lowerCased(userIds))
      return changeTeam(inner, id, { leaving: lowerCased(userIds) })
    })
  }

  @Mutation(() => Team, { description: 'Replaces all members of the team.' })
  @RequiresScopes('SESSION')
  teamMembersReplace(
    @Arg('id', () => ID, { description: 'Id of the team.' }) id: string,
    @Arg('userIds', () => [ID], { description: 'Ids of users of the organization, at most 1000.' }) userIds: string[],
    @Ctx() ctx: RequestContext,
  ) {
    return administering(ctx, (inner) => changeTeam(inner, id, { members: lowerCased(userIds) }))
  }

  @FieldResolver(() => [Team], { description: 'Teams of the user, ordered by name.' })
  teams(@Root() { organizationId, id }: User, @Ctx() { db }: RequestContext) {
    return teamsOf(db, organizationId, id)
  }
}

export const teamResource: Resource = { resolver: TeamResolver, announces: [team], migrations: [teamTables] }
