import { Ctx, FieldResolver, Float, ID, Int, Query, Resolver, Root } from 'type-graphql'
import { requireVisibleAccount, TimelineKind } from '../../crm/public.ts'
import { ValueArg } from '../../kernel/record/declared-value.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresAllScopes } from '../../kernel/record/requires-scope.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { dealScoreOf } from '../deal-score/deal-score.ts'
import { engagementOf } from '../engagement/stored/stored-engagement.ts'
import { RecordEngagement } from '../engagement/stored/record-engagement.ts'
import { Opportunity } from '../extended-records.ts'
import type { GraphReading } from '../../kernel/graph-port/read-blocks.ts'
import {
  Customer360,
  Customer360ContactItem,
  Customer360ContactPage,
  Customer360DealItem,
  Customer360DealPage,
  Customer360Documents,
  Customer360Signals,
  Customer360TimelinePage,
} from './customer-360.types.ts'
import { readOverview, readSignals } from './overview.ts'
import { readContacts, readDeals, readDocuments, readTimelinePage } from './parts.ts'

const AccountIdArg = () =>
  ValueArg('accountId', () => ID, {
    description: 'Id of the account.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
const PageArg = () =>
  ValueArg('page', () => Int, { default: 1, minimum: 1, maximum: 10_000, description: 'Number of the page.' })
const LimitArg = () =>
  ValueArg('limit', () => Int, { default: 20, minimum: 1, maximum: 100, description: 'Items per page.' })

@Resolver()
export class Customer360Resolver {
  @Query(() => Customer360, { description: 'Everything about a customer that the caller sees, on one page.' })
  @RequiresAllScopes('READ_CUSTOMER_VIEW', 'READ_ACCOUNTS')
  async customer360(@AccountIdArg() accountId: string, @Ctx() ctx: GraphReading) {
    return readOverview(ctx, await requireVisibleAccount(ctx, accountId))
  }

  @Query(() => Customer360TimelinePage, { description: 'The timeline of a customer, newest first.' })
  @RequiresAllScopes('READ_CUSTOMER_VIEW', 'READ_ACCOUNTS')
  async customer360Timeline(
    @AccountIdArg() accountId: string,
    @ValueArg('type', () => TimelineKind, {
      nullable: true,
      list: true,
      minItems: 1,
      description: 'Only entries of these kinds; null: all kinds. Kinds that the caller may not read are left out.',
      example: ['ACTIVITY'],
    })
    type: TimelineKind[] | null,
    @ValueArg('page', () => Int, {
      default: 1,
      minimum: 1,
      maximum: 10_000,
      description: 'Number of the page; `page` times `pageSize` is at most 10,000. Without effect with `cursor`.',
    })
    page: number,
    @ValueArg('pageSize', () => Int, { default: 20, minimum: 1, maximum: 100, description: 'Entries per page.' })
    pageSize: number,
    @ValueArg('cursor', () => String, {
      nullable: true,
      max: 500,
      description: '`nextCursor` of the previous page, for timelines of any length.',
    })
    cursor: string | null,
    @Ctx() ctx: GraphReading,
  ) {
    const id = await requireVisibleAccount(ctx, accountId)
    return readTimelinePage(ctx, id, { type: type ?? null, page, pageSize, cursor: cursor ?? null })
  }

  @Query(() => Customer360ContactPage, { description: 'The contacts of a customer with their engagement.' })
  @RequiresAllScopes('READ_CUSTOMER_VIEW', 'READ_ACCOUNTS', 'READ_CONTACTS')
  async customer360Contacts(
    @AccountIdArg() accountId: string,
    @PageArg() page: number,
    @LimitArg() limit: number,
    @Ctx() ctx: GraphReading,
  ) {
    return readContacts(ctx, await requireVisibleAccount(ctx, accountId), { page, limit })
  }

  @Query(() => Customer360DealPage, { description: 'The deals with a customer, also the closed ones.' })
  @RequiresAllScopes('READ_CUSTOMER_VIEW', 'READ_ACCOUNTS', 'READ_OPPORTUNITIES')
  async customer360Deals(
    @AccountIdArg() accountId: string,
    @PageArg() page: number,
    @LimitArg() limit: number,
    @Ctx() ctx: GraphReading,
  ) {
    return readDeals(ctx, await requireVisibleAccount(ctx, accountId), { page, limit })
  }

  @Query(() => Customer360Documents, { description: 'The quotes, contracts and orders of a customer.' })
  @RequiresAllScopes('READ_CUSTOMER_VIEW', 'READ_ACCOUNTS')
  async customer360Documents(@AccountIdArg() accountId: string, @Ctx() ctx: GraphReading) {
    return readDocuments(ctx, await requireVisibleAccount(ctx, accountId))
  }

  @Query(() => Customer360Signals, { description: 'What the figures and records of a customer say about it.' })
  @RequiresAllScopes('READ_CUSTOMER_VIEW', 'READ_ACCOUNTS')
  async customer360Signals(@AccountIdArg() accountId: string, @Ctx() ctx: GraphReading) {
    return readSignals(ctx, await requireVisibleAccount(ctx, accountId))
  }
}

@Resolver(() => Customer360ContactItem)
class Customer360ContactResolver {
  @FieldResolver(() => RecordEngagement, { nullable: true })
  engagement(@Root() { contact }: { readonly contact: { readonly id: string } }, @Ctx() ctx: GraphReading) {
    return engagementOf(ctx, 'contact', contact.id)
  }
}

const scoreOnly: ReadonlySet<string> = new Set(['score'])

@Resolver(() => Customer360DealItem)
class Customer360DealResolver {
  @FieldResolver(() => Float, { nullable: true })
  async score(@Root() { deal }: { readonly deal: { readonly id: string } }, @Ctx() ctx: GraphReading) {
    return (await dealScoreOf(ctx, deal.id, scoreOnly))?.score ?? null
  }
}

const path = '/v1/customer-360/{accountId}'

export const customer360Resources: readonly Resource[] = [
  {
    resolver: Customer360Resolver,
    types: [Opportunity],
    operations: [
      operation(`GET ${path}`, 'customer360', {
        summary: 'Read everything about a customer',
        answers: 'The customer.',
      }),
      operation(`GET ${path}/timeline`, 'customer360Timeline', {
        summary: 'Read the timeline of a customer',
        answers: 'A page of the timeline.',
      }),
      operation(`GET ${path}/contacts`, 'customer360Contacts', {
        summary: 'Read the contacts of a customer',
        answers: 'A page of the contacts.',
      }),
      operation(`GET ${path}/deals`, 'customer360Deals', {
        summary: 'Read the deals with a customer',
        answers: 'A page of the deals.',
      }),
      operation(`GET ${path}/documents`, 'customer360Documents', {
        summary: 'Read the documents of a customer',
        answers: 'The documents.',
      }),
      operation(`GET ${path}/signals`, 'customer360Signals', {
        summary: 'Read the signals of a customer',
        answers: 'The signals.',
      }),
    ],
  },
  { resolver: Customer360ContactResolver },
  { resolver: Customer360DealResolver },
]
