import { ID, Int, ObjectType } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { memberScope } from '../../kernel/scopes.ts'

export const SyncOperation = enumeration('SyncOperation', 'What a copy must do with a record.', {
  UPSERT: 'Write the record as it is in `record`, whether the copy has it or not.',
  DELETE: 'Remove the record, if the copy has it.',
  MERGED: 'Remove the record, if the copy has it: `mergedIntoId` is the record that it was merged into.',
})
export type SyncOperation = keyof typeof SyncOperation

export const SyncReason = enumeration('SyncReason', 'Why a record is among the changes.', {
  CHANGED: 'It was created, changed or restored, or came into the sight of the caller.',
  DELETED: 'It was deleted.',
  MERGED: 'It was merged into another record that the caller sees.',
  OUT_OF_SIGHT: 'The caller does not see it any more, for example because it got another owner.',
})
export type SyncReason = keyof typeof SyncReason

const recordDescription =
  'The record with the fields that it has in events, and its rollups and formulas with the values of this read; fields that the profile of the caller hides are absent.'
const recordExample = { id: '0190b1a2-0000-7000-8000-000000000001', name: 'Halvorsen Marine', version: 3 }
const nextCursorDescription = 'What to send as `cursor` next.'
const schemaVersionDescription =
  'Version of the definitions of custom fields and objects. Where it has changed, records may have other custom fields without a change of their own: read a new snapshot to have them.'

@ObjectType({ description: 'A record of a snapshot.' })
@RequiresScopes(memberScope)
export class SyncedRecord {
  @OutputField(() => String, { description: 'Its record type, as in event types.', example: 'account' })
  object!: string

  @OutputField(() => ID, { description: 'Its id.', example: '0190b1a2-0000-7000-8000-000000000001' })
  id!: string

  @OutputField(() => Int, { description: 'Its version.', example: 3 })
  version!: number

  @OutputField(() => Json, { description: recordDescription, example: recordExample })
  record!: object
}

@ObjectType({ description: 'A page of all records that the caller sees.' })
@RequiresScopes(memberScope)
export class SyncSnapshot {
  @OutputField(() => SyncedRecord, { list: true, maxItems: 1000, description: 'The records, by type, oldest first.' })
  records!: SyncedRecord[]

  @OutputField(() => String, {
    description: `${nextCursorDescription} With \`hasMore\` it is that of the next page, otherwise that of the changes since the snapshot began.`,
    example: 'WzEsNDAsWyJhY2NvdW50Il0sInJpZ2h0cyJd',
  })
  nextCursor!: string

  @OutputField(() => Boolean, { description: 'Whether the snapshot has further pages.', example: false })
  hasMore!: boolean

  @OutputField(() => String, { description: schemaVersionDescription, example: '4' })
  schemaVersion!: string
}

@ObjectType({ description: 'What a copy must do with one record.' })
@RequiresScopes(memberScope)
export class SyncChange {
  @OutputField(() => String, { description: 'Its record type, as in event types.', example: 'account' })
  object!: string

  @OutputField(() => ID, { description: 'Id of the record.', example: '0190b1a2-0000-7000-8000-000000000001' })
  id!: string

  @OutputField(() => SyncOperation, { description: 'What to do.', example: 'UPSERT' })
  operation!: SyncOperation

  @OutputField(() => SyncReason, { description: 'Why.', example: 'CHANGED' })
  reason!: SyncReason

  @OutputField(() => Int, {
    nullable: true,
    description: 'Version of the record; null with DELETE and MERGED.',
    example: 3,
  })
  version!: number | null

  @OutputField(() => DateTime, {
    description: 'When the latest of its changes up to `nextCursor` was made.',
    example: '2026-11-03T09:30:00.000Z',
  })
  changedAt!: string

  @OutputField(() => Json, {
    nullable: true,
    description: `${recordDescription} It is the record of now, not that of the time of the change. Null with DELETE and MERGED.`,
    example: recordExample,
  })
  record!: object | null

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the record that it was merged into; null unless the operation is MERGED.',
    example: null,
  })
  mergedIntoId!: string | null
}

@ObjectType({ description: 'A page of the changes after a cursor.' })
@RequiresScopes(memberScope)
export class SyncChanges {
  @OutputField(() => SyncChange, {
    list: true,
    maxItems: 1000,
    description:
      'The records that have changed, each once. Can be empty although there is more, where others have changed that the caller does not see.',
  })
  changes!: SyncChange[]

  @OutputField(() => String, { description: nextCursorDescription, example: 'WzEsNDAsWyJhY2NvdW50Il0sInJpZ2h0cyJd' })
  nextCursor!: string

  @OutputField(() => Boolean, { description: 'Whether there are further changes now.', example: false })
  hasMore!: boolean

  @OutputField(() => String, { description: schemaVersionDescription, example: '4' })
  schemaVersion!: string
}
