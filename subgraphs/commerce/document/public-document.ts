import { Directive, Field, ObjectType } from 'type-graphql'
import type { Seller } from '../../identity/public.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { LineItem } from '../line-item/line-item.ts'

@ObjectType({ description: 'The organization that sells, as its customers see it.' })
@Directive('@shareable')
@RequiresScopes('PUBLIC')
export class PublicSeller {
  @Field(() => String, { description: 'Name of the organization.' })
  name!: string

  @Field(() => [String], { description: 'Lines of its postal address; empty if not set.' })
  address!: readonly string[]

  @Field(() => String, { nullable: true, description: 'Its tax id; null if not set.' })
  taxId!: string | null

  @Field(() => String, { nullable: true, description: 'Its colour, such as `#1f4e79`; null if not set.' })
  color!: string | null

  @Field(() => String, { nullable: true, description: 'Path of its logo on this server; null if it has none.' })
  logoPath!: string | null
}

export const logoPathOf = ({ logo }: Pick<Seller, 'logo'>): string | null => logo && `/v1/public/logos/${logo.id}`

export const publicSeller = (seller: Seller): PublicSeller => ({ ...seller, logoPath: logoPathOf(seller) })

/** The parties, lines and amounts of a quote or an invoice, as the customer sees them on its public page. */
@ObjectType()
export abstract class PublicDocument {
  @Field(() => PublicSeller, { description: 'The organization that makes the offer, or that must be paid.' })
  seller!: PublicSeller

  @Field(() => String, {
    nullable: true,
    description: 'Name of the account that buys, or of its contact; null without both.',
  })
  customerName!: string | null

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
