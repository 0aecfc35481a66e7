import { ID, ObjectType } from 'type-graphql'
import { readScopeOfObject, requireActingScopes } from '../../kernel/acting-scopes.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { recordsOf } from '../../kernel/record/records-of.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { visibleRecords } from '../../kernel/record/visible-records.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import { shapeOfEntity } from '../custom-field/field-entity.ts'
import type { FailedValue } from './field-change.ts'
import { fieldChangeTable } from './field-change.migrations.ts'

@ObjectType({ description: 'A value of a record that did not allow a change of a custom field.' })
@RequiresScope('CUSTOM_FIELDS')
export class CustomFieldFailure {
  @OutputField(() => ID, { description: 'Id of the record.', example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41' })
  recordId!: string

  @OutputField(() => Json, {
    nullable: true,
    description: 'The value that the record had; of a text the first 255 characters.',
    example: 'not an address',
  })
  value!: unknown

  @OutputField(() => String, { description: 'What is wrong, for programs.', example: 'NOT_AN_EMAIL' })
  code!: string

  @OutputField(() => String, {
    description: 'What is wrong, for people.',
    example: 'customFields.mail must be an email address.',
  })
  message!: string

  @OutputField(() => ID, {
    nullable: true,
    description:
      'Id of another record whose value is in conflict with it; null if none is, or if the caller does not see it.',
    example: null,
  })
  conflictingId!: string | null
}

const textMax = 255
const shown = (value: unknown): unknown => (typeof value === 'string' ? [...value].slice(0, textMax).join('') : value)

const removeIndexName: CustomFieldChange = 'REMOVE_INDEX'

/** The failures of the last change of a field, of the records that the caller sees. What was begun together with it did not happen, and the removal of rows follows from it. */
export async function lastFailures(ctx: RequestContext, id: string): Promise<CustomFieldFailure[]> {
  requireAdministrator(ctx)
  const field = await recordsOf(customField).require(ctx, id)
  const shape = shapeOfEntity(ctx, field.entity)
  requireActingScopes(ctx.caller, [readScopeOfObject(shape.object)])
  requireReadable(ctx.caller, shape, customFieldName(field.name))
  const [last] = await ctx.db.query<{ failures: readonly FailedValue[] }>(
    `select failures from ${fieldChangeTable.table}
     where organization_id = $1 and field_id = $2 and state <> 'CANCELLED' and kind <> $3 order by id desc limit 1`,
    [ctx.caller.organizationId, field.id, removeIndexName],
  )
  const failures = last?.failures ?? []
  const { object } = shape
  const named = failures.flatMap(({ recordId, conflictingId }) =>
    conflictingId ? [recordId, conflictingId] : [recordId],
  )
  const found = await visibleRecords(ctx, new Map([[object, shape]]), { [object]: [...new Set(named)] })
  const visible = new Set(found[object])
  return failures
    .filter(({ recordId }) => visible.has(recordId))
    .map(({ recordId, value, code, message, conflictingId = null }) => ({
      recordId,
      value: shown(value),
      code,
      message,
      conflictingId: conflictingId !== null && visible.has(conflictingId) ? conflictingId : null,
    }))
}
