/** The shapes of records as one organization has them, at one version of what it defined. */
export interface OrganizationShapes {
  /** The shape of a kind of record with what the organization defined; the given one when it defined nothing there. */
  of<S extends object>(shape: S): S
}

/** The shapes of all organizations. */
export interface ShapeSource {
  /** Null when the organization has no definitions of its own. Throws when its definitions are not in memory. */
  shapesOf(organizationId: string): OrganizationShapes | null
  /** Brings the definitions into memory; null when they are there. Called before each operation. */
  load(organizationId: string): Promise<void> | null
}

/** No organization has definitions of its own. */
export const builtInShapes: ShapeSource = { shapesOf: () => null, load: () => null }

/** The shape of a kind of record for the organization of a request: the built-in one itself when it defined nothing. */
export const shapeFor = <S extends object>({ shapes }: { readonly shapes: OrganizationShapes | null }, shape: S): S =>
  shapes === null ? shape : shapes.of(shape)
