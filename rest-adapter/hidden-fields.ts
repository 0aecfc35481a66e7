import { getNamedType, isCompositeType, type GraphQLCompositeType, type GraphQLSchema } from 'graphql'
import { collectFields, selectionSetsOf, type SelectionContext } from '../gateway/graph/collect.ts'
import type { PreparedOperation } from '../gateway/graph/prepared-operation.ts'
import type { FieldRestrictions } from '../subgraphs/kernel/context.ts'
import { customObject } from '../subgraphs/kernel/record/custom-object.ts'
import { objectOfType } from '../subgraphs/kernel/record/field-security.ts'

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

function removeFrom(value: unknown, { object, fields }: Selected, restrictions: FieldRestrictions): void {
  if (Array.isArray(value)) {
    for (const item of value) removeFrom(item, { object, fields }, restrictions)
    return
  }
  if (typeof value !== 'object' || value === null) return
  const record = value as Record<string, unknown>
  const named = object === customRecord ? customObject(String(record['object'])) : object
  const levels = Object.hasOwn(restrictions, named) ? restrictions[named]! : {}
  for (const [key, { name, selection }] of fields) {
    if (levels[name] === 'HIDDEN') delete record[key]
    else if (selection && Object.hasOwn(record, key)) removeFrom(record[key], selection, restrictions)
  }
}

/** Removes the fields that the caller's access profile hides: GraphQL returns them as null, REST omits them. */
export function removeHiddenFields(
  schema: GraphQLSchema,
  prepared: PreparedOperation,
  data: unknown,
  restrictions: FieldRestrictions,
): void {
  removeFrom(data, selectionOf(schema, prepared), restrictions)
}
