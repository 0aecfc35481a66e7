import { ID, InputType, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'

const anId = '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41'

export const ConflictHandling = enumeration(
  'ConflictHandling',
  'What an undo does where something has changed since.',
  {
    REFUSE: 'Nothing is undone, and the refusal has all conflicts.',
    SKIP: 'What has changed since stays, and the rest is undone.',
  },
)

export const UndoAction = enumeration('UndoAction', 'What an undo did to a record.', {
  DELETED: 'It was deleted, because the operation had created or restored it.',
  RESTORED: 'It was restored, because the operation had deleted it.',
  UPDATED: 'Fields got back their values.',
})

export const UndoLeft = enumeration('UndoLeft', 'Why something of an operation was not undone.', {
  CHANGED: 'It has changed since.',
  REFUSED: 'A rule, a right or a hook refuses it.',
  HAS_RECORDS: 'Records that the operation did not create refer to a record that it created.',
  NOT_WRITABLE: 'Only the platform sets the field.',
  NOT_A_RECORD:
    'Changes of this kind are not undone, and neither is what has left the platform, such as a mail that was sent.',
})

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
  onConflict!: 'REFUSE' | 'SKIP'

  @InputField(() => Boolean, {
    default: false,
    description: 'Whether it is only tried: the answer is as it would be, and nothing changes.',
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
    description: 'The operation of the undo itself: undo it to have the changes again.',
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
    maxItems: 5000,
    description: 'What stays as the operation left it.',
  })
  notUndone!: NotUndone[]
}
