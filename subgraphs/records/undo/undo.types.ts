import { ID, InputType, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'
import { newestFirstPage, UndoJob } from './undo-job.types.ts'
import { ConflictHandling, UndoAction, UndoLeft } from './undo.enumerations.ts'

const anId = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'

/** What an answer lists at most of what stays; if more does, a job undoes the operation. */
export const notUndoneMax = 5_000

@InputType({ description: 'What to undo: give one of `operationId`, `idempotencyKey` and `userId`.' })
export class UndoInput {
  @InputField(() => String, {
    nullable: true,
    max: 100,
    filled: true,
    description:
      'The operation: `X-Request-Id` of the response to the request, or `operationId` of an event or a version.',
    example: 'req_3f0c1c9a-52f7-4a77-8d0e-0c6b9a54e1d2',
  })
  operationId!: string | null

  @InputField(() => String, {
    nullable: true,
    max: 255,
    filled: true,
    description: 'The `Idempotency-Key` with which the caller sent the request in the last 24 hours.',
    example: null,
  })
  idempotencyKey!: string | null

  @InputField(() => ID, {
    nullable: true,
    description: 'The user whose changes to undo; needs `from`.',
    example: null,
  })
  userId!: string | null

  @InputField(() => DateTime, { nullable: true, description: 'Changes from this time on.', example: null })
  from!: string | null

  @InputField(() => DateTime, {
    nullable: true,
    description: 'Changes before this time; null: until now.',
    example: null,
  })
  to!: string | null

  @InputField(() => String, {
    list: true,
    nullable: true,
    minItems: 1,
    maxItems: 50,
    max: 100,
    filled: true,
    description: 'Only changes of these record types, as in event types; null: of all that the caller may change.',
    example: null,
  })
  objects!: string[] | null

  @InputField(() => ConflictHandling, {
    default: 'REFUSE',
    description: 'What happens where something has changed since.',
    example: 'REFUSE',
  })
  onConflict!: ConflictHandling

  @InputField(() => Boolean, {
    default: false,
    description:
      'Whether it is only tried: the answer is as it would be, and nothing changes. A job compares the records, without the rules and hooks.',
    example: false,
  })
  dryRun!: boolean
}

@ObjectType({ description: 'A record that an undo changed.' })
@RequiresScopes(memberScope)
export class UndoneRecord {
  @OutputField(() => String, { description: 'Its record type, as in event types.', example: 'account' })
  object!: string

  @OutputField(() => ID, { description: 'Its id.', example: anId })
  recordId!: string

  @OutputField(() => UndoAction, { description: 'What was done.', example: 'UPDATED' })
  action!: string

  @OutputField(() => String, {
    list: true,
    maxItems: 1000,
    description: 'The fields that got back their values; `customFields.<name>` for a custom field.',
    example: ['name', 'customFields.tier'],
  })
  fields!: string[]
}

@ObjectType({ description: 'What an undo left as it is.' })
@RequiresScopes(memberScope)
export class NotUndone {
  @OutputField(() => String, { description: 'The record type, as in event types.', example: 'account' })
  object!: string

  @OutputField(() => ID, { description: 'Id of the record.', example: anId })
  recordId!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'The field; null for the whole record, and for a field that the profile of the caller hides.',
    example: 'name',
  })
  field!: string | null

  @OutputField(() => UndoLeft, { description: 'Why.', example: 'CHANGED' })
  reason!: string

  @OutputField(() => String, {
    description: 'The reason in words.',
    example: 'name has another value than the operation gave it.',
  })
  message!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who changed it since; null if it has not changed, or the platform changed it.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  changedById!: string | null

  @OutputField(() => DateTime, {
    nullable: true,
    description: 'When it was changed since; null if it has not.',
    example: '2027-02-01T09:00:00.000Z',
  })
  changedAt!: string | null
}

@ObjectType({ description: 'The result of an undo.' })
@RequiresScopes(memberScope)
export class UndoResult {
  @OutputField(() => String, {
    description: 'The operation of what the undo changes: undo it to have the changes again.',
    example: 'req_9b1d7c1e-0f2a-4e0b-9a36-6d8a1d2f4c55',
  })
  operationId!: string

  @OutputField(() => Boolean, { description: 'Whether it was only tried.', example: false })
  dryRun!: boolean

  @OutputField(() => UndoneRecord, {
    list: true,
    maxItems: 500,
    description: 'The records that were changed. One that is already as before the operation is not among them.',
  })
  undone!: UndoneRecord[]

  @OutputField(() => NotUndone, {
    list: true,
    maxItems: notUndoneMax,
    description: 'What stays as the operation left it. If more would stay, a job undoes the operation, and lists it.',
  })
  notUndone!: NotUndone[]

  @OutputField(() => Boolean, {
    description: 'Whether the undo has ended; false if `job` goes on with it.',
    example: true,
  })
  isComplete!: boolean

  @OutputField(() => UndoJob, {
    nullable: true,
    description: 'The job of an undo that is too much for one answer, which has just been created; otherwise null.',
  })
  job!: UndoJob | null
}

export const UndoneRecordPage = newestFirstPage('UndoneRecordPage', UndoneRecord, 'records that an undo job changed')
export const NotUndonePage = newestFirstPage('NotUndonePage', NotUndone, 'parts that an undo job left as they were')
