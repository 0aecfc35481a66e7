import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { PeriodType } from './quota.enumerations.ts'

@ObjectType({ description: 'The revenue that a user or a team is to win in a period.' })
@RequiresScope('FORECASTS')
@Entity({ schema: 'insights', tableName: 'quota' })
export class Quota {
  @Column(() => ID, { description: 'Id of the quota.', example: '019a0c5e-7f00-7b31-8c44-5a1e90d27f63' })
  id!: string

  @Column(() => ID, {
    description: 'Id of the organization.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user whose deals count; null if it is the quota of a team.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'user', description: 'The user whose deals count; null if it is the quota of a team.' },
  })
  userId!: string | null

  @Column(() => ID, {
    nullable: true,
    description: 'Id of the team; the deals of those who are members today count. Null if it is the quota of a user.',
    example: null,
  })
  teamId!: string | null

  @Column(() => String, {
    max: 7,
    description:
      'The period: a month `2027-02`, a fiscal quarter `2027-Q1` or a fiscal year `2027`. It begins and ends at midnight in the time zone of the organization.',
    example: '2027-Q1',
  })
  period!: string

  @Column(() => PeriodType, { description: 'Length of the period, as its text says.', example: 'QUARTER' })
  periodType!: PeriodType

  @Column(() => Decimal, {
    minimum: 0,
    description: 'Amount to win in `currency`, with at most its decimals.',
    example: 250000,
  })
  target!: ExactNumber

  @Column(() => String, {
    max: 3,
    description: 'Currency of the target, as an ISO 4217 code.',
    example: 'USD',
  })
  currency!: string

  @Column(() => String, {
    nullable: true,
    max: 10,
    description: 'First day that counts, `YYYY-MM-DD`; null: the first day of the period.',
    example: null,
  })
  startDate!: string | null

  @Column(() => String, {
    nullable: true,
    max: 10,
    description: 'Last day that counts, `YYYY-MM-DD`; null: the last day of the period.',
    example: null,
  })
  endDate!: string | null

  @Column(() => Int, {
    description: 'Version of the quota: 1 at first, increased by 1 with each change.',
    example: 1,
  })
  version!: number

  @Column(() => DateTime, { description: 'When the quota was set first.', example: '2026-11-02T08:15:00.000Z' })
  createdAt!: string

  @Column(() => DateTime, { description: 'When the quota was last changed.', example: '2026-11-02T08:15:00.000Z' })
  updatedAt!: string

  @NamesRecord('user')
  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user who set the quota first.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  createdById!: string | null

  @NamesRecord('user')
  @Column(() => ID, {
    nullable: true,
    description: 'Id of the user who last changed the quota.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
  })
  updatedById!: string | null
}
