import { Resolver } from 'type-graphql'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { quoteTypes } from './quote.inputs.ts'
import { quoteTable } from './quote.migrations.ts'
import { quote } from './quote.record.ts'
import { QuoteStats, quoteStats } from './quote.stats.ts'
import { Quote } from './quote.ts'

@Resolver(() => Quote)
export class QuoteResolver extends standardResolver(quote, {
  scope: 'QUOTES',
  types: quoteTypes,
  stats: { type: QuoteStats, read: quoteStats },
  restoreDescription: 'Restores a deleted quote, if no other quote took its place as revision or as primary quote.',
}) {}

export const quoteResource: Resource = {
  resolver: QuoteResolver,
  entities: { Quote: quote },
  migrations: [quoteTable],
  rest: restArea(quote, {
    path: 'quotes',
    filters: [
      'status',
      'approvalStatus',
      'opportunityId',
      'accountId',
      'contactId',
      'ownerId',
      'isPrimary',
      'currency',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
}
