import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import { columnOf } from '../../kernel/record/definition.ts'
import { buildTotals, buildValues } from '../../kernel/record/rollup/build-rollup.ts'
import type { CompiledRollup } from '../../kernel/record/rollup/rollup-definition.ts'
import { hasTotals } from '../../kernel/record/rollup/rollup-result.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { shapeOfEntity } from '../custom-field/field-entity.ts'
import type { FieldChange } from '../field-change/field-change.ts'
import { needsBuilding } from './totals-state.ts'

const buildRollupName: CustomFieldChange = 'BUILD_ROLLUP'

/** Totals are built for each parent, values of which the least or greatest is read for each child. */
const isOfParents = ({ rollupConfig }: CustomField): boolean => rollupConfig === null || hasTotals(rollupConfig)

const compiled = (ctx: RequestContext, { entity, name }: CustomField): CompiledRollup | null =>
  columnOf(shapeOfEntity(ctx, entity), customFieldName(name)).rollup ?? null

/**
 * Builds what reads use of a rollup. Writes of child records add to it from the beginning; reads compute the value from the child records until it is
 * complete.
 */
export const buildRollup: FieldChange = {
  name: buildRollupName,
  batchSize: 500,
  isRepeated: () => true,
  begins: (next, previous) => (needsBuilding(next, previous) ? {} : null),
  entityOf: (field) => (isOfParents(field) ? field.entity : field.rollupConfig!.childObject),
  async batch(ctx, { field, ids }) {
    const rollup = compiled(ctx, field)
    if (rollup) await (isOfParents(field) ? buildTotals : buildValues)(ctx, rollup, ids)
    return []
  },
  finish: () => Promise.resolve({ hasTotals: true }),
}
