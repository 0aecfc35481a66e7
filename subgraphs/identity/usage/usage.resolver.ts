import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { deprecatedUsage } from './deprecated-usage.ts'
import { usageForget } from './usage-forget.job.ts'
import { usageDaysDefault, usageSummary } from './usage-summary.ts'
import { usageTables } from './usage.migrations.ts'
import { ApiUsageSummary, DeprecatedUsage } from './usage.types.ts'

@Resolver()
export class UsageResolver {
  @Query(() => ApiUsageSummary, {
    description: 'Usage figures of the organization in the last 1 to 90 days. For owners and admins.',
  })
  @RequiresScopes('*')
  apiUsageSummary(
    @Arg('days', () => Int, {
      defaultValue: usageDaysDefault,
      description: 'Length of the period in days of 24 hours, 1 to 90.',
    })
    days: number,
    @Ctx() ctx: RequestContext,
  ) {
    return usageSummary(ctx, days)
  }

  @Query(() => [DeprecatedUsage], {
    description:
      "Calls of deprecated operations in the last 30 days: the user's own; for owners and admins all of the organization.",
  })
  @RequiresScopes('SESSION')
  apiKeyDeprecatedUsage(@Ctx() ctx: RequestContext) {
    return deprecatedUsage(ctx)
  }
}

export const usageResource: Resource = { resolver: UsageResolver, migrations: [usageTables], jobs: [usageForget] }
