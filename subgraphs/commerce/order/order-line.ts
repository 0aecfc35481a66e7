import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { LineItem } from '../line-item/line-item.ts'

@Structure('OrderLineItem', 'One line of an order. Its amounts are in the currency of the order.')
export class OrderLineItem extends LineItem {
  @Part(() => Decimal, {
    writable: 'NEVER',
    default: 0,
    description: 'Number of units that were delivered, at most `quantity`. `orderFulfill` adds to it.',
    example: 0,
  })
  quantityFulfilled!: ExactNumber

  @Part(() => Decimal, {
    writable: 'NEVER',
    default: 0,
    description: 'Number of units that were invoiced, at most `quantity`.',
    example: 0,
  })
  quantityInvoiced!: ExactNumber
}
