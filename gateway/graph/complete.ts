import { isObjectType, type GraphQLFormattedError } from 'graphql'
import type { Data, FieldShape, ObjectShape, TypeShape, ValueShape } from './shape.ts'

/** A null that an error already explains, so its parent adds no error. */
const explainedNull = Symbol('explainedNull')
/** A null at a non-null position: the parent becomes null. */
const nullParent = Symbol('nullParent')

interface Completion {
  readonly errors: GraphQLFormattedError[]
  readonly path: (string | number)[]
  readonly introspection: Data
}

function note(completion: Completion, message: string): void {
  completion.errors.push({ message, path: [...completion.path], extensions: { code: 'INVALID_GRAPHQL' } })
}

function placeOf({ path }: Completion, shape: ValueShape, parentName: string): string {
  const last = path.at(-1)
  return typeof last === 'number'
    ? `array element of type ${shape.typeName} at index ${last}`
    : `field ${parentName}.${last}`
}

function completeValue(completion: Completion, shape: ValueShape, value: unknown, parentName: string): unknown {
  const completed = value === null || value === undefined ? null : completePresent(completion, shape, value, parentName)
  if (!shape.nonNull) return completed
  if (completed === null) {
    note(completion, `Cannot return null for non-nullable ${placeOf(completion, shape, parentName)}.`)
    return nullParent
  }
  return completed === explainedNull ? nullParent : completed
}

function completePresent(completion: Completion, shape: ValueShape, value: unknown, parentName: string): unknown {
  switch (shape.kind) {
    case 'leaf':
      if (shape.isValid(value)) return value
      note(completion, `Invalid value found for ${placeOf(completion, shape, parentName)}.`)
      return explainedNull
    case 'answer':
      return value
    case 'list':
      if (Array.isArray(value)) return completeList(completion, shape.item, value, parentName)
      note(completion, `Invalid value found for ${placeOf(completion, shape, parentName)}.`)
      return explainedNull
    default: {
      const data = value as Data
      const typename = data['__typename']
      const type = typeof typename === 'string' ? shape.object.of(typename) : shape.object.of(shape.object.type.name)
      if (typeof value === 'object' && type) return completeObject(completion, type, data)
      note(completion, `Invalid __typename found for object at ${placeOf(completion, shape, parentName)}.`)
      return explainedNull
    }
  }
}

function completeList(
  completion: Completion,
  item: ValueShape,
  values: readonly unknown[],
  parentName: string,
): unknown {
  const { path } = completion
  const output: unknown[] = []
  let nullified = false
  for (let index = 0; index < values.length; index++) {
    path.push(index)
    const completed = completeValue(completion, item, values[index], parentName)
    path.pop()
    if (completed === nullParent) nullified = true
    output.push(completed === explainedNull ? null : completed)
  }
  return nullified ? explainedNull : output
}

/** The type name of the answer. If it is not the name of an object type, the object becomes null. */
function typenameOf(type: TypeShape): string | typeof nullParent {
  return isObjectType(type.type) ? type.type.name : nullParent
}

function completeField(completion: Completion, type: TypeShape, field: FieldShape, input: Data): unknown {
  if (field.isTypename) return typenameOf(type)
  if (!field.value) return completion.introspection[field.from]
  const value = field.inherited && !Object.hasOwn(input, field.from) ? null : input[field.from]
  const { value: shape } = field
  // Fast path: most fields are leaves with a valid value, which needs no path.
  if (shape.kind === 'leaf' && value !== null && value !== undefined && shape.isValid(value)) return value
  completion.path.push(field.key)
  const completed = completeValue(completion, shape, value, field.parentName)
  completion.path.pop()
  return completed
}

function completeObject(completion: Completion, type: TypeShape, input: Data): unknown {
  const output: Data = {}
  for (const field of type.fields) {
    const completed = completeField(completion, type, field, input)
    if (completed === nullParent) return explainedNull
    output[field.key] = completed === explainedNull ? null : completed
  }
  return output
}

/**
 * Builds the answer of an operation from the merged data of its subgraphs: exactly the selected fields, in the order of the
 * operation, with nulls propagated. The errors list nulls and invalid values for which no subgraph gave an error.
 */
export function complete(
  root: ObjectShape,
  input: Data,
  introspection: Data,
): { data: Data | null; errors: GraphQLFormattedError[] } {
  const completion: Completion = { errors: [], path: [], introspection }
  const type = root.of(root.type.name)
  const completed = type ? completeObject(completion, type, input) : explainedNull
  return { data: completed === explainedNull ? null : (completed as Data), errors: completion.errors }
}
