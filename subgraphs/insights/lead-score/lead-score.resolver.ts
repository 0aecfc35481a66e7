import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Lead } from '../extended-records.ts'
import { leadRates } from './lead-rate.job.ts'
import { leadScoreTables } from './lead-score.migrations.ts'
import { leadScoreOf } from './lead-score.ts'
import { LeadComputedScore } from './lead-score.types.ts'

@Resolver(() => Lead)
class LeadScoreResolver {
  @FieldResolver(() => LeadComputedScore, {
    nullable: true,
    description:
      'The score that the platform computes from fit and engagement; null if the profile hides all of it, or while it cannot be read.',
  })
  computedScore(@Root() { id }: { readonly id: string }, @Ctx() ctx: RequestContext) {
    return leadScoreOf(ctx, id)
  }
}

export const leadScoreResource: Resource = {
  resolver: LeadScoreResolver,
  types: [Lead],
  migrations: [leadScoreTables],
  jobs: [leadRates],
}
