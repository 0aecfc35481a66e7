import { edgeToMany } from '../../kernel/record/edge-to-many.ts'
import { extendedEntity } from '../../kernel/record/extended-entity.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { orderTypes } from '../order/order.inputs.ts'
import { order } from '../order/order.record.ts'
import { quoteTypes } from '../quote/quote.inputs.ts'
import { quote } from '../quote/quote.record.ts'

const Opportunity = extendedEntity('Opportunity')

/** Edges of opportunities. They are nullable, so that opportunities can be read while this subgraph is unavailable. */
export const opportunityEdges: readonly Resource[] = [
  edgeToMany(Opportunity, 'quotes', {
    records: quote,
    types: quoteTypes,
    by: 'opportunityId',
    nullable: true,
    description: 'Live quotes of the opportunity that the caller sees; null while they cannot be read.',
  }),
  edgeToMany(Opportunity, 'orders', {
    records: order,
    types: orderTypes,
    by: 'opportunityId',
    nullable: true,
    description: 'Live orders of the opportunity that the caller sees; null while they cannot be read.',
  }),
]
