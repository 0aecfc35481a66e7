import { ArgsType, InputType } from 'type-graphql'
import { InputField } from '../../kernel/record/declared-value.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

/** The days that a simulation looks at, where they are asked for without a scenario. */
@ArgsType()
@InputType()
export class Horizon {
  @InputField(() => String, {
    nullable: true,
    max: 7,
    description:
      'Month `2027-02`, fiscal quarter `2027-Q1` or fiscal year `2027`, not together with `horizonStart` or `horizonEnd`; null: the days that these give.',
    example: null,
  })
  period?: string | null

  @InputField(() => DateTime, {
    nullable: true,
    day: 'BEGIN',
    description: 'First day that counts, from 1900 to 2199; a time is cut off. Null: today.',
    example: '2027-02-01T00:00:00.000Z',
  })
  horizonStart?: string | null

  @InputField(() => DateTime, {
    nullable: true,
    day: 'END',
    description:
      'Last day that counts, at most 1,096 days after the first; a time is cut off. Null: 90 days after the first.',
    example: '2027-05-02T23:59:59.999Z',
  })
  horizonEnd?: string | null
}
