/** The record shapes of one organization, at one version of its definitions. */
export interface OrganizationShapes {
  /** The shape of a record type with the custom fields of the organization; the given shape when there are none. */
  of<S extends object>(shape: S): S
  /** The shape of a custom object of the organization, by its name as a record type: `custom:site_visit`. Null when there is none. */
  custom(object: string): object | null
  /** The names of the custom objects as record types, by name. */
  readonly customObjects: readonly string[]
}

/** The shapes of all organizations. */
export interface ShapeSource {
  /** Null when the organization has no definitions of its own, or when they are not loaded. */
  shapesOf(organizationId: string): OrganizationShapes | null
  /** Loads the definitions into memory; null when the latest ones are already loaded. Called before each operation, outside of transactions. */
  load(organizationId: string): Promise<unknown> | null
}

/** A source without definitions: every organization has the built-in shapes. */
export const builtInShapes: ShapeSource = { shapesOf: () => null, load: () => null }

/** The shape of a record type for the organization of a request; the built-in shape when the organization defined nothing. */
export const shapeFor = <S extends object>({ shapes }: { readonly shapes: OrganizationShapes | null }, shape: S): S =>
  shapes === null ? shape : shapes.of(shape)
