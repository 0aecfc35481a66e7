import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Int, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { Part, Structure, StructureColumn } from '../../kernel/record/structure.ts'
import { ForecastCategory } from '../opportunity/opportunity.enumerations.ts'

export const StageKind = enumeration('StageKind', 'What a stage says about the opportunities in it.', {
  OPEN: 'They are open. The default.',
  WON: 'They are closed and won.',
  LOST: 'They are closed and lost.',
})
export type StageKind = keyof typeof StageKind

@Structure('PipelineStage', 'One stage of a pipeline. A stage is never removed, but it can be retired.')
export class PipelineStage {
  @Part(() => String, {
    max: 63,
    filled: true,
    description:
      'API name: upper-case letters, digits and underscores, beginning with a letter, unique in the pipeline. `stage` of opportunities has this value, so it never changes.',
    example: 'PROPOSAL',
  })
  name!: string

  @Part(() => String, { max: 100, filled: true, description: 'Name for people.', example: 'Proposal' })
  label!: string

  @Part(() => StageKind, {
    default: 'OPEN',
    description: 'Whether opportunities in the stage are open, won or lost. It never changes.',
    example: 'OPEN',
  })
  kind!: StageKind

  @Part(() => Decimal, {
    minimum: 0,
    maximum: 100,
    decimals: 2,
    description:
      'Probability of winning in percent, which an opportunity gets when it enters the stage; 100 if the kind is WON, 0 if LOST. A change does not affect opportunities that are in the stage.',
    example: 55,
  })
  probability!: ExactNumber

  @Part(() => ForecastCategory, {
    description:
      'Forecast category, which an opportunity gets when it enters the stage; CLOSED if the kind is WON, OMITTED if LOST, otherwise any but CLOSED. A change does not affect opportunities that are in the stage.',
    example: 'BEST_CASE',
  })
  forecastCategory!: ForecastCategory

  @Part(() => Int, {
    nullable: true,
    minimum: 1,
    maximum: 3650,
    description: 'Days in the stage after which an opportunity counts as rotten; null if never.',
    example: 14,
  })
  rottenAfterDays!: number | null

  @Part(() => Boolean, {
    default: true,
    description:
      'False for a retired stage: no opportunity can enter it, and those that are in it stay there and remain valid.',
    example: true,
  })
  isActive!: boolean
}

@ObjectType({
  description:
    'The stages through which opportunities go. Every organization has a default pipeline from the beginning. Every user sees every pipeline; owners and admins change them.',
})
@Directive('@key(fields: "id")')
@RequiresScope('OPPORTUNITIES')
@Entity({ schema: 'crm', tableName: 'pipeline' })
export class Pipeline extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the pipeline, unique in the organization regardless of upper and lower case.',
    example: 'Renewals',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'What the pipeline is for; null if not described.',
    example: 'Contracts that end within a year.',
  })
  description!: string | null

  @Column(() => Boolean, {
    description:
      'True for the pipeline of new opportunities that name none. An organization has exactly one: setting it in one pipeline clears it in the other.',
    example: false,
  })
  isDefault!: boolean

  @Column(() => Boolean, {
    default: true,
    description:
      'False for a retired pipeline: no opportunity can enter it, and those that are in it stay there. The default pipeline is always in use.',
    example: true,
  })
  isActive!: boolean

  @StructureColumn(() => PipelineStage, {
    list: true,
    maxItems: 50,
    derivedDefault: 'the stages in use of the default pipeline',
    description:
      'The stages in their order, at least one OPEN, one WON and one LOST stage in use. A change replaces the whole list and must contain every stage that the pipeline has; the order may change, and `isActive` retires a stage.',
    example: [
      {
        name: 'REVIEW',
        label: 'Contract review',
        kind: 'OPEN',
        probability: 60,
        forecastCategory: 'BEST_CASE',
        rottenAfterDays: 30,
        isActive: true,
      },
      {
        name: 'RENEWED',
        label: 'Renewed',
        kind: 'WON',
        probability: 100,
        forecastCategory: 'CLOSED',
        rottenAfterDays: null,
        isActive: true,
      },
      {
        name: 'CANCELLED',
        label: 'Cancelled',
        kind: 'LOST',
        probability: 0,
        forecastCategory: 'OMITTED',
        rottenAfterDays: null,
        isActive: true,
      },
    ],
  })
  stages!: PipelineStage[]
}
