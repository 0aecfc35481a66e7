import { Args, Ctx, Info, Query, Resolver } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { readPage } from '../../kernel/record/list.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { isAnySelected, selectedFields, type SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { memberScope } from '../../kernel/scopes.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { userNameTable } from './listed-user.migrations.ts'
import { ListedUser, listedUser, UserLookupArgs, UserPage } from './listed-user.ts'

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
}

export const userLookupResource: Resource = {
  resolver: UserLookupResolver,
  entities: { User: listedUser },
  migrations: [userNameTable],
}
