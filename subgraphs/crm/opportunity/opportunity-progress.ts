import { ID, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { ForecastCategory, LossReason } from './opportunity.enumerations.ts'
import { StageHistoryEntry } from './opportunity.structures.ts'

/** The columns of an opportunity that its stage sets. */
@ObjectType()
export abstract class OpportunityProgress extends OrgRecord {
  @Column(() => ID, {
    indexed: true,
    derivedDefault: 'the default pipeline of the organization',
    description:
      'Id of the pipeline whose stages the opportunity goes through. If another pipeline lacks the stage of the opportunity, a change must set both.',
    example: '019a0c5e-7f00-7f41-9c62-3b8d70e5a914',
  })
  pipelineId!: string

  @Column(() => String, {
    indexed: true,
    max: 63,
    derivedDefault: 'the first open stage of the pipeline',
    decidesEdges: true,
    description:
      'API name of a stage of the pipeline. A change must name a stage in use; it sets `probability` and `forecastCategory` unless the same change gives them, and opens or closes the opportunity as the stage says.',
    example: 'PROPOSAL',
  })
  stage!: string

  @Column(() => Decimal, {
    indexed: true,
    minimum: 0,
    maximum: 100,
    decimals: 2,
    derivedDefault: 'the probability of the stage',
    description:
      'Probability of winning the deal in percent. Set with the stage; a value that a client gives stays until the next change of the stage. Always that of the stage in a closed opportunity.',
    example: 55,
  })
  probability!: ExactNumber

  @Column(() => Boolean, {
    writable: 'NEVER',
    description: 'True if a client set a `probability` other than that of the stage.',
    example: false,
  })
  probabilityOverridden!: boolean

  @Column(() => ForecastCategory, {
    indexed: true,
    derivedDefault: 'the category of the stage',
    description:
      'How the opportunity counts in forecasts. Set with the stage until a client sets it; then it stays until the opportunity is closed or a client changes it again. CLOSED if won, OMITTED if lost.',
    example: 'BEST_CASE',
  })
  forecastCategory!: ForecastCategory

  @Column(() => Boolean, {
    writable: 'NEVER',
    description: 'True if a client set a `forecastCategory` other than that of the stage.',
    example: false,
  })
  forecastCategoryOverridden!: boolean

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'Why `forecastCategory` differs from that of the stage; null if none was given. Closing clears it.',
    example: null,
  })
  forecastReason!: string | null

  @Column(() => DateTime, {
    indexed: true,
    writable: 'NEVER',
    decidesEdges: true,
    description: 'When the opportunity entered its stage.',
    example: '2026-11-02T08:15:00.000Z',
  })
  stageEnteredAt!: string

  @StructureColumn(() => StageHistoryEntry, {
    list: true,
    writable: 'NEVER',
    description:
      'The stages that the opportunity went through, the current one last. At most 50: from then on, each move removes the oldest one.',
    example: [
      {
        stage: 'PROPOSAL',
        enteredAt: '2026-11-02T08:15:00.000Z',
        leftAt: null,
        durationSeconds: null,
        changedById: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
      },
    ],
  })
  stageHistory!: StageHistoryEntry[]

  @Column(() => Boolean, {
    indexed: true,
    writable: 'NEVER',
    decidesEdges: true,
    description: 'True if the opportunity is won or lost.',
    example: false,
  })
  isClosed!: boolean

  @Column(() => Boolean, {
    indexed: true,
    writable: 'NEVER',
    description: 'True if the opportunity is won.',
    example: false,
  })
  isWon!: boolean

  @Column(() => DateTime, {
    indexed: true,
    nullable: true,
    writable: 'NEVER',
    description: 'When the opportunity was won or lost; null while it is open. Reopening clears it.',
    example: null,
  })
  closedAt!: string | null

  @Column(() => LossReason, {
    indexed: true,
    nullable: true,
    description:
      'Why the deal was lost; null if unknown. The organization can require it when an opportunity is lost. Cleared when a lost opportunity is reopened or won.',
    example: null,
  })
  lossReason!: LossReason | null

  @Column(() => String, {
    nullable: true,
    max: 5000,
    description: 'Details of the loss; null if none. Cleared with `lossReason`.',
    example: null,
  })
  lossNotes!: string | null
}
