import { ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { SequenceStepType } from '../sequence/sequence.enumerations.ts'
import { SequenceAttemptResult } from './enrollment.enumerations.ts'

const never = { writable: 'NEVER' } as const
const time = { ...never, nullable: true } as const

@ObjectType({ description: 'One execution of a step of a sequence for an enrollment.' })
@RequiresScope('SEQUENCES')
export class SequenceAttempt {
  @Column(() => ID, { ...never, description: 'Id of the execution.', example: '019a0c5e-7f00-7d12-a1b6-73e1f4a9c420' })
  id!: string

  @Column(() => ID, { ...never, internal: true })
  organizationId!: string

  @Column(() => ID, { ...never, internal: true })
  enrollmentId!: string

  @Column(() => ID, { ...never, internal: true })
  sequenceId!: string

  @Column(() => ID, {
    ...never,
    description: 'Id of the step; it may have been deleted since.',
    example: '019a0c5e-7f00-7d11-9c55-02c4d6e8f013',
  })
  stepId!: string

  @Column(() => Int, {
    ...never,
    description:
      'Round of the enrollment: 1 at first, and one more each time that a condition leads back to an executed step.',
    example: 1,
  })
  visit!: number

  @Column(() => SequenceStepType, { ...never, description: 'What the step did.', example: 'EMAIL' })
  stepType!: SequenceStepType

  @Column(() => Int, { ...never, description: 'Position of the step at that time, from 1.', example: 1 })
  stepPosition!: number

  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the variant of the mail; null if the step had none.',
    example: null,
  })
  variantId!: string | null

  @Column(() => ID, { ...never, nullable: true, internal: true })
  senderId!: string | null

  @Column(() => SequenceAttemptResult, { ...never, description: 'What came of it.', example: 'SENT' })
  result!: SequenceAttemptResult

  @Column(() => String, {
    ...never,
    nullable: true,
    description: 'What went wrong, or why the step was skipped; null otherwise.',
    example: null,
  })
  detail!: string | null

  @Column(() => DateTime, { ...never, description: 'When it was executed.', example: '2026-11-02T08:15:00.000Z' })
  executedAt!: string

  @NamesRecord('email')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the mail; null for other steps.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b29',
  })
  messageId!: string | null

  @NamesRecord('task')
  @Column(() => ID, { ...never, nullable: true, description: 'Id of the task; null for other steps.', example: null })
  taskId!: string | null

  @Column(() => DateTime, {
    ...time,
    description: 'When a person first opened the mail; null if unknown.',
    example: null,
  })
  openedAt!: string | null

  @Column(() => DateTime, {
    ...time,
    description: 'When a person first followed a link of the mail; null if unknown.',
    example: null,
  })
  clickedAt!: string | null

  @Column(() => DateTime, { ...time, description: 'When the person replied to the mail; null before.', example: null })
  repliedAt!: string | null

  @Column(() => DateTime, { ...time, description: 'When the mail bounced; null if it did not.', example: null })
  bouncedAt!: string | null
}
