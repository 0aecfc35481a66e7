import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { Class } from '../../../kernel/record/declared-class.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { Resource } from '../../../kernel/subgraph/subgraph.ts'
import { Account, Contact, Lead } from '../../extended-records.ts'
import { engagementConsumer } from './engagement-consumer.ts'
import { engagementMomentum } from './momentum.job.ts'
import { storedMomentum } from './momentum.migrations.ts'
import { engagementBegun, engagementK } from './engagement.jobs.ts'
import { engagementListResource } from './list.resolver.ts'
import { RecordEngagement } from './record-engagement.ts'
import type { ScoredObject } from './scored-objects.ts'
import { engagementOf } from './stored-engagement.ts'
import { storedEngagement } from './stored.migrations.ts'

const description =
  'How much the customer engages; null if the profile hides the direction, outcome or sentiment of activities, or while it cannot be read.'

function edgeFrom(type: Class<{ id: string }>, object: ScoredObject): Resource {
  @Resolver(() => type)
  class EngagementEdgeResolver {
    @FieldResolver(() => RecordEngagement, { nullable: true, description })
    engagement(@Root() { id }: { readonly id: string }, @Ctx() ctx: RequestContext) {
      return engagementOf(ctx, object, id)
    }
  }
  return { resolver: EngagementEdgeResolver, types: [type] }
}

/** The engagement that is kept for accounts, contacts and leads. */
export const storedResources: readonly Resource[] = [
  {
    ...edgeFrom(Account, 'account'),
    migrations: [storedEngagement, storedMomentum],
    consumers: [engagementConsumer],
    jobs: [engagementBegun, engagementK, engagementMomentum],
  },
  edgeFrom(Contact, 'contact'),
  edgeFrom(Lead, 'lead'),
  engagementListResource,
]
