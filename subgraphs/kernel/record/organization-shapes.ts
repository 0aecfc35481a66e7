import { LRUCache } from 'lru-cache'
import type { Column } from './column.ts'
import { customField, customFieldName, customFieldsName, type CustomFieldDefinition } from './custom-field-column.ts'
import { hasColumn, type RecordShape } from './definition.ts'
import type { OrganizationShapes, ShapeSource } from './shape-source.ts'

/** One version of the definitions of an organization. Plain, immutable data. */
export interface OrganizationDefinitions {
  readonly organizationId: string
  readonly version: number
  /** Custom fields by record type. */
  readonly customFields: Readonly<Record<string, readonly CustomFieldDefinition[]>>
}

/** Provides the definitions of organizations. */
export interface DefinitionSource {
  /**
   * The current definitions, from memory; null when the organization has none. Throws when they are not loaded, so that no
   * request runs without them.
   */
  definitionsOf(organizationId: string): OrganizationDefinitions | null
  /** Loads them into memory; null when they are already loaded. Called before each operation. */
  load(organizationId: string): Promise<void> | null
}

/** The built-in shapes with the custom fields of one version of an organization's definitions. */
export class DefinedShapes implements OrganizationShapes {
  readonly version: number
  /** Extended shapes by built-in shape. An extended shape is also its own key, so that `of` is idempotent. */
  readonly #shapes = new WeakMap<RecordShape, RecordShape>()
  readonly #columns = new Map<string, readonly Column[]>()

  constructor(private readonly definitions: OrganizationDefinitions) {
    this.version = definitions.version
  }

  of<S extends object>(given: S): S {
    const shape = given as unknown as RecordShape
    let extended = this.#shapes.get(shape)
    if (!extended) {
      extended = this.#extend(shape)
      this.#shapes.set(shape, extended)
      this.#shapes.set(extended, extended)
    }
    return extended as unknown as S
  }

  #extend(shape: RecordShape): RecordShape {
    const { object } = shape
    const { customFields } = this.definitions
    const fields = Object.hasOwn(customFields, object) ? customFields[object]! : []
    if (fields.length === 0 || !hasColumn(shape, customFieldsName)) return shape
    let columns = this.#columns.get(object)
    if (!columns) this.#columns.set(object, (columns = fields.map(customField)))
    const searchable = fields
      .filter(({ kind, searchable }) => kind === 'text' && searchable)
      .map(({ name }) => customFieldName(name))
    return {
      ...shape,
      columns: shape.columns.withCustomFields(columns),
      searchable: [...shape.searchable, ...searchable],
    }
  }
}

/** Measured memory of an organization's shapes: per extended record type, and per custom field. */
const shapeBytes = 5_000
const fieldBytes = 1_000
const bytesMax = 32_000_000

const bytesOf = ({ customFields }: OrganizationDefinitions): number =>
  Object.values(customFields).reduce(
    (sum, fields) => sum + shapeBytes + fields.length * fieldBytes + 2 * JSON.stringify(fields).length,
    1,
  )

/** Creates the shapes of an organization once per version of its definitions, and caches the most recently used. */
export class CachedShapes implements ShapeSource {
  readonly #shapes = new LRUCache<string, DefinedShapes>({ maxSize: bytesMax })

  constructor(private readonly source: DefinitionSource) {}

  /** Estimated memory of the cached shapes in bytes. */
  get bytes(): number {
    return this.#shapes.calculatedSize
  }

  shapesOf(organizationId: string): OrganizationShapes | null {
    const definitions = this.source.definitionsOf(organizationId)
    if (!definitions) return null
    const known = this.#shapes.get(organizationId)
    if (known?.version === definitions.version) return known
    const shapes = new DefinedShapes(definitions)
    this.#shapes.set(organizationId, shapes, { size: bytesOf(definitions) })
    return shapes
  }

  load(organizationId: string): Promise<void> | null {
    return this.source.load(organizationId)
  }
}
