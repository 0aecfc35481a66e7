import { Float, ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { Account, Contact, Opportunity } from '../extended-records.ts'
import { ComputedHealth } from '../triage/account-health.resolver.ts'
import { RecordEngagement } from '../engagement/stored/record-engagement.ts'
import {
  Customer360Brief,
  Customer360Contact,
  Customer360Contract,
  Customer360Deal,
  Customer360Document,
  Customer360Invoices,
  Customer360Signal,
  Customer360TimelineEntry,
  Customer360Warning,
} from './parts.types.ts'

const time = '2026-11-28T13:00:00.000Z'

@ObjectType({
  description:
    'Everything about a customer on one page, as far as the caller may read and sees it. Each part is read by itself, for at most 1.5 s; one that cannot be read is null and named in `warnings`.',
})
@RequiresScope('CUSTOMER_VIEW')
export class Customer360 {
  @OutputField(() => Account, { nullable: true, description: 'The account; null if it was deleted meanwhile.' })
  account!: object | null

  @OutputField(() => ComputedHealth, {
    nullable: true,
    description: 'The computed health of the account; null too if the profile hides a field from which it follows.',
  })
  health!: ComputedHealth | null

  @OutputField(() => Customer360Contact, {
    nullable: true,
    list: true,
    maxItems: 10,
    description: 'The ten newest contacts.',
  })
  contacts!: readonly Customer360Contact[] | null

  @OutputField(() => Customer360Deal, {
    nullable: true,
    list: true,
    maxItems: 100,
    description: 'The open deals, the one that closes first at the beginning, at most 100.',
  })
  openDeals!: readonly Customer360Deal[] | null

  @OutputField(() => Decimal, {
    nullable: true,
    description:
      'Sum of the won deals in the base currency of the organization; deals without an exchange rate are left out. Null if the profile hides it.',
    example: 128000,
  })
  wonRevenue!: ExactNumber | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Number of cases that are not resolved or closed.',
    example: 2,
  })
  openCases!: number | null

  @OutputField(() => Customer360Invoices, { nullable: true, description: 'What the customer owes.' })
  invoices!: Customer360Invoices | null

  @OutputField(() => RecordEngagement, {
    nullable: true,
    description: 'The engagement of the account; null too if the profile hides what it is made of.',
  })
  engagement!: RecordEngagement | null

  @OutputField(() => Customer360Signal, {
    list: true,
    maxItems: 11,
    description: 'What the parts that were read say about the customer.',
  })
  signals!: readonly Customer360Signal[]

  @OutputField(() => Customer360TimelineEntry, {
    nullable: true,
    list: true,
    maxItems: 10,
    description: 'The ten newest entries of the timeline.',
  })
  recentTimeline!: readonly Customer360TimelineEntry[] | null

  @OutputField(() => Customer360Brief, {
    nullable: true,
    description:
      'The last brief of the account that was written for the caller, as `GET /v1/accounts/{id}/ai-brief` answers; null if there is none.',
  })
  brief!: Customer360Brief | null

  @OutputField(() => Customer360Warning, { list: true, maxItems: 13, description: 'The parts that could not be read.' })
  warnings!: readonly Customer360Warning[]

  @OutputField(() => DateTime, { description: 'When it was read: the time of the request.', example: time })
  computedAt!: string
}

@ObjectType({ description: 'What the figures and records of a customer say about it.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Signals {
  @NamesRecord('account')
  @OutputField(() => ID, {
    description: 'Id of the account.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string

  @OutputField(() => Customer360Signal, {
    list: true,
    maxItems: 11,
    description: 'What was found; empty if nothing was.',
  })
  signals!: readonly Customer360Signal[]

  @OutputField(() => Customer360Warning, {
    list: true,
    maxItems: 11,
    description: 'The parts that could not be read; their signals are missing.',
  })
  warnings!: readonly Customer360Warning[]

  @OutputField(() => DateTime, { description: 'When they were computed: the time of the request.', example: time })
  computedAt!: string
}

const documents = { nullable: true, list: true, maxItems: 50 } as const

@ObjectType({ description: 'Quotes, contracts and orders of a customer, the 50 newest of each.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360Documents {
  @OutputField(() => Customer360Document, { ...documents, description: 'Quotes in every status, the newest first.' })
  quotes!: readonly Customer360Document[] | null

  @OutputField(() => Customer360Contract, {
    ...documents,
    description:
      'The contracts: documents of the category CONTRACT about the account or one of its deals, the newest first. Quotes that were accepted are in `quotes`.',
  })
  contracts!: readonly Customer360Contract[] | null

  @OutputField(() => Customer360Document, { ...documents, description: 'Orders in every status, the newest first.' })
  orders!: readonly Customer360Document[] | null

  @OutputField(() => Customer360Warning, { list: true, maxItems: 3, description: 'The parts that could not be read.' })
  warnings!: readonly Customer360Warning[]
}

@ObjectType({ description: 'A contact of a customer with its engagement.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360ContactItem {
  @OutputField(() => Contact, { nullable: true, description: 'The contact; null if it was deleted meanwhile.' })
  contact!: object | null

  @OutputField(() => RecordEngagement, {
    nullable: true,
    description: 'Its engagement; null if the profile hides what it is made of.',
  })
  engagement!: RecordEngagement | null
}

@ObjectType({ description: 'A deal with a customer.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360DealItem {
  @OutputField(() => Opportunity, {
    nullable: true,
    description: 'The opportunity with its `stageHistory`; null if it was deleted meanwhile.',
  })
  deal!: object | null

  @OutputField(() => Float, {
    nullable: true,
    description: 'Its score, 0 to 100; null if it is closed, or if the profile hides what it is made of.',
    example: 64.2,
  })
  score!: number | null
}

const pageField = { description: 'Number of the page, from 1.', example: 1 } as const
const limitField = { description: 'Maximum number of items on a page.', example: 20 } as const
const hasMoreField = { description: 'Whether more follow.', example: false } as const
const totalField = { description: 'Number of all items.', example: 1 } as const
const pagesField = { description: 'Number of pages.', example: 1 } as const

@ObjectType({ description: 'A page of the contacts of a customer.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360ContactPage {
  @OutputField(() => Customer360ContactItem, { list: true, description: 'The contacts, newest first.' })
  data!: readonly object[]

  @OutputField(() => Int, totalField) total!: number
  @OutputField(() => Int, pageField) page!: number
  @OutputField(() => Int, limitField) limit!: number
  @OutputField(() => Int, pagesField) totalPages!: number
  @OutputField(() => Boolean, hasMoreField) hasMore!: boolean
}

@ObjectType({ description: 'A page of the deals with a customer.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360DealPage {
  @OutputField(() => Customer360DealItem, { list: true, description: 'The deals, the one that closes last first.' })
  data!: readonly object[]

  @OutputField(() => Int, totalField) total!: number
  @OutputField(() => Int, pageField) page!: number
  @OutputField(() => Int, limitField) limit!: number
  @OutputField(() => Int, pagesField) totalPages!: number
  @OutputField(() => Boolean, hasMoreField) hasMore!: boolean
}

@ObjectType({ description: 'A page of the timeline of a customer.' })
@RequiresScope('CUSTOMER_VIEW')
export class Customer360TimelinePage {
  @OutputField(() => Customer360TimelineEntry, { list: true, description: 'The entries, newest first.' })
  data!: readonly Customer360TimelineEntry[]

  @OutputField(() => Int, pageField) page!: number
  @OutputField(() => Int, limitField) limit!: number
  @OutputField(() => Boolean, hasMoreField) hasMore!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: '`cursor` of the next page; null on the last page.',
    example: null,
  })
  nextCursor!: string | null
}
