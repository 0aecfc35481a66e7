import type { CustomFieldType } from './custom-field.enumerations.ts'
import type { CustomField } from './custom-field.ts'

export const picklists: readonly CustomFieldType[] = ['PICKLIST', 'MULTI_PICKLIST']
export const numbers: readonly CustomFieldType[] = ['NUMBER', 'CURRENCY']
/** The types whose values are ids of records. They are always indexed. */
export const references: readonly CustomFieldType[] = ['LOOKUP', 'MASTER_DETAIL']
const texts: readonly CustomFieldType[] = ['TEXT', 'TEXTAREA', 'EMAIL', 'PHONE', 'URL']

/** The types that a property is for. */
export const typesOf = {
  isSearchable: texts,
  isIndexed: ['TEXT', 'EMAIL', 'PHONE', 'URL', ...numbers, 'DATE', 'DATETIME', 'CHECKBOX', 'PICKLIST', ...references],
  isUnique: ['TEXT', 'EMAIL', 'PHONE', 'URL', ...numbers],
  picklistValues: picklists,
  controllingField: picklists,
  dependentValues: picklists,
  pattern: ['TEXT', 'EMAIL', 'PHONE', 'URL'],
  precision: numbers,
  maxLength: ['TEXT', 'TEXTAREA', 'PHONE', 'URL'],
  minValue: numbers,
  maxValue: numbers,
  formulaConfig: ['FORMULA'],
  rollupConfig: ['ROLLUP_SUMMARY'],
  lookupEntity: references,
  lookupObject: references,
  lookupDeleteBehavior: ['LOOKUP'],
  isReparentable: ['MASTER_DETAIL'],
} as const satisfies Partial<Record<keyof CustomField, readonly CustomFieldType[]>>
