import { enumerationOf, type Column } from '../record/column.ts'
import { isRequiredPart, itemsMax, numberMax, textMax } from '../record/check-values.ts'
import { writableParts } from '../record/structure.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

const orNull = (schema: JsonSchema): JsonSchema => ({
  ...schema,
  type: [schema['type'], 'null'],
  ...(Array.isArray(schema['enum']) && { enum: [...(schema['enum'] as unknown[]), null] }),
})

const textOf = ({ max = textMax, filled }: Column): JsonSchema => ({
  type: 'string',
  ...(filled && { minLength: 1 }),
  maxLength: max,
})

/** Integers have 32 bits, as in the graph. */
const numberOf = ({ kind, minimum, maximum }: Column): JsonSchema => {
  const [least, most] = kind === 'integer' ? [-(2 ** 31), 2 ** 31 - 1] : [-numberMax, numberMax]
  return { type: kind === 'integer' ? 'integer' : 'number', minimum: minimum ?? least, maximum: maximum ?? most }
}

/** A JSON object whose parts are those of a structure that a client sets. */
const partsOf = (parts: readonly Column[]): JsonSchema => {
  const writable = writableParts(parts)
  return {
    type: 'object',
    properties: Object.fromEntries(writable.map((part) => [part.name, columnSchema(part)])),
    required: writable.filter(isRequiredPart).map(({ name }) => name),
    additionalProperties: false,
  }
}

function plainSchema(column: Column): JsonSchema {
  const { kind, structure, maxItems = itemsMax } = column
  const members = enumerationOf(column)
  switch (kind) {
    case 'boolean':
      return { type: 'boolean' }
    case 'enum':
      return { type: 'string', enum: Object.keys(members!) }
    case 'integer':
    case 'number':
    case 'money':
      return numberOf(column)
    case 'textList':
      return {
        type: 'array',
        items: members ? { type: 'string', enum: Object.keys(members) } : textOf(column),
        maxItems,
      }
    case 'json': {
      if (!structure) return {}
      const item = partsOf(structure.parts)
      return structure.isList ? { type: 'array', items: item, maxItems } : item
    }
    default:
      return textOf(column)
  }
}

/** The bounds of a column as JSON Schema: the same that a write is checked with. */
export function columnSchema(column: Column): JsonSchema {
  const schema = plainSchema(column)
  return column.nullable && 'type' in schema ? orNull(schema) : schema
}
