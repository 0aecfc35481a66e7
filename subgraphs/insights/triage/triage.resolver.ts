import { Args, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { accountNames } from '../../crm/public.ts'
import { ExpectedVersionArg, IdArg, InputArg } from '../../kernel/record/args.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import type { ConnectionArgs, PageArgs } from '../../kernel/record/list.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { withoutUnused, type FilterInput } from '../../kernel/record/filter-input.ts'
import { StatsFilterArg } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { executeAction } from './execute-action.ts'
import { requestScan } from './request-scan.ts'
import { churnWeightsJob } from './churn-weights/churn-weights.job.ts'
import { churnWeights } from './churn-weights/churn-weights.migrations.ts'
import { triageScan } from './scan.job.ts'
import { ignoreCase, resolveCase, savePlan } from './triage.actions.ts'
import { readTriageConfig, updateTriageConfig } from './triage-config.ts'
import { TriageConfig, TriageConfigUpdateInput } from './triage-config.types.ts'
import { triageStats, triageTrends } from './triage-figures.ts'
import {
  TriageCaseConnection,
  TriageCaseConnectionArgs,
  TriageCaseFilter,
  TriageCasePage,
  TriageCasePageArgs,
} from './triage.inputs.ts'
import { triageTables } from './triage.migrations.ts'
import { triageArea, triageOperations } from './triage.operations.ts'
import { triageCase } from './triage-case.record.ts'
import { TriageCase } from './triage-case.ts'
import {
  TriageAction,
  TriageScan,
  TriageSignal,
  TriageStats,
  TriageTrend,
  TriageCustomActionInput,
} from './triage.types.ts'
import { actionsFor, signalsFor } from './visible-parts.ts'

const cases = recordsOf(triageCase)

/** The longest timeout of a custom action, and the time for what surrounds it. */
const executeMs = 45_000

@Resolver(() => TriageCase)
export class TriageResolver {
  @Query(() => TriageCase, { nullable: true, description: 'Returns one triage case.' })
  triageCase(@IdArg() id: string, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return cases.one(ctx, id, info)
  }

  @Query(() => TriageCasePage, { description: 'Triage cases of accounts that the caller sees.' })
  triageCaseList(
    @Args(() => TriageCasePageArgs) args: PageArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return cases.page(ctx, args, info)
  }

  @Query(() => TriageCaseConnection, {
    description: 'Triage cases of accounts that the caller sees, in the form of a connection.',
  })
  triageCaseConnection(
    @Args(() => TriageCaseConnectionArgs) args: ConnectionArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return cases.connection(ctx, args, info)
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Name of the account; null if it is deleted.',
  })
  async accountName(@Root() { accountId }: TriageCase, @Ctx() ctx: RequestContext) {
    return (await accountNames(ctx, [accountId])).get(accountId) ?? null
  }

  @FieldResolver(() => [TriageSignal], {
    nullable: true,
    description:
      'Why the account is at risk, with the base rate first; null if the profile hides a field from which it follows.',
  })
  signals(@Root() root: TriageCase, @Ctx() ctx: RequestContext) {
    return signalsFor(ctx, root)
  }

  @FieldResolver(() => [TriageAction], {
    nullable: true,
    description:
      'What can be done, and what was done, about records that the caller sees; null if the profile hides a field from which it follows.',
  })
  actions(@Root() root: TriageCase, @Ctx() ctx: RequestContext) {
    return actionsFor(ctx, root)
  }

  @Query(() => TriageStats, { description: 'Figures of the triage cases that the caller sees.' })
  triageStats(@StatsFilterArg(triageCase, TriageCaseFilter) filter: FilterInput | null, @Ctx() ctx: RequestContext) {
    return triageStats(ctx, withoutUnused(filter ?? null))
  }

  @Query(() => [TriageTrend], {
    description: 'The triage cases that the caller sees, by day, the oldest day first.',
  })
  triageTrends(
    @ValueArg('days', () => Int, {
      default: 30,
      minimum: 1,
      maximum: 90,
      description: 'Number of days up to today.',
      example: 30,
    })
    days: number,
    @Ctx() ctx: RequestContext,
  ) {
    return triageTrends(ctx, days)
  }

  @Query(() => TriageConfig, { description: 'How the organization looks for accounts at risk.' })
  triageConfig(@Ctx() ctx: RequestContext) {
    return readTriageConfig(ctx)
  }

  @Mutation(() => TriageConfig, {
    description:
      'Changes how the organization looks for accounts at risk, from the next scan on. Only owners and admins may call it.',
  })
  @RequiresScope('HEALTH_TRIAGE')
  triageConfigUpdate(
    @InputArg(() => TriageConfigUpdateInput) input: TriageConfigUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateTriageConfig(ctx, input)
  }

  @Mutation(() => TriageScan, {
    description:
      'Requests a scan, which begins within a minute. While one was requested or runs, or the scans are off, it is refused with INVALID_STATE. Only owners and admins may call it.',
  })
  @RequiresScope('HEALTH_TRIAGE')
  triageScanRequest(@Ctx() ctx: RequestContext) {
    return requestScan(ctx)
  }

  @Mutation(() => TriageCase, {
    description:
      'Saves the plan of a case that is OPEN, PLAN_SAVED or IN_PROGRESS. OPEN becomes PLAN_SAVED. FAILED actions can be planned again.',
  })
  @RequiresScope('HEALTH_TRIAGE')
  triageSavePlan(
    @IdArg() id: string,
    @ValueArg('plan', () => String, {
      nullable: true,
      max: 5000,
      description: 'The plan in words; null removes it, absent leaves it.',
      example: 'Call the yard, then meet the new fleet manager.',
    })
    plan: string | null | undefined,
    @ValueArg('actionIds', () => ID, {
      nullable: true,
      list: true,
      maxItems: 50,
      description:
        'Ids of the actions of the plan: they become PLANNED, and the others of the case SKIPPED; what was executed stays. Null: the actions stay.',
      example: ['5f3c1a52-8a0e-5d4e-9a37-0c2b6a3f7d10'],
    })
    actionIds: string[] | null | undefined,
    @ValueArg('customActions', () => TriageCustomActionInput, {
      nullable: true,
      list: true,
      maxItems: 10,
      description:
        'Custom actions that the plan adds for the account: they become PLANNED, each with its input once, at most 20 in a case. One that the caller may not run now is VALIDATION_FAILED. Null for none.',
      example: [],
    })
    customActions: TriageCustomActionInput[] | null | undefined,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return savePlan(ctx, id, { plan, actionIds, customActions }, expectedVersion)
  }

  @Mutation(() => TriageCase, {
    description:
      'Puts a case aside that is OPEN, PLAN_SAVED or IN_PROGRESS. The scan opens it again when `until` has passed, or else after the cooldown, if the account is still at risk.',
  })
  @RequiresScope('HEALTH_TRIAGE')
  triageIgnore(
    @IdArg() id: string,
    @ValueArg('until', () => DateTime, {
      nullable: true,
      day: 'END',
      description: 'Until when, in the future; null: until the end of the cooldown.',
      example: '2099-01-01T00:00:00.000Z',
    })
    until: string | null | undefined,
    @ValueArg('reason', () => String, {
      nullable: true,
      max: 500,
      description: 'Why; null for no reason.',
      example: 'The yard is closed until spring.',
    })
    reason: string | null | undefined,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return ignoreCase(ctx, id, { until: until ?? null, reason: reason ?? null }, expectedVersion)
  }

  @Mutation(() => TriageCase, {
    description:
      'Resolves a case that is OPEN, PLAN_SAVED or IN_PROGRESS. The account gets no new one during the cooldown.',
  })
  @RequiresScope('HEALTH_TRIAGE')
  triageResolve(
    @IdArg() id: string,
    @ValueArg('resolution', () => String, {
      nullable: true,
      max: 1000,
      description: 'How it was resolved; null without words.',
      example: 'The yard has renewed.',
    })
    resolution: string | null | undefined,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return resolveCase(ctx, id, resolution ?? null, expectedVersion)
  }

  @Mutation(() => TriageCase, {
    description:
      'Executes a SUGGESTED or PLANNED action of a case that is OPEN, PLAN_SAVED or IN_PROGRESS, as the caller, with all rules of the mutation that it stands for. It runs once, whoever calls it and however often. A refused action, and a custom action that fails, becomes FAILED, with `error`. The case becomes IN_PROGRESS.',
  })
  @RequiresScope('HEALTH_TRIAGE')
  @Limits({ deadlineMs: executeMs })
  triageActionExecute(
    @IdArg() id: string,
    @ValueArg('actionId', () => ID, {
      description: 'Id of an action of the case.',
      example: '5f3c1a52-8a0e-5d4e-9a37-0c2b6a3f7d10',
    })
    actionId: string,
    @Ctx() ctx: RequestContext<'graph'>,
  ) {
    return executeAction(ctx, id, actionId)
  }
}

export const triageResource: Resource = {
  resolver: TriageResolver,
  entities: { TriageCase: triageCase },
  migrations: [triageTables, churnWeights],
  jobs: [triageScan, churnWeightsJob],
  rest: triageArea,
  operations: triageOperations,
}
