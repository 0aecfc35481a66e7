import { ID, Int } from 'type-graphql'
import { TaskPriority } from '../../crm/public.ts'
import { ConditionLogic } from '../../kernel/condition/condition.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { sourceMax } from '../../kernel/template/template-bounds.ts'

export const subjectMax = 500
export const variantsMax = 5

@Structure(
  'SequenceVariant',
  'One of several mails of a step. Each enrollment gets one of them by chance, the better ones more often.',
)
export class SequenceVariant {
  @Part(() => ID, {
    derivedDefault: 'a new id',
    description: 'Id of the variant, unique in its step. Send it with a changed variant to keep its statistics.',
    example: '019a0c5e-7f00-7d13-8e42-5b9f0a1c2d31',
  })
  id!: string

  @Part(() => Int, {
    default: 1,
    minimum: 0,
    maximum: 1000,
    description:
      'How often it is chosen: in proportion to its weight times the probability that its reply rate is the highest of the step (Thompson sampling), so the weights alone decide before the first mail. If this probability reaches 95 %, no other variant is chosen. 0: never, to stop a variant and keep its statistics.',
    example: 1,
  })
  weight!: number

  @Part(() => String, {
    max: subjectMax,
    filled: true,
    description: 'Subject, a template; a mail that continues a thread has the subject of the thread instead.',
    example: 'Dock slots for {{account.name | your terminal}}',
  })
  subject!: string

  @Part(() => String, {
    max: sourceMax,
    filled: true,
    description: 'Body as HTML, a template.',
    example: '<p>Hello {{contact.firstName | there}}</p>',
  })
  bodyHtml!: string
}

@Structure('SequenceTask', 'The task that a step creates for the sender.')
export class SequenceTask {
  @Part(() => String, {
    max: 255,
    filled: true,
    description: 'What to do, in one line.',
    example: 'Call about the offer',
  })
  subject!: string

  @Part(() => TaskPriority, { default: 'MEDIUM', description: 'Urgency of the task.', example: 'HIGH' })
  priority!: TaskPriority

  @Part(() => String, {
    nullable: true,
    max: 2000,
    description: 'Further text of the task; null without one.',
    example: 'Ask who decides about the berths.',
  })
  description!: string | null

  @Part(() => Int, {
    default: 0,
    minimum: 0,
    maximum: 365,
    description: 'Days after its creation on which the task is due.',
    example: 1,
  })
  dueInDays!: number
}

@Structure(
  'SequenceCondition',
  'Conditions on the lead or contact, and the steps with which an enrollment goes on. Besides the fields of the record, they can name `enrollment.contactedAt`, `enrollment.openedAt`, `enrollment.clickedAt`, `enrollment.repliedAt` and `enrollment.meetingAt`, the first times of each, which are empty before.',
)
export class SequenceCondition {
  @Part(() => Json, {
    nullable: true,
    description:
      'The conditions, a list of 1 to 50 objects of the form `Condition`, which must fit each of the entityTypes of the sequence. Operators about changes (CHANGED, INCREASED and so on) are refused, and so is null.',
    example: [{ field: 'enrollment.openedAt', operator: 'IS_NOT_EMPTY' }],
  })
  conditions!: unknown

  @Part(() => ConditionLogic, { default: 'AND', description: 'How the conditions are combined.', example: 'AND' })
  logic!: ConditionLogic

  @Part(() => ID, {
    nullable: true,
    description:
      'Id of the step of the same sequence with which an enrollment goes on that meets the conditions; null: the step after this one. It may be an earlier step if a step between has a delay.',
    example: null,
  })
  onTrueStepId!: string | null

  @Part(() => ID, {
    nullable: true,
    description:
      'Id of the step of the same sequence with which an enrollment goes on that does not meet them; null: the step after this one. One of the two ids is required.',
    example: '019a0c5e-7f00-7d11-9c55-02c4d6e8f013',
  })
  onFalseStepId!: string | null
}
