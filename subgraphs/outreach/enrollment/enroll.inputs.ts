import { Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { SequenceBulkStatus, SequenceEntityType, SequenceRefusal } from './enrollment.enumerations.ts'

@InputType({ description: 'How leads and contacts are enrolled.' })
abstract class SequenceEnrollOptions {
  @Field(() => SequenceEntityType, { description: 'LEAD or CONTACT, one of the entityTypes of the sequence.' })
  entityType!: SequenceEntityType

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the user in whose name mails are sent and tasks are created, who also owns the enrollment: an active user who may change records and sees the record. Null: the caller. Only owners, admins and managers may name another user.',
  })
  senderId?: string | null

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a record is enrolled that has a running enrollment in another sequence. Null: false.',
  })
  allowOtherSequences?: boolean | null
}

@InputType({ description: 'The lead or contact to enroll in a sequence.' })
export class SequenceEnrollInput extends SequenceEnrollOptions {
  @Field(() => ID, { description: 'Id of the lead or contact, one that the caller sees.' })
  entityId!: string
}

@InputType({ description: 'The leads or contacts to enroll in a sequence, all of one type.' })
export class SequenceBulkEnrollInput extends SequenceEnrollOptions {
  @Field(() => [ID], { description: 'Ids of the leads or contacts: 1 to 500.' })
  entityIds!: string[]
}

@ObjectType({ description: 'What happened to one record of a bulk enrollment.' })
@RequiresScope('SEQUENCES')
export class SequenceBulkEnrollItem {
  @Field(() => ID, { description: 'Id of the lead or contact, as in the request.' })
  entityId!: string

  @Field(() => SequenceBulkStatus, { description: 'What happened to it.' })
  status!: SequenceBulkStatus

  @Field(() => SequenceRefusal, { nullable: true, description: 'Why it was not enrolled; null if it was.' })
  reason!: SequenceRefusal | null

  @NamesRecord('sequence_enrollment')
  @Field(() => ID, {
    nullable: true,
    description: 'Id of the enrollment; for ALREADY_ACTIVE that of the running one. Null if there is none.',
  })
  enrollmentId!: string | null
}

@ObjectType({ description: 'The results of a bulk enrollment, in the order of the request.' })
@RequiresScope('SEQUENCES')
export class SequenceBulkEnrollResult {
  @Field(() => Int, { description: 'Number of ids in the request.' })
  requested!: number

  @Field(() => Int, { description: 'Number of records that were enrolled.' })
  enrolled!: number

  @Field(() => Int, { description: 'Number of records that are in this or another sequence already.' })
  skipped!: number

  @Field(() => Int, { description: 'Number of records that cannot be enrolled.' })
  failed!: number

  @Field(() => [SequenceBulkEnrollItem], { description: 'One result for each id, in the order of the request.' })
  results!: SequenceBulkEnrollItem[]
}
