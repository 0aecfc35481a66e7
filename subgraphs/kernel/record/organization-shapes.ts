import { LRUCache } from 'lru-cache'
import type { Column } from './column.ts'
import { customField, customFieldName, customFieldsName, type CustomFieldDefinition } from './custom-field-column.ts'
import { has, type RecordShape } from './definition.ts'
import type { OrganizationShapes, ShapeSource } from './shape-source.ts'

/** What an organization has defined, as it was at one version. Plain data that is never changed. */
export interface OrganizationDefinitions {
  readonly organizationId: string
  readonly version: number
  /** Custom fields by the kind of record that has them. */
  readonly customFields: Readonly<Record<string, readonly CustomFieldDefinition[]>>
}

/** Where the definitions of organizations come from. */
export interface DefinitionSource {
  /**
   * The present definitions, from memory; null when the organization has none. Throws when they are not in memory, so that no
   * request is answered without them.
   */
  definitionsOf(organizationId: string): OrganizationDefinitions | null
  /** Brings them into memory; null when they are there. Called before each operation. */
  load(organizationId: string): Promise<void> | null
}

/** The built-in shapes with the custom fields of one organization, at one version of its definitions. */
export class DefinedShapes implements OrganizationShapes {
  readonly version: number
  /** By the built-in shape that they extend, and by themselves. */
  readonly #shapes = new WeakMap<RecordShape, RecordShape>()
  readonly #columns = new Map<string, readonly Column[]>()

  constructor(private readonly definitions: OrganizationDefinitions) {
    this.version = definitions.version
  }

  of<S extends object>(given: S): S {
    const shape = given as unknown as RecordShape
    let own = this.#shapes.get(shape)
    if (!own) {
      own = this.#extended(shape)
      this.#shapes.set(shape, own)
      this.#shapes.set(own, own)
    }
    return own as unknown as S
  }

  #extended(shape: RecordShape): RecordShape {
    const { object } = shape
    const { customFields } = this.definitions
    const fields = Object.hasOwn(customFields, object) ? customFields[object]! : []
    if (fields.length === 0 || !has(shape, customFieldsName)) return shape
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

/** What the shapes of an organization take in memory, measured: for each kind of record that is extended, and for each custom field. */
const objectBytes = 5_000
const fieldBytes = 1_000
const bytesMax = 32_000_000

const bytesOf = ({ customFields }: OrganizationDefinitions): number =>
  Object.values(customFields).reduce(
    (sum, fields) => sum + objectBytes + fields.length * fieldBytes + 2 * JSON.stringify(fields).length,
    1,
  )

/** Makes the shapes of an organization once for each version of its definitions, and keeps those last used. */
export class CachedShapes implements ShapeSource {
  readonly #shapes = new LRUCache<string, DefinedShapes>({ maxSize: bytesMax })

  constructor(private readonly source: DefinitionSource) {}

  /** Bytes that the shapes take, as far as they are known. */
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
