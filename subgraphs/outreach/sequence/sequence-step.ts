import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { sourceMax } from '../../kernel/template/template-bounds.ts'
import { SequenceDelayFrom, SequenceStepType } from './sequence.enumerations.ts'
import { SequenceCondition, SequenceTask, SequenceVariant, subjectMax, variantsMax } from './step-parts.ts'

export const stepsMax = 50
export const webhookUrlMax = 2048

@ObjectType({
  description:
    'A step of a sequence. The fields that its type does not use must be null or empty. It is visible to users who see the sequence.',
})
@Directive('@key(fields: "id")')
@RequiresScope('SEQUENCES')
@Entity({ schema: 'outreach', tableName: 'sequence_step' })
export class SequenceStep extends OrgRecord {
  @NamesRecord('sequence')
  @Column(() => ID, {
    writable: 'NEVER',
    description: 'Id of the sequence. It never changes.',
    example: '019a0c5e-7f00-7d10-8b3a-91f0c2ab5d01',
  })
  sequenceId!: string

  @Column(() => Int, {
    writable: 'ON_CREATE',
    derivedDefault: 'the end of the sequence',
    minimum: 1,
    maximum: stepsMax,
    description:
      'Position in the sequence, 1 to the number of its steps, without gaps. A new step takes the position, and the later ones move; a greater one means the end. `reorder` changes it.',
    example: 1,
  })
  position!: number

  @Column(() => SequenceStepType, {
    writable: 'ON_CREATE',
    description: 'What the step does. It never changes.',
    example: 'EMAIL',
  })
  type!: SequenceStepType

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Name for people; null without one.',
    example: 'First mail',
  })
  name!: string | null

  @Column(() => Int, {
    default: 0,
    minimum: 0,
    maximum: 365,
    description: 'Days of its delay, of 24 hours each. Together with `delayHours`; WAIT needs a delay.',
    example: 2,
  })
  delayDays!: number

  @Column(() => Int, { default: 0, minimum: 0, maximum: 8760, description: 'Hours of its delay.', example: 0 })
  delayHours!: number

  @Column(() => SequenceDelayFrom, {
    default: 'PREVIOUS_STEP',
    description:
      'From when the delay counts. A change of a delay does not affect those for whom the step is scheduled.',
    example: 'PREVIOUS_STEP',
  })
  delayFrom!: SequenceDelayFrom

  @NamesRecord('email_template')
  @Column(() => ID, {
    nullable: true,
    description:
      'EMAIL: id of the template that makes the mail, one that the caller sees; null: `subject` and `bodyHtml`, or `variants`, make it. It must be ACTIVE when the sequence runs.',
    example: null,
  })
  templateId!: string | null

  @Column(() => String, {
    nullable: true,
    max: subjectMax,
    description:
      'EMAIL: subject, a template; required with `bodyHtml`, otherwise null. A mail that continues a thread has the subject of the thread instead.',
    example: 'Dock slots for {{account.name | your terminal}}',
  })
  subject!: string | null

  @Column(() => String, {
    nullable: true,
    max: sourceMax,
    description: 'EMAIL: body as HTML, a template; null with a `templateId` or `variants`.',
    example: '<p>Hello {{contact.firstName | there}}</p><p>{{sender.name}}</p>',
  })
  bodyHtml!: string | null

  @Column(() => String, {
    nullable: true,
    max: 5000,
    description: 'SMS and SOCIAL: text to send, a template, required; otherwise null.',
    example: null,
  })
  bodyText!: string | null

  @Column(() => Boolean, {
    default: false,
    description:
      'EMAIL: whether the mail continues the thread of the enrollment. It is true of every mail if the setting `threadReplies` is true.',
    example: false,
  })
  replyInThread!: boolean

  @StructureColumn(() => SequenceVariant, {
    list: true,
    maxItems: variantsMax,
    description:
      'EMAIL: mails of which each enrollment gets one by chance, by `weight` and by the replies to them; empty without. At least one has a weight.',
    example: [],
  })
  variants!: SequenceVariant[]

  @StructureColumn(() => SequenceTask, {
    nullable: true,
    description: 'TASK and CALL: the task, required. SMS and SOCIAL: null: a task with the name of the step.',
    example: null,
  })
  task!: SequenceTask | null

  @StructureColumn(() => SequenceCondition, {
    nullable: true,
    description: 'CONDITION: the conditions, required; otherwise null.',
    example: null,
  })
  condition!: SequenceCondition | null

  @Column(() => String, {
    nullable: true,
    max: webhookUrlMax,
    description:
      'WEBHOOK: https address that gets the enrollment as JSON, required; otherwise null. Only owners and admins set it, because it sends data out of the platform.',
    example: null,
  })
  webhookUrl!: string | null

  @Column(() => Boolean, {
    default: true,
    description: 'Whether the step is executed. One that is not is passed over, together with its delay.',
    example: true,
  })
  isActive!: boolean

  /** Of a deleted step: the step that took its place. */
  @Column(() => ID, { writable: 'NEVER', nullable: true, internal: true })
  successorId!: string | null
}
