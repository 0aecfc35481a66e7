import { getNamedType, isCompositeType, type GraphQLCompositeType, type GraphQLSchema } from 'graphql'
import { collectFields, selectionSetsOf, type SelectionContext } from '../gateway/graph/collect.ts'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import type { Caller, FieldRestrictions } from '../subgraphs/kernel/context.ts'
import { customObject } from '../subgraphs/kernel/record/custom-object.ts'
import type { RecordShape } from '../subgraphs/kernel/record/definition.ts'
import { fieldRules, objectOfType } from '../subgraphs/kernel/record/field-security.ts'
import type { OrganizationShapes, ShapeSource } from '../subgraphs/kernel/record/shape-source.ts'

/** The selection of an operation on one type: its fields by their response keys. */
interface Selected {
  /** The record type, as named in access profiles. */
  readonly object: string
  readonly fields: ReadonlyMap<string, { readonly name: string; readonly selection: Selected | null }>
}

/** The type of the records of all custom objects, which profiles restrict by their objects. */
const customRecord = 'custom_record'

const selections = new WeakMap<PreparedOperation, Selected>()

function selectedOf(
  reading: SelectionContext,
  type: GraphQLCompositeType,
  sets: Parameters<typeof collectFields>[2],
): Selected {
  const fields = Array.from(collectFields(reading, type, sets).values(), ({ key, name, nodes }) => {
    const field = 'getFields' in type ? type.getFields()[name] : undefined
    const inner = field && getNamedType(field.type)
    const selection = isCompositeType(inner) ? selectedOf(reading, inner, selectionSetsOf(nodes)) : null
    return [key, { name, selection }] as const
  })
  return { object: objectOfType(type.name), fields: new Map(fields) }
}

function selectionOf(schema: GraphQLSchema, prepared: PreparedOperation): Selected {
  let selected = selections.get(prepared)
  if (!selected) {
    const { operation, fragments } = prepared.parts
    const reading: SelectionContext = { schema, fragments }
    selected = selectedOf(reading, schema.getRootType(operation.operation)!, [operation.selectionSet])
    selections.set(prepared, selected)
  }
  return selected
}

/** What a caller may not read. */
export interface Hidden {
  /** The restrictions of the profile, with those that follow from them for the record types of the platform. */
  readonly restrictions: FieldRestrictions
  /** The custom objects of the organization, of which other restrictions follow. */
  readonly shapes: OrganizationShapes | null
  /** The name of the custom object that the operation is about; null if of none. */
  readonly customObject: string | null
}

/** What is hidden in the answer to a caller; null if nothing is. */
export function hiddenFrom(
  { organizationId, fields }: Pick<Caller, 'organizationId' | 'fields'>,
  shapes: Pick<ShapeSource, 'shapesOf'>,
  { object }: Readonly<Record<string, unknown>>,
): Hidden | null {
  if (!fields) return null
  const customObject = typeof object === 'string' ? object : null
  return { restrictions: fields, shapes: shapes.shapesOf(organizationId), customObject }
}

const none: ReadonlySet<string> = new Set()

/** The hidden fields of a record of a custom object. A selection without the name of the object is of an operation about one object. */
function hiddenOfCustomRecord(record: Readonly<Record<string, unknown>>, hidden: Hidden): ReadonlySet<string> {
  const named = record['object'] ?? hidden.customObject
  const shape = typeof named === 'string' ? hidden.shapes?.custom(customObject(named)) : null
  return (shape && fieldRules({ fields: hidden.restrictions }, shape as RecordShape)?.hidden) ?? none
}

function removeFrom(value: unknown, selected: Selected, hidden: Hidden): void {
  if (Array.isArray(value)) {
    for (const item of value) removeFrom(item, selected, hidden)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  const { object, fields } = selected
  const levels = Object.hasOwn(hidden.restrictions, object) ? hidden.restrictions[object]! : {}
  const names = object === customRecord ? hiddenOfCustomRecord(record, hidden) : none
  for (const [key, { name, selection }] of fields) {
    if (levels[name] === 'HIDDEN' || names.has(name)) delete record[key]
    else if (selection && Object.hasOwn(record, key)) removeFrom(record[key], selection, hidden)
  }
}

/** Removes the fields that the caller's access profile hides: GraphQL returns them as null, REST omits them. */
export function removeHiddenFields(
  schema: GraphQLSchema,
  prepared: PreparedOperation,
  data: unknown,
  hidden: Hidden | null,
): void {
  if (hidden) removeFrom(data, selectionOf(schema, prepared), hidden)
}
