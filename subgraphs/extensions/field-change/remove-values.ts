import { newId } from '../../kernel/ids.ts'
import { forgetFieldHistory } from '../../kernel/record/derived/field-history.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { forgetRollup } from '../../kernel/record/rollup/build-rollup.ts'
import { forgetValues } from '../../kernel/record/value-index/build-values.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import { noProgress } from './definition-state.ts'
import type { FieldChange } from './field-change.ts'
import { fieldChangeTable } from './field-change.migrations.ts'

export const keptDays = 30
const dayMs = 86_400_000
const fieldsMax = 1_000
const kind: CustomFieldChange = 'REMOVE_VALUES'

/**
 * Removes the values of a field that was deleted 30 days ago, and then its definition, so that its name is free. Receivers were told that the field
 * was deleted, so the records have no events; they get a new version, so that no write that has read a value writes it back.
 */
export const removeValues: FieldChange = {
  name: kind,
  batchSize: 500,
  async batch(ctx, { field, shape, ids }) {
    const { db, caller } = ctx
    await db.query(
      `update ${shape.storedIn ?? shape.table} set custom_fields = custom_fields - $3::text, version = version + 1
       where organization_id = $1 and id = any($2::uuid[]) and custom_fields ? $3::text`,
      [caller.organizationId, ids, field.name],
      'WRITE',
    )
    await forgetFieldHistory(ctx.db, ctx.caller.organizationId, ids, field.name)
    await forgetValues(ctx, shape, field.name, ids)
    if (field.fieldType === 'ROLLUP_SUMMARY') await forgetRollup(ctx, field.id, ids)
    return []
  },
  async finish(ctx, { field }) {
    const { db, caller } = ctx
    // Rows of records that have ceased to count, and of parents that are no longer there.
    if (field.fieldType === 'ROLLUP_SUMMARY') await forgetRollup(ctx, field.id)
    await db.query(`delete from ${customField.table} where organization_id = $1 and id = $2 and state = 'DELETING'`, [
      caller.organizationId,
      field.id,
    ])
    return null
  },
}

/** Begins the removal of fields that were deleted 30 days ago. The new version refuses a restoration that has read the field before. */
export const removeDeletedFields: Job = {
  name: 'customFields.removeDeleted',
  cron: '20 * * * *',
  async run({ database, clock }) {
    const before = new Date(clock.now().getTime() - keptDays * dayMs).toISOString()
    const due = await database.query<{ organizationId: string; id: string }>(
      `select organization_id as "organizationId", id from ${customField.table}
       where deleted_at < $1 and state = 'READY' order by deleted_at limit ${fieldsMax}`,
      [before],
    )
    for (const { organizationId, id } of due)
      await database.query(
        `with marked as (
           update ${customField.table} set state = 'DELETING', version = version + 1, progress = $5
           where organization_id = $1 and id = $2 and deleted_at < $3 and state = 'READY' returning 1)
         insert into ${fieldChangeTable.table} (organization_id, id, field_id, kind, parameters)
         select $1, $4, $2, '${kind}', '{}' from marked`,
        [organizationId, id, before, newId(), JSON.stringify(noProgress(kind))],
      )
  },
}
