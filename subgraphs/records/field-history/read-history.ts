import { ID, Int, ObjectType } from 'type-graphql'
import { invalid } from '../../kernel/errors.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { fieldHistoryTable } from '../../kernel/record/derived/field-history.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'

@ObjectType({ description: 'A value of a field that a change of a record has replaced.' })
export class FieldHistoryEntry {
  @OutputField(() => ID, { description: 'Id of the entry.', example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' })
  id!: string

  @OutputField(() => String, {
    description: 'Path of the custom field whose value was replaced.',
    example: 'customFields.tier',
  })
  field!: string

  @OutputField(() => Json, {
    nullable: true,
    description: 'The value before the change; null if none.',
    example: 'SILVER',
  })
  previousValue!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description: 'The value after the change; null if none.',
    example: 'GOLD',
  })
  value!: unknown

  @OutputField(() => Int, { description: 'The version of the record after the change.', example: 4 })
  version!: number

  @OutputField(() => DateTime, { description: 'When it was changed.', example: '2027-02-01T09:00:00.000Z' })
  changedAt!: string

  @NamesRecord('user')
  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the user who changed it; null if the platform did.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  changedById!: string | null
}

@ObjectType({ description: 'A page of the history of the fields of a record, newest first.' })
export class FieldHistoryPage {
  @OutputField(() => FieldHistoryEntry, { list: true, description: 'The entries.' })
  data!: FieldHistoryEntry[]

  @OutputField(() => Boolean, { description: 'Whether there are older entries.', example: false })
  hasMore!: boolean

  @OutputField(() => String, {
    nullable: true,
    description: '`cursor` of the next page; null if there is none.',
    example: null,
  })
  nextCursor!: string | null
}

export interface HistoryArgs {
  readonly id: string
  readonly field: string | null
  readonly cursor: string | null
  readonly limit: number
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The history of the fields of a record that the caller sees, without the fields that the caller's profile hides. */
export async function readFieldHistory(
  ctx: RequestContext,
  type: RecordShape,
  { id, field, cursor, limit }: HistoryArgs,
): Promise<FieldHistoryPage> {
  if (cursor !== null && !isId.test(cursor))
    throw invalid({ path: 'cursor', code: 'WRONG_FORMAT', message: 'cursor must be nextCursor of another page.' })
  const shape = shapeFor(ctx, type)
  const record = await requireRecord(ctx, shape as RecordDefinition<StoredRow>, id)
  ctx.answered?.record(shape, record.id)
  const rules = fieldRules(ctx.caller, shape)
  if (rules?.hidden.has('customFields')) return { data: [], hasMore: false, nextCursor: null }
  const values = new Values()
  const conditions = [
    `organization_id = ${values.add(ctx.caller.organizationId)}`,
    `record_id = ${values.add(record.id)}`,
    `object = ${values.add(shape.object)}`,
    `not field = any(${values.add([...(rules?.hiddenKeys ?? [])])}::text[])`,
    ...(field === null ? [] : [`field = ${values.add(field)}`]),
    ...(cursor === null ? [] : [`id < ${values.add(cursor)}`]),
  ]
  const rows = await ctx.db.query<FieldHistoryEntry & Record<string, unknown>>(
    `select id, field, previous_value as "previousValue", value, version, changed_at as "changedAt",
       changed_by_id as "changedById" from ${fieldHistoryTable}
     where ${conditions.join(' and ')} order by id desc limit ${values.add(limit + 1)}`,
    values.list,
  )
  const data = rows.slice(0, limit).map((row) => ({ ...row, field: customFieldName(row.field) }))
  const hasMore = rows.length > limit
  return { data, hasMore, nextCursor: hasMore ? data.at(-1)!.id : null }
}
