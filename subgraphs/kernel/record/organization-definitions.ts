import type { CustomFieldDefinition } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import type { DuplicateRuleDefinition } from './duplicates/duplicate-rules.ts'

/** One version of the definitions of an organization. Plain, immutable data. */
export interface OrganizationDefinitions {
  readonly version: number
  /** Custom fields by record type. A record type that is named, also with none, has no keys without a definition. */
  readonly customFields: Readonly<Record<string, readonly CustomFieldDefinition[]>>
  /** Keys of formulas that are not in use, by record type. */
  readonly unusedFormulas?: Readonly<Record<string, readonly string[]>>
  /** The shapes of the custom objects without their fields, by their names as record types: `custom:site_visit`. */
  readonly objects?: Readonly<Record<string, RecordShape>>
  /** The active rules of duplicates by record type. */
  readonly duplicateRules?: Readonly<Record<string, readonly DuplicateRuleDefinition[]>>
}
