import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Decimal, Json } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { AdjustmentOperation, AdjustmentTarget } from './scenario.enumerations.ts'

export const filterItemsMax = 100

const ids = { max: 36, maxItems: filterItemsMax } as const

@Structure('ScenarioFilters', 'The deals that a simulation has; an empty list does not restrict them.')
export class ScenarioFilters {
  @Part(() => [String], { ...ids, description: 'Ids of owners of the deals.', example: [] })
  ownerIds!: string[]

  @Part(() => [String], { ...ids, description: 'Ids of teams: deals of their present members.', example: [] })
  teamIds!: string[]

  @Part(() => [String], {
    max: 63,
    maxItems: filterItemsMax,
    description:
      'API names of stages, each a stage of a pipeline of the organization. Without a stage of won deals, what is won already does not count.',
    example: ['PROPOSAL', 'NEGOTIATION'],
  })
  stages!: string[]

  @Part(() => Decimal, {
    nullable: true,
    minimum: 0,
    description: 'Smallest amount in the base currency; null: any amount.',
    example: 5000,
  })
  minAmount!: ExactNumber | null

  @Part(() => [String], { ...ids, description: 'Ids of accounts of the deals, which the caller sees.', example: [] })
  accountIds!: string[]
}

@Structure('ScenarioAdjustment', 'One assumption of a scenario. The adjustments apply in their order.')
export class ScenarioAdjustment {
  @Part(() => AdjustmentTarget, { description: 'What it changes.', example: 'WIN_RATE' })
  target!: AdjustmentTarget

  @Part(() => AdjustmentOperation, {
    nullable: true,
    description: 'How it changes the target; null for REMOVE_DEAL only.',
    example: 'MULTIPLY',
  })
  operation!: AdjustmentOperation | null

  @Part(() => Json, {
    nullable: true,
    description: 'A number; for the stage its API name, for a date a day such as 2027-03-31; null for REMOVE_DEAL.',
    example: 1.1,
  })
  value!: unknown

  @Part(() => Json, {
    nullable: true,
    description:
      'The deals that it concerns, as an object with one or more of `stage` (API name, as the adjustments before have left it), `ownerId`, `opportunityId` and `type` of the deal; null: all deals of the simulation.',
    example: { stage: 'NEGOTIATION' },
  })
  scope!: unknown
}
