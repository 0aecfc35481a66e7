import { withLatestExtensions } from '../../kernel/extension/current-extensions.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import type { Column } from '../../kernel/record/column.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { storeFormulas } from '../../kernel/record/store-formulas.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { shapeOfEntity } from '../custom-field/field-entity.ts'
import type { FieldChange, RunningChange } from '../field-change/field-change.ts'
import { fieldChangeTable } from '../field-change/field-change.migrations.ts'
import { buildFormulaName, needsValues } from './values-state.ts'

/** The column whose values are stored; null for a formula that is not in use, or whose values only reads have. */
function storedColumn(ctx: RequestContext, { entity, name }: CustomField): Column | null {
  const column = shapeOfEntity(ctx, entity).columns.byName.get(customFieldName(name))
  return column?.formula?.isLocal ? column : null
}

/** The definition has changed again since: the values are written by the change that follows. */
async function isFollowed({ db, caller }: RequestContext, { id, field }: RunningChange): Promise<boolean> {
  const later = await db.query(
    `select from ${fieldChangeTable.table}
     where organization_id = $1 and field_id = $2 and id > $3 and kind = $4 and state = 'QUEUED' limit 1`,
    [caller.organizationId, field.id, id, buildFormulaName],
  )
  return later.length > 0
}

/**
 * Writes the values of a formula into the records that exist. Writes of records write theirs from the beginning; reads compute the value until all are
 * there.
 */
export const buildFormula: FieldChange = {
  name: buildFormulaName,
  batchSize: 5_000,
  isRepeated: () => true,
  begins: (next, previous) => (needsValues(next, previous) ? {} : null),
  isOver: async (ctx, change) => storedColumn(ctx, change.field) === null || (await isFollowed(ctx, change)),
  async batch(ctx, { field, shape, ids }) {
    const column = storedColumn(ctx, field)
    if (column) await storeFormulas(ctx, shape, ids, [column])
    return []
  },
  async finish(ctx, change) {
    // No definition changes until the transaction ends.
    await lockSerializedRules(ctx, customField)
    if (await isFollowed(ctx, change)) return {}
    return { hasValues: storedColumn(await withLatestExtensions(ctx), change.field) !== null }
  },
}
