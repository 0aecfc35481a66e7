import { Arg, Ctx, FieldResolver, ID, Info, Int, Mutation, Query, Resolver, Root } from 'type-graphql'
import { ExpectedVersionArg, IdArg } from '../../kernel/record/args.ts'
import type { FilterInput } from '../../kernel/record/filter-input.ts'
import { RequiresAllScopes } from '../../kernel/record/requires-scope.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import type { OrderInput } from '../../kernel/record/order.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { createdAfter, ids, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { Account } from '../account/account.ts'
import { account } from '../account/account.record.ts'
import { contact } from '../contact/contact.record.ts'
import { Contact } from '../contact/contact.ts'
import { pipeline } from '../pipeline/pipeline.record.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import { opportunityBoard, OpportunityBoard } from './opportunity-board.ts'
import { daysInStage, isRotten } from './days-in-stage.ts'
import { setForecastCategory } from './opportunity.actions.ts'
import { ForecastCategory } from './opportunity.enumerations.ts'
import { opportunityTypes } from './opportunity.inputs.ts'
import {
  opportunityDays,
  opportunityDetails,
  opportunityTable,
  stageEntries,
  stageEntryOrder,
} from './opportunity.migrations.ts'
import { opportunity } from './opportunity.record.ts'
import { OpportunityStats, opportunityStats } from './opportunity.stats.ts'
import { Opportunity } from './opportunity.ts'
import { stageChanges } from './opportunity.timeline.ts'

const accounts = recordsOf(account)
const contacts = recordsOf(contact)
const pipelines = recordsOf(pipeline)

@Resolver(() => Opportunity)
export class OpportunityResolver extends standardResolver(opportunity, {
  scope: 'OPPORTUNITIES',
  types: opportunityTypes,
  stats: { type: OpportunityStats, read: opportunityStats },
}) {
  @Query(() => OpportunityBoard, {
    description:
      'The deal board: for each stage of a pipeline its totals and its first opportunities. Without a filter, and with one by pipeline, stage, currency, `forecastCategory`, `type`, `isClosed` and `isWon`, the totals are maintained.',
  })
  opportunityBoard(
    @Arg('pipelineId', () => ID, {
      nullable: true,
      description: 'Id of the pipeline; null for the default pipeline of the organization.',
    })
    pipelineId: string | null,
    @ValueArg('perStage', () => Int, {
      default: 20,
      minimum: 1,
      maximum: 100,
      description: 'Maximum number of opportunities for each stage.',
      example: 20,
    })
    perStage: number,
    @Arg('filter', () => opportunityTypes.Filter, {
      nullable: true,
      description: 'Conditions; null: all opportunities of the pipeline that the caller sees.',
    })
    filter: FilterInput | null,
    @Arg('orderBy', () => [opportunityTypes.Order], {
      nullable: true,
      description: 'Sort order within each stage; null: newest first. `nextCursor` continues in the same order.',
    })
    orderBy: OrderInput[] | null,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return opportunityBoard(ctx, { pipelineId, perStage, filter, orderBy }, info)
  }

  @Mutation(() => Opportunity, {
    description:
      'Sets the forecast category of an open opportunity, which then stays when the stage changes, until the opportunity is closed or the category is changed again.',
  })
  @RequiresAllScopes('WRITE_FORECASTS', 'WRITE_OPPORTUNITIES')
  opportunitySetForecastCategory(
    @IdArg() id: string,
    @Arg('category', () => ForecastCategory, {
      description: 'The category: PIPELINE, BEST_CASE, COMMIT or OMITTED.',
    })
    category: ForecastCategory,
    @ValueArg('reason', () => String, {
      nullable: true,
      max: 1000,
      description: 'Why the category differs from that of the stage; null for no reason.',
      example: 'The contract is with their lawyers.',
    })
    reason: string | null,
    @ExpectedVersionArg() expectedVersion: number | null,
    @Ctx() ctx: RequestContext,
  ) {
    return setForecastCategory(ctx, id, category, reason ?? null, expectedVersion)
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: 'The account of the opportunity; null if it is deleted or the caller does not see it.',
  })
  account(@Root() root: Opportunity, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return accounts.reference(ctx, root.accountId, info)
  }

  @FieldResolver(() => Contact, {
    nullable: true,
    description: 'The primary contact; null if there is none or the caller does not see it.',
  })
  primaryContact(@Root() root: Opportunity, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return contacts.reference(ctx, root.primaryContactId, info)
  }

  @FieldResolver(() => Pipeline, { nullable: true, description: 'The pipeline of the opportunity.' })
  pipeline(@Root() root: Opportunity, @Ctx() ctx: RequestContext, @Info() info: SelectionInfo) {
    return pipelines.reference(ctx, root.pipelineId, info)
  }

  @FieldResolver(() => Int, {
    nullable: true,
    description: 'Whole days since the opportunity entered its stage; null if it is closed.',
  })
  daysInStage(@Root() root: Opportunity, @Ctx() ctx: RequestContext) {
    return daysInStage(ctx, root)
  }

  @FieldResolver(() => Boolean, {
    description:
      'True if the opportunity is open and has been in its stage for longer than `rottenAfterDays` of the stage; false also where the stage has no such limit.',
  })
  isRotten(@Root() root: Opportunity, @Ctx() ctx: RequestContext) {
    return isRotten(ctx, root)
  }
}

export const opportunityResource: Resource = {
  resolver: OpportunityResolver,
  entities: { Opportunity: opportunity },
  timeline: [stageChanges],
  migrations: [opportunityTable, opportunityDetails, stageEntries, opportunityDays, stageEntryOrder],
  rest: restArea(opportunity, {
    path: 'opportunities',
    filters: [
      'stage',
      'pipelineId',
      'accountId',
      'primaryContactId',
      { name: 'owner', column: 'ownerId', operator: 'eq' },
      'forecastCategory',
      'type',
      'leadSource',
      'isClosed',
      'isWon',
      'currency',
      { name: 'closeDateAfter', column: 'closeDate', operator: 'gt' },
      { name: 'closeDateBefore', column: 'closeDate', operator: 'lt' },
      'externalId',
      createdAfter,
      updatedAfter,
      ids,
    ],
  }),
  operations: [
    operation('GET /v1/opportunities/board', 'opportunityBoard', {
      summary: 'Read the deal board',
      answers: 'The deal board.',
      parameters: {
        owner: 'filter.ownerId.eq',
        accountId: 'filter.accountId.eq',
        sortBy: 'orderBy.field',
        sortOrder: 'orderBy.direction',
      },
      refusals: [404],
    }),
    operation('PUT /v1/quota-forecast/deals/{id}/forecast-category', 'opportunitySetForecastCategory', {
      summary: 'Set the forecast category of a deal',
      folder: 'opportunities',
      tag: 'Quotas and forecasts',
      body: 'ForecastCategoryInput',
      example: { category: 'COMMIT', reason: 'The contract is with their lawyers.' },
    }),
  ],
}
