import { Ctx, FieldResolver, Int, Query, Resolver, Root } from 'type-graphql'
import { ValueArg } from '../../../kernel/record/declared-value.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { Resource } from '../../../kernel/subgraph/subgraph.ts'
import { engagementList } from './list.ts'
import { EngagementItem, EngagementObject, EngagementOrder, EngagementPage } from './list.types.ts'
import { RecordEngagement } from './record-engagement.ts'
import type { ScoredObject } from './scored-objects.ts'
import { engagementOf } from './stored-engagement.ts'

@Resolver(() => EngagementItem)
class EngagementListResolver {
  @Query(() => EngagementPage, {
    description:
      'The accounts, contacts or leads that the caller sees, by their engagement, with pages of any length; those without any are absent. Refused with FIELD_NOT_READABLE if the profile hides what engagement is made of.',
  })
  engagementList(
    @ValueArg('object', () => EngagementObject, { description: 'Which records.', example: 'ACCOUNT' })
    object: EngagementObject,
    @ValueArg('orderBy', () => EngagementOrder, { default: 'HIGHEST', description: 'Their order.', example: 'HIGHEST' })
    orderBy: EngagementOrder,
    @ValueArg('limit', () => Int, { default: 20, minimum: 1, maximum: 100, description: 'Records per page.' })
    limit: number,
    @ValueArg('cursor', () => String, {
      nullable: true,
      max: 500,
      description: '`nextCursor` of the previous page, of the same object and order.',
    })
    cursor: string | null,
    @Ctx() ctx: RequestContext,
  ) {
    return engagementList(ctx, { object, orderBy, limit, cursor: cursor ?? null })
  }

  @FieldResolver(() => RecordEngagement, { nullable: true })
  engagement(@Root() item: { readonly object: ScoredObject; readonly recordId: string }, @Ctx() ctx: RequestContext) {
    return engagementOf(ctx, item.object, item.recordId)
  }
}

export const engagementListResource: Resource = { resolver: EngagementListResolver }
