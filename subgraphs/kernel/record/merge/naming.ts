import type { RequestContext } from '../../request.ts'
import type { Column } from '../column.ts'
import { customObjectName, recordTypeIn, recordTypeNamesIn } from '../custom-object.ts'
import { hasColumn, type RecordShape } from '../definition.ts'
import { namedRecordOf } from '../named-records.ts'
import { shapeFor, type WithShapes } from '../shape-source.ts'

// Which columns of which record types have ids of records of a type: the registry of references. It follows from the declarations that every record
// type has anyway: its relations, `NamesRecord`, the lookups of the organization, and `names` for what none of them tells.

/** A column of a record type, or a part of its structured value, with ids of records of another type. */
export interface NamingField {
  readonly column: Column
  /** Structured columns: the part with the id, or with a list of ids. */
  readonly part: Column | null
  /** What says that the id is of this type: a column or, beside a part, another part with this value. Null where all ids are of this type. */
  readonly kind: { readonly name: string; readonly value: string } | null
  /** The column with all ids of a structured column, which has an index. */
  readonly index: Column | null
}

/** The fields of one record type that name records of another type. */
export interface NamingShape {
  readonly shape: RecordShape
  readonly fields: readonly NamingField[]
}

const structureOf = ({ shape }: Column): object => [shape!()].flat()[0] as object

/** What follows from other columns is not moved, but computed again. */
const isCopied = ({ derivedFrom = [], computed = false }: Column, { columns }: RecordShape): boolean =>
  computed || derivedFrom.some((name) => columns.byName.get(name)?.structure)

function plainFields(shape: RecordShape, object: string): NamingField[] {
  const related = Object.values(shape.relations ?? {}).flatMap(({ by, to }) =>
    by !== undefined && to().object === object ? [by] : [],
  )
  const named = shape.columns.stored
    .filter(({ name }) => namedRecordOf(shape.entity, name) === object)
    .map(({ name }) => name)
  return [...new Set([...related, ...named])]
    .map((name) => shape.columns.byName.get(name)!)
    .filter((column) => !isCopied(column, shape))
    .map((column) => ({ column, part: null, kind: null, index: null }))
}

/** The list of the ids in a structured column, if it is a column of its own. */
const indexOf = (shape: RecordShape, { name }: Column, object: string): Column | null =>
  shape.columns.stored.find(
    (column) =>
      column.kind === 'textList' &&
      (column.derivedFrom ?? []).includes(name) &&
      namedRecordOf(shape.entity, column.name) === object,
  ) ?? null

const partFields = (shape: RecordShape, object: string): NamingField[] =>
  shape.columns.structured.flatMap((column) =>
    column
      .structure!.parts.filter(({ name }) => namedRecordOf(structureOf(column), name) === object)
      .map((part) => ({ column, part, kind: null, index: indexOf(shape, column, object) })),
  )

function declaredFields(shape: RecordShape, object: string): NamingField[] {
  return Object.entries(shape.names ?? {}).flatMap(([path, named]): NamingField[] => {
    if (!named) return []
    const [name, partName] = path.split('.') as [string, string?]
    const column = shape.columns.byName.get(name)!
    const part = partName === undefined ? null : column.structure!.parts.find((one) => one.name === partName)!
    if (typeof named === 'string') return named === object ? [{ column, part, kind: null, index: null }] : []
    const value = named.kindOf(object)
    return value === null ? [] : [{ column, part, kind: { name: named.kind, value }, index: null }]
  })
}

function parentFields({ visibleThroughRelated: related, columns }: RecordShape, object: string): NamingField[] {
  if (!related) return []
  const types = Object.entries(related.to).flatMap(([value, to]) => (to().object === object ? [value] : []))
  const values = related.orCustomObject && customObjectName(object) !== null ? [...types, object] : types
  const column = columns.byName.get(related.id)!
  return values.map((value) => ({ column, part: null, kind: { name: related.type, value }, index: null }))
}

const lookupFields = ({ columns }: RecordShape, object: string): NamingField[] =>
  [...columns.customFields.values()].flatMap((column) =>
    column.lookup?.to === object ? [{ column, part: null, kind: null, index: null }] : [],
  )

/** The fields of a record type that name records of the type `object`. */
export const namingFieldsOf = (shape: RecordShape, object: string): NamingField[] => [
  ...plainFields(shape, object),
  ...partFields(shape, object),
  ...declaredFields(shape, object),
  ...parentFields(shape, object),
  ...lookupFields(shape, object),
]

/** Records that are copied from other records, or have no versions, follow them. */
const isChanged = (shape: RecordShape): boolean => !shape.partsOf && !shape.storedIn && hasColumn(shape, 'version')

/** All record types with fields that name records of the type `object`, custom objects included. */
export function namingShapes(ctx: Pick<RequestContext, 'shapes'> & WithShapes, object: string): NamingShape[] {
  return recordTypeNamesIn(ctx).flatMap((name) => {
    const shape = shapeFor(ctx, recordTypeIn(ctx, name)!)
    const fields = isChanged(shape) ? namingFieldsOf(shape, object) : []
    return fields.length > 0 ? [{ shape, fields }] : []
  })
}

/** The path of the field, for people and clients: `contactRoles.contactId`. */
export const pathOf = ({ column, part }: NamingField): string => (part ? `${column.name}.${part.name}` : column.name)
