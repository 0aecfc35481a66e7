import { Args, Ctx, FieldResolver, Info, Query, Resolver, Root } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { readChildren } from '../../kernel/record/connection.ts'
import { readPage } from '../../kernel/record/list.ts'
import { connectionSelection } from '../../kernel/record/records-of.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { userNameTable } from './listed-user.migrations.ts'
import { managerColumn } from '../user/user.migrations.ts'
import { userOf } from './user-of.ts'
import { ListedUser, listedUser, ReportsArgs, UserConnection, UserLookupArgs, UserPage } from './listed-user.ts'

const idsMax = 100

@Resolver(() => ListedUser)
export class UserLookupResolver {
  @Query(() => UserPage, {
    description:
      'Users of the organization by name, for every caller: to choose an owner or an assignee, and to show the names of ids. `userList` shows more to owners and admins.',
  })
  @RequiresScopes(memberScope)
  userLookup(
    @Args(() => UserLookupArgs) { search = null, ids, includeInactive, page, limit, cursor = null }: UserLookupArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    if (ids && ids.length > idsMax)
      throw invalid({ path: 'ids', code: 'TOO_MANY', message: `ids must have at most ${idsMax} items.` })
    const isActiveOnly = !(includeInactive ?? Boolean(ids))
    const filter = { ...(ids && { id: { in: ids } }), ...(isActiveOnly && { active: { eq: true } }) }
    const orderBy = [{ field: 'name', direction: 'ASC' }]
    return readPage(
      ctx,
      listedUser,
      { search, filter, orderBy, page, limit, cursor },
      {
        page: selectedFields(info),
        record: selectedFields(info, ['data']),
        total: isAnySelected(info, 'total', 'totalPages'),
      },
    )
  }

  @FieldResolver(() => ListedUser, {
    nullable: true,
    description: 'The user to whom the user reports; null if `managerId` is null.',
  })
  manager(@Root() { managerId }: ListedUser, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return userOf(ctx, managerId, info)
  }

  @FieldResolver(() => UserConnection, {
    description: 'The users who report to this user, by name, also those who are not active.',
  })
  reports(
    @Root() { id: parentId }: ListedUser,
    @Args(() => ReportsArgs) { first, after = null }: ReportsArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    const orderBy = [{ field: 'name', direction: 'ASC' as const }]
    return readChildren(ctx, listedUser, 'managerId', { parentId, first, after, orderBy }, connectionSelection(info))
  }
}

export const userLookupResource: Resource = {
  resolver: UserLookupResolver,
  entities: { User: listedUser },
  migrations: [userNameTable, managerColumn],
}
