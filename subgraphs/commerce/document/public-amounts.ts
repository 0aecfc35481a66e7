import { Field, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { LineItem } from '../line-item/line-item.ts'

/** The lines and amounts of a quote or an invoice, as the customer sees them on its public page. */
@ObjectType()
export abstract class PublicAmounts {
  @Field(() => String, { description: 'Currency of all amounts as ISO 4217 code.' })
  currency!: string

  @Field(() => [LineItem], { description: 'The lines in their order.' })
  lineItems!: LineItem[]

  @Field(() => Decimal, { description: 'Sum of the lines after their discounts.' })
  subtotal!: ExactNumber

  @Field(() => Decimal, { description: 'Discount on the whole, not on single lines.' })
  discountTotal!: ExactNumber

  @Field(() => Decimal, { description: 'Tax of all lines.' })
  taxTotal!: ExactNumber

  @Field(() => Decimal, { description: 'Cost of shipping.' })
  shippingTotal!: ExactNumber

  @Field(() => Decimal, { description: 'What the customer pays in all.' })
  total!: ExactNumber
}
