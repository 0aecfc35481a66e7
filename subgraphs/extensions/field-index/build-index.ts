import { isId } from '../../kernel/ids.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import { columnOf } from '../../kernel/record/definition.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { lockNamed } from '../../kernel/record/lookup/check-lookups.ts'
import { forgetDeleted, forgetValues, indexRecords } from '../../kernel/record/value-index/build-values.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { shapeOfEntity } from '../custom-field/field-entity.ts'
import type { FieldBatch, FieldChange } from '../field-change/field-change.ts'
import { rewriteValues, valuesIn } from '../field-change/rewrite-values.ts'
import { hasOtherDefault, hasOtherValues, isInIndex, unindexed } from './index-state.ts'

const buildIndexName: CustomFieldChange = 'BUILD_INDEX'
const removeIndexName: CustomFieldChange = 'REMOVE_INDEX'

/** What the field was before: it is that again if values do not allow the change. */
interface Before extends Pick<CustomField, 'isIndexed' | 'isUnique' | 'hasIndex'> {
  /** A LOOKUP was not in use for a time, in which records that it names may have been deleted. */
  readonly wasUnused?: boolean
}

/** A field that waits for its index has begun the change that builds it. */
const waits = (field: CustomField | null): boolean => field !== null && isInIndex(field) && !field.hasIndex

function begins(next: CustomField, previous: CustomField | null): Before | null {
  if (!isInIndex(next)) return null
  const becomesUnique = next.isUnique && !previous?.isUnique
  if (!becomesUnique && (next.hasIndex || waits(previous))) return null
  // Otherwise it leaves the index if it fails: it was not part of it, or the rows would have two defaults.
  const wasInIndex =
    previous !== null && isInIndex(previous) && !hasOtherDefault(next, previous) && !hasOtherValues(next)
  const wasUnused = next.fieldType === 'LOOKUP' && previous !== null
  if (!wasInIndex) return { ...unindexed, ...(wasUnused && { wasUnused }) }
  const { isIndexed, isUnique, hasIndex } = previous
  return { isIndexed, isUnique, hasIndex, ...(wasUnused && { wasUnused }) }
}

/** Clears what the records name of records that were deleted while the field was not in use. */
async function clearLost(ctx: RequestContext, batch: FieldBatch<Before>, to: string): Promise<void> {
  const named = new Set((await valuesIn(ctx, batch)).map(({ value }) => value).filter(isId))
  const live = await lockNamed(ctx, to, [...named])
  // What was written since then is not among them, and was checked by its write.
  await rewriteValues(ctx, batch, (value) => (isId(value) && named.has(value) && !live.has(value) ? null : value))
}

/**
 * Writes the rows of the index for the records that exist. Writes of records write theirs from the beginning, and compare unique values with the rows
 * that are there; lists read the index when all are there.
 */
export const buildIndex: FieldChange<Before> = {
  name: buildIndexName,
  batchSize: 2_000,
  failuresMax: 20,
  // A LOOKUP is always indexed: its deleted records are found by its rows.
  isRepeated: ({ fieldType }) => fieldType === 'LOOKUP',
  begins,
  async batch(ctx, batch) {
    const { field, shape, ids, parameters } = batch
    const column = columnOf(shape, customFieldName(field.name))
    if (parameters.wasUnused && column.lookup) await clearLost(ctx, batch, column.lookup.to)
    const conflicts = await indexRecords(ctx, shape, column, ids)
    const message = `Another ${shape.object} already has this ${column.name}.`
    return conflicts.map(({ id, value, conflictingId }) => ({
      recordId: id,
      value,
      code: 'NOT_UNIQUE',
      message,
      conflictingId,
    }))
  },
  async finish(ctx, { field }) {
    // It publishes the definitions: from here on, no write is under way.
    await lockSerializedRules(ctx, customField)
    await forgetDeleted(ctx, shapeOfEntity(ctx, field.entity), field.name)
    return { hasIndex: true }
  },
  fail: (_ctx, { parameters: { isIndexed, isUnique, hasIndex } }) => Promise.resolve({ isIndexed, isUnique, hasIndex }),
}

/**
 * Removes the rows of a field that has left the index. Lists no longer read them. If it is indexed again before that, its new rows are removed, too, and then
 * built: changes of one field are carried out one after another.
 */
export const removeIndex: FieldChange = {
  name: removeIndexName,
  batchSize: 2_000,
  isAfterwards: true,
  begins(next, previous) {
    if (!previous) return null
    // A restored field begins without rows.
    const hasRows = isInIndex(previous) || previous.deletedAt !== null
    const keepsRows = isInIndex(previous) && isInIndex(next)
    return hasRows && !keepsRows ? {} : null
  },
  async batch(ctx, { field, shape, ids }) {
    await forgetValues(ctx, shape, field.name, ids)
    return []
  },
}
