import type { Pattern } from '../values/pattern.ts'

/** Text in a form of its own. EMAIL is stored in its canonical form. */
export type CustomFieldFormat = 'EMAIL' | 'PHONE' | 'URL'

/** Which values a field may have follows from the value of another custom field of the record. */
export interface Dependency {
  /** The API name of the other field. */
  readonly field: string
  /** The values by that of the other field. Where it is not named, or has no value, none is allowed. */
  readonly values: Readonly<Record<string, readonly string[]>>
}

/** What a write of a custom field must obey besides the bounds of its column. */
export interface CustomFieldRules {
  readonly label: string
  readonly retired: ReadonlySet<string>
  readonly format: CustomFieldFormat | null
  readonly pattern: Pattern | null
  readonly isRequired: boolean
  readonly dependsOn: Dependency | null
  /** Former values that writes may still send, with the values that they mean. */
  readonly aliases: ReadonlyMap<unknown, string>
}
