import { Directive, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../json/exact-number.ts'
import { enumeration } from '../column.ts'
import { OutputField } from '../declared-value.ts'
import { DateTime, Decimal } from '../scalars.ts'
import type { DateUnit } from './date-unit.ts'

export const groupByMax = 3
export const measuresMax = 10
export const groupsMax = 1000

export const AggregateSort = enumeration('AggregateSort', 'What decides the order of groups.', {
  KEY: 'The keys: times from early to late, texts from A to Z, enumerations by their names.',
  COUNT: 'The number of records.',
  SUM: 'The first of the requested sums.',
  AVERAGE: 'The first of the requested averages.',
  MIN: 'The first of the requested smallest values.',
  MAX: 'The first of the requested largest values.',
})
export type AggregateSort = keyof typeof AggregateSort

@ObjectType({ description: 'A figure over the records with an amount in one currency, in that currency.' })
@Directive('@shareable')
export class AggregateCurrencyValue {
  @OutputField(() => String, { description: 'ISO 4217 code of the currency.', example: 'EUR' })
  currency!: string

  @OutputField(() => Int, { description: 'Number of records with a value in this currency.', example: 12 })
  count!: number

  @OutputField(() => Decimal, {
    nullable: true,
    description: 'The figure in this currency. An average is rounded half to even to the decimals of the currency.',
    example: 4950,
  })
  value!: ExactNumber | null
}

@ObjectType({ description: 'A sum, an average, or a smallest or largest value over the records of a group.' })
@Directive('@shareable')
export class AggregateValue {
  @OutputField(() => String, {
    description: 'The field of the records, as requested; a custom field as `customFields.` and its API name.',
    example: 'amount',
  })
  field!: string

  @OutputField(() => Decimal, {
    nullable: true,
    description:
      'The figure, if the field is a number. Amounts are converted into `currency` of the answer, each at the rate of the day of its record, and the result is rounded once, half to even; records without a rate are left out. Averages of other numbers have at most six decimals. A sum over no values is 0; any other figure is then null.',
    example: 128400,
  })
  value!: ExactNumber | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'The figure, if the field is a time; null for numbers, and without records that have a value.',
    example: null,
  })
  time!: string | null

  @OutputField(() => Int, {
    description:
      'Number of records whose value is left out, because their currency has no exchange rate on their day; 0 for fields that are no amounts.',
    example: 0,
  })
  unconverted!: number

  @OutputField(() => AggregateCurrencyValue, {
    list: true,
    description:
      'The same figure for each currency, ordered by currency, without conversion; empty for fields that are no amounts.',
  })
  byCurrency!: AggregateCurrencyValue[]
}

@ObjectType({
  description: 'What the records of a group have in common: one value of a field by which they are grouped.',
})
@Directive('@shareable')
export class AggregateKey {
  @OutputField(() => String, {
    description: 'The field, as requested; a custom field as `customFields.` and its API name.',
    example: 'closeDate',
  })
  field!: string

  @OutputField(() => String, {
    nullable: true,
    description:
      'The value: a member of an enumeration, `true` or `false`, an id, a text, or the name of a period such as `2026-03`. Null for the records without a value.',
    example: '2026-03',
  })
  value!: string | null

  @OutputField(() => String, {
    nullable: true,
    description:
      'Name of the user or record whose id the value is; null for other values, and if the caller does not see the record.',
    example: null,
  })
  label!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description:
      'First moment of the period: in the time zone of the organization, or in UTC for days that are stored as midnight UTC; null for other values.',
    example: '2026-02-28T23:00:00.000Z',
  })
  from!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'First moment after the period; null for other values.',
    example: '2026-03-31T22:00:00.000Z',
  })
  until!: string | null
}

const valuesOf = (what: string) => ({
  list: true,
  maxItems: measuresMax,
  description: `${what}, in the order of the argument; empty if none was requested.`,
})

@ObjectType({ description: 'Figures over all records that match.' })
@Directive('@shareable')
export class AggregateTotal {
  @OutputField(() => Int, { description: 'Number of records.', example: 12 })
  count!: number

  @OutputField(() => AggregateValue, valuesOf('The requested sums'))
  sum!: AggregateValue[]

  @OutputField(() => AggregateValue, valuesOf('The requested averages, over the records that have a value'))
  average!: AggregateValue[]

  @OutputField(() => AggregateValue, valuesOf('The requested smallest values'))
  min!: AggregateValue[]

  @OutputField(() => AggregateValue, valuesOf('The requested largest values'))
  max!: AggregateValue[]
}

@ObjectType({
  description: 'The records with the same values of the fields by which they are grouped, and figures over them.',
})
@Directive('@shareable')
export class AggregateGroup extends AggregateTotal {
  @OutputField(() => AggregateKey, {
    list: true,
    maxItems: groupByMax,
    description: 'The common values, in the order of `groupBy`.',
  })
  keys!: AggregateKey[]
}

@ObjectType({ description: 'Figures over the records that match, by groups and in total.' })
@Directive('@shareable')
export class Aggregate {
  @OutputField(() => AggregateGroup, {
    list: true,
    maxItems: groupsMax,
    description: 'The groups, at most `limit` of them; empty without `groupBy`. A group without records is absent.',
  })
  groups!: AggregateGroup[]

  @OutputField(() => Int, { description: 'Number of all groups, also of those beyond `limit`.', example: 1 })
  totalGroups!: number

  @OutputField(() => AggregateTotal, {
    description: 'The figures over all records that match, also of groups beyond `limit`.',
  })
  total!: AggregateTotal

  @OutputField(() => String, {
    nullable: true,
    description:
      'The currency of all amounts that are not in `byCurrency`: the base currency of the organization, as an ISO 4217 code. Null if the request asks for no amount.',
    example: 'EUR',
  })
  currency!: string | null
}

export const aggregateDescription = (many: string): string =>
  `Counts, sums, averages, smallest and largest values of the live ${many} that the caller sees, by groups and in total. Periods begin in the time zone of the organization. Where maintained totals have the fields of \`groupBy\`, of the figures and of the filter, no record is read; otherwise all that match, which takes up to 0.15 s for 100,000 of them, and up to 0.3 s for amounts in other currencies in tens of thousands of groups. Refused with FIELD_NOT_READABLE if the profile hides a field that is asked for, and with QUERY_TOO_EXPENSIVE if it takes over 2 s.`

export interface GroupByInput {
  readonly field?: string | null
  /** The API name of a custom field instead. */
  readonly customField?: string | null
  readonly by?: DateUnit | null
}

/** The arguments of an aggregate, in addition to the filter. */
export interface AggregateArgs {
  readonly filter?: object | null
  readonly groupBy?: readonly GroupByInput[] | null
  readonly sum?: readonly string[] | null
  readonly average?: readonly string[] | null
  readonly min?: readonly string[] | null
  readonly max?: readonly string[] | null
  /** API names of custom fields. */
  readonly sumOfCustomFields?: readonly string[] | null
  readonly averageOfCustomFields?: readonly string[] | null
  readonly minOfCustomFields?: readonly string[] | null
  readonly maxOfCustomFields?: readonly string[] | null
  readonly sortBy?: AggregateSort | null
  readonly sortOrder?: 'ASC' | 'DESC' | null
  readonly limit?: number | null
}
