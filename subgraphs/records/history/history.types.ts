import { ID, Int, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'

export const RecordOperation = enumeration('RecordOperation', 'What a change did to a record.', {
  CREATE: 'It was created.',
  UPDATE: 'Fields were changed.',
  DELETE: 'It was deleted.',
  RESTORE: 'It was restored after a deletion.',
})

const field = {
  description: 'Name of the field; `customFields.<name>` of a custom field.',
  example: 'customFields.tier',
} as const

@ObjectType({ description: 'A field of a record with another value than before.' })
export class FieldChange {
  @OutputField(() => String, field)
  field!: string

  @OutputField(() => Json, { nullable: true, description: 'The value before; null if none.', example: 'SILVER' })
  previousValue!: unknown

  @OutputField(() => Json, { nullable: true, description: 'The value after; null if none.', example: 'GOLD' })
  value!: unknown
}

@ObjectType({ description: 'A version of a record: the change that made it.' })
export class RecordVersion {
  @OutputField(() => Int, { description: 'The version of the record after the change.', example: 4 })
  version!: number

  @OutputField(() => RecordOperation, { description: 'What the change did.', example: 'UPDATE' })
  operation!: string

  @OutputField(() => String, {
    list: true,
    description: 'Types of the events of the change, and of further events at this version.',
    example: ['account.updated'],
  })
  events!: string[]

  @OutputField(() => DateTime, { description: 'When it was changed.', example: '2027-02-01T09:00:00.000Z' })
  changedAt!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who changed it; null if the platform did.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  changedById!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'The operation that changed it, `X-Request-Id` of its response; null if that is not known.',
    example: 'req_3f0c1c9a-52f7-4a77-8d0e-0c6b9a54e1d2',
  })
  operationId!: string | null

  @OutputField(() => FieldChange, {
    list: true,
    description: 'The changed fields; of a new record those with a value.',
  })
  changes!: FieldChange[]
}

@ObjectType({ description: 'A page of the versions of a record, newest first.' })
export class RecordVersionPage {
  @OutputField(() => RecordVersion, { list: true, description: 'The versions.' })
  data!: RecordVersion[]

  @OutputField(() => Boolean, { description: 'Whether there are older versions.', example: false })
  hasMore!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: '`cursor` of the next page; null if there is none.',
    example: null,
  })
  nextCursor!: string | null
}

@ObjectType({ description: 'The difference between the states of a record at two times.' })
export class RecordDifference {
  @OutputField(() => DateTime, { description: 'The earlier time.', example: '2027-02-01T09:00:00.000Z' })
  from!: string

  @OutputField(() => DateTime, { description: 'The later time.', example: '2027-02-08T09:00:00.000Z' })
  to!: string

  @OutputField(() => Int, {
    nullable: true,
    description: 'The version at the earlier time; null if the record did not exist or was deleted then.',
    example: 2,
  })
  fromVersion!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'The version at the later time; null if the record did not exist or was deleted then.',
    example: 4,
  })
  toVersion!: number | null

  @OutputField(() => FieldChange, {
    list: true,
    description: 'The fields with different values. Where there was no record, its fields have no value.',
  })
  changes!: FieldChange[]
}
