import { Part, Structure } from '../../kernel/record/structure.ts'

/** The options of one line of an address. */
const line = (max: number, what: string, example: string) => ({
  nullable: true,
  max,
  description: `${what}; null if unknown.`,
  example,
})

@Structure('PostalAddress', 'A postal address.')
export class PostalAddress {
  @Part(() => String, line(255, 'Street and number', 'Skeppsbron 14'))
  street!: string | null

  @Part(() => String, line(100, 'City', 'Gothenburg'))
  city!: string | null

  @Part(() => String, line(100, 'State or province', 'Västra Götaland'))
  state!: string | null

  @Part(() => String, line(20, 'Postal code', '411 21'))
  postalCode!: string | null

  @Part(() => String, line(100, 'Country', 'Sweden'))
  country!: string | null
}
