import type { CustomFieldDefinition } from './custom-field-column.ts'

/** One version of the definitions of an organization. Plain, immutable data. */
export interface OrganizationDefinitions {
  readonly version: number
  /** Custom fields by record type. A record type that is named, also with none, has no keys without a definition. */
  readonly customFields: Readonly<Record<string, readonly CustomFieldDefinition[]>>
  /** Keys of formulas that are not in use, by record type. */
  readonly unusedFormulas?: Readonly<Record<string, readonly string[]>>
}
