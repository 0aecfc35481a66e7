import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { ScenarioFailure, ScenarioStatus } from './scenario.enumerations.ts'
import { ScenarioAdjustment, ScenarioFilters } from './scenario.structures.ts'

export const adjustmentsMax = 50
export const iterationsDefault = 10_000
export const seedDefault = 1
export const iterationsBounds = { minimum: 1000, maximum: 100_000 } as const
/** A parameter of a query has at most 15 digits. */
export const targetBounds = { minimum: 0, maximum: 1_000_000_000_000 } as const
export const seedBounds = { minimum: 0, maximum: 2_147_483_647 } as const

const never = { writable: 'NEVER' } as const
const onCreate = { writable: 'ON_CREATE' } as const

@ObjectType({
  description:
    'A what-if question about the open deals: assumptions, and the distribution of what will be won under them. It never changes; another question is another scenario.',
})
@Directive('@key(fields: "id")')
@RequiresScope('SIMULATIONS')
@Entity({ schema: 'insights', tableName: 'scenario' })
export class Scenario extends OrgRecord {
  @Column(() => String, {
    ...onCreate,
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the scenario.',
    example: 'Ten percent more wins in negotiation',
  })
  name!: string

  @Column(() => String, {
    ...onCreate,
    nullable: true,
    max: 5000,
    description: 'What it is about; null if not described.',
    example: 'If the new contract templates help.',
  })
  description!: string | null

  @Column(() => String, {
    ...onCreate,
    nullable: true,
    max: 7,
    description:
      'The period that it looks at: a month `2027-02`, a fiscal quarter `2027-Q1` or a fiscal year `2027`. Sets `horizonStart` and `horizonEnd`, which then cannot be given; null if these were given, or none.',
    example: null,
  })
  period!: string | null

  @Column(() => DateTime, {
    ...onCreate,
    day: 'BEGIN',
    derivedDefault: 'the present day',
    description:
      'First day that counts, from 1900 to 2199; a time is cut off. Deals that were won between it and today count as won. Days are those of the time zone of the organization.',
    example: '2027-02-01T00:00:00.000Z',
  })
  horizonStart!: string

  @Column(() => DateTime, {
    ...onCreate,
    day: 'END',
    derivedDefault: '90 days after `horizonStart`',
    description: 'Last day that counts, at most 1,096 days after the first; a time is cut off.',
    example: '2027-05-02T23:59:59.999Z',
  })
  horizonEnd!: string

  @StructureColumn(() => ScenarioFilters, {
    ...onCreate,
    nullable: true,
    description: 'The deals that it has; null: all deals that the user who runs it sees.',
    example: { ownerIds: [], teamIds: [], stages: [], minAmount: 5000, accountIds: [] },
  })
  filters!: ScenarioFilters | null

  @StructureColumn(() => ScenarioAdjustment, {
    ...onCreate,
    list: true,
    maxItems: adjustmentsMax,
    description: 'The assumptions, applied in their order; empty for the expectation as it is.',
    example: [{ target: 'WIN_RATE', operation: 'MULTIPLY', value: 1.1, scope: { stage: 'NEGOTIATION' } }],
  })
  adjustments!: ScenarioAdjustment[]

  @Column(() => Int, {
    ...onCreate,
    default: iterationsDefault,
    ...iterationsBounds,
    description: 'Number of runs. Deals times runs may be 200,000,000.',
    example: 10_000,
  })
  iterations!: number

  @Column(() => Int, {
    ...onCreate,
    default: seedDefault,
    ...seedBounds,
    description:
      'Seed of the random numbers. The same seed with the same deals gives the same result, and differences of scenarios with one seed are no noise.',
    example: 1,
  })
  seed!: number

  @Column(() => Decimal, {
    ...onCreate,
    nullable: true,
    ...targetBounds,
    description: 'Amount in the base currency whose probability is computed; null if none.',
    example: 250_000,
  })
  target!: ExactNumber | null

  @Column(() => ScenarioStatus, {
    ...never,
    indexed: true,
    default: 'DRAFT',
    description: 'How far it is. Running and cancelling change it.',
    example: 'COMPLETED',
  })
  status!: ScenarioStatus

  @Column(() => ScenarioFailure, {
    ...never,
    nullable: true,
    description: 'Why the last run has failed; null unless `status` is FAILED.',
    example: null,
  })
  failure!: ScenarioFailure | null

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'When the last run ended, completed or failed; null if none did.',
    example: '2027-02-01T09:00:02.000Z',
  })
  lastRunAt!: string | null
}
