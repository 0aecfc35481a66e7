import { customFieldKey } from '../subgraphs/kernel/record/custom-field-column.ts'

/** A field by which records are grouped, as the graph takes it. */
interface FieldAndUnit {
  readonly field?: string
  /** The API name of a custom field. */
  readonly customField?: string
  readonly by?: string
}

/** Reads `closeDate:fiscalQuarter` as `{ field: 'closeDate', by: 'FISCAL_QUARTER' }`, and a field without a unit as it is; `customFields.tier` is a custom field. */
export function fieldAndUnit(text: string): FieldAndUnit {
  const [name = '', unit] = text.split(':')
  const key = customFieldKey(name)
  const field = key === null ? { field: name } : { customField: key }
  if (unit === undefined) return field
  return { ...field, by: unit.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase() }
}
