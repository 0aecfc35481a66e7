import { Refusal } from '../../kernel/errors.ts'
import { changeAll } from '../../kernel/record/change-all.ts'
import { customFieldName } from '../../kernel/record/custom-field-column.ts'
import type { RecordDefinition, SerializedRule } from '../../kernel/record/definition.ts'
import type { FormulaScopes } from '../../kernel/record/formula-columns.ts'
import { localSql } from '../../kernel/record/local-formula.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { definitionOf, objectOf, type StoredField } from '../custom-field/field-definition.ts'
import { fieldsOfOrganization, scopesOf } from '../custom-field/formula-rules.ts'
import { noProgress, queueChanges } from '../field-change/definition-state.ts'
import { isInIndex, unindexed } from '../field-index/index-state.ts'
import { buildFormulaName } from './values-state.ts'

const buildIndexName: CustomFieldChange = 'BUILD_INDEX'
const shownMax = 20

/** What the value of a record is to formulas that read the field. */
function readAs(field: CustomField): string {
  const { kind, format, formula, default: absent } = definitionOf(field)
  const { expression, returnType, decimals, blankAs } = formula ?? {}
  const meaning = formula && [expression, returnType, decimals, blankAs]
  return JSON.stringify([kind, format === 'EMAIL', meaning, kind === 'boolean' ? absent : null, field.isActive])
}

/** What a formula computes from the fields of its own record; null if nothing is stored of it. */
function storedSql(scopes: FormulaScopes, field: StoredField): string | null {
  const formula = scopes.of(objectOf(field.entity))?.formulas().get(customFieldName(field.name))
  return formula?.isLocal ? localSql(formula)('t') : null
}

/** Formulas that read the field have other values with its change: these are written into the records, as after a change of their own. */
export const otherFormulasFollow = (definition: () => RecordDefinition<CustomField>): SerializedRule<CustomField> => ({
  concerns: (_ctx, next, previous) =>
    previous !== null && previous.deletedAt === null && next.deletedAt === null && readAs(next) !== readAs(previous),
  async enforce(ctx, next) {
    const stored = await fieldsOfOrganization(ctx)
    const others = stored.filter(({ id }) => id !== next.id)
    const [before, after] = [scopesOf(stored), scopesOf([...others, next])]
    const changed = others.filter(
      (field) =>
        field.fieldType === 'FORMULA' && field.isActive && storedSql(before, field) !== storedSql(after, field),
    )
    const unique = changed.filter(({ isUnique }) => isUnique)
    if (unique.length > 0) {
      const message =
        'Unique formulas read the field, and their values would change; set isUnique of them to false before.'
      const usedBy = unique.slice(0, shownMax).map(({ id, name }) => ({ object: 'custom_field', id, name }))
      throw new Refusal('HAS_DEPENDENTS', message, { usedBy })
    }
    const building = { hasValues: false, state: 'BUILDING' as const, progress: noProgress(buildFormulaName) }
    await changeAll(
      ctx,
      definition(),
      changed.map(({ id }) => id),
      () => building,
    )
    for (const field of changed)
      await queueChanges(ctx, field.id, [
        { kind: buildFormulaName, parameters: {} },
        ...(isInIndex({ ...field, deletedAt: null }) ? [{ kind: buildIndexName, parameters: unindexed }] : []),
      ])
    return []
  },
})
