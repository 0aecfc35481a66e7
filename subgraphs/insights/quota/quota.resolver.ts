import { Arg, Args, Ctx, FieldResolver, ID, Info, Mutation, Query, Resolver, Root } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { quotaAttainedConsumer } from './attained-consumer.ts'
import { quotaAttainment } from './attainment.ts'
import { OrganizationTarget, QuotaAttainmentPage } from './attainment.types.ts'
import { organizationTarget } from './organization-target.ts'
import { copyPreviousQuotas, deleteQuota, setQuota, setQuotasInBulk } from './quota.actions.ts'
import {
  AttainmentArgs,
  PeriodArgs,
  QuotaBulk,
  QuotaCopy,
  QuotaInput,
  QuotaPage,
  QuotaPageArgs,
  quotasMax,
} from './quota.inputs.ts'
import { PeriodType } from './quota.enumerations.ts'
import { quotaAttainedTable, quotaTable } from './quota.migrations.ts'
import { quota } from './quota.record.ts'
import { Quota } from './quota.ts'

const whoSets = 'Owners and admins set every quota, a manager those of the users who report to the manager.'

@Resolver(() => Quota)
export class QuotaResolver {
  @Query(() => QuotaPage, {
    description:
      'The quotas of the users whose records the caller sees; quotas of teams are seen with the visibility ALL.',
  })
  @RequiresScopes('READ_FORECASTS')
  quotaList(@Args(() => QuotaPageArgs) args: QuotaPageArgs, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return recordsOf(quota).page(ctx, args, info)
  }

  @Query(() => QuotaAttainmentPage, {
    description:
      'What was won for the quotas that the caller sees, and what is expected. Without `period`, the quotas of the current periods: of the type `periodType`, or of all types.',
  })
  @RequiresScopes('READ_FORECASTS')
  quotaAttainment(
    @Args(() => AttainmentArgs) args: AttainmentArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return quotaAttainment(ctx, args, info)
  }

  @Query(() => OrganizationTarget, {
    description:
      'The quotas of a period together. Without `period` the current period of the type `periodType`, or the current quarter.',
  })
  @RequiresScopes('READ_FORECASTS')
  organizationTarget(@Args(() => PeriodArgs) args: PeriodArgs, @Ctx() ctx: RequestContext) {
    return organizationTarget(ctx, args)
  }

  @Mutation(() => Quota, { description: `Sets the quota of a user or a team for a period. ${whoSets}` })
  @RequiresScope('FORECASTS')
  quotaSet(@InputArg(() => QuotaInput) input: QuotaInput, @Ctx() ctx: RequestContext) {
    return setQuota(ctx, input)
  }

  @Mutation(() => QuotaBulk, { description: `Sets up to ${quotasMax} quotas, or none if one is refused. ${whoSets}` })
  @RequiresScope('FORECASTS')
  quotaBulkSet(
    @Arg('quotas', () => [QuotaInput], { description: `The quotas, 1 to ${quotasMax}.` }) quotas: QuotaInput[],
    @Ctx() ctx: RequestContext,
  ) {
    return setQuotasInBulk(ctx, quotas)
  }

  @Mutation(() => QuotaCopy, {
    description: `Copies the quotas of the period before that the caller may set, where this period has none. ${whoSets}`,
  })
  @RequiresScope('FORECASTS')
  quotaCopyPrevious(
    @Arg('period', () => String, { description: 'The period that gets the quotas.' }) period: string,
    @Arg('periodType', () => PeriodType, {
      nullable: true,
      description: 'Length of the period; it must fit the text. Null: as the text says.',
    })
    periodType: PeriodType | null,
    @Ctx() ctx: RequestContext,
  ) {
    return copyPreviousQuotas(ctx, { period, periodType })
  }

  @Mutation(() => ID, { description: `Deletes a quota. ${whoSets}` })
  @RequiresScope('FORECASTS')
  quotaDelete(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return deleteQuota(ctx, id)
  }

  @FieldResolver(() => Boolean, {
    description: 'True in the answer to the request that set the quota first; false in every other answer.',
  })
  isNew(@Root() { isNew }: Quota & { isNew?: boolean }): boolean {
    return isNew === true
  }
}

export const quotaResource: Resource = {
  resolver: QuotaResolver,
  announces: [quota],
  migrations: [quotaTable, quotaAttainedTable],
  consumers: [quotaAttainedConsumer],
}
