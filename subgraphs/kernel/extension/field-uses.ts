/** What names custom fields in a subgraph other than the one that defines them. */
export interface FieldUseSource {
  /** The object word of what names them. */
  readonly user: string
  /**
   * `select id, name` of the live records of the organization `$1` that name a custom field of the record type `$2`, as the types of its events
   * begin: `account`, `custom_object.site_visit`. `$3` is a regular expression for `customFields.<name>` as a whole.
   */
  readonly sql: string
}

const sources: FieldUseSource[] = []

/** Whoever names custom fields by their paths registers it, so that a field is not deleted under it. */
export function registerFieldUse(source: FieldUseSource): void {
  sources.push(source)
}

export const fieldUseSources = (): readonly FieldUseSource[] => sources
