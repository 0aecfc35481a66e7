import { describe, expect, it } from 'vitest'
import { loadContract } from '../../rest-adapter/contract.ts'
import { resolve, typesOf, type Schema } from '../../rest-adapter/openapi.ts'
import { numberMax, textMax } from '../../subgraphs/kernel/record/check-values.ts'
import { enumerationName, enumerationOf, type Column } from '../../subgraphs/kernel/record/column.ts'
import { writableParts } from '../../subgraphs/kernel/record/structure.ts'
import { restAreas, typeOf } from '../rest-areas.ts'

const { document } = loadContract('schema/rest')
const schemas = document.components['schemas'] as Readonly<Record<string, Schema>>

interface Bounds {
  readonly isNullable: boolean
  readonly text?: unknown
  readonly items?: unknown
  readonly isFilled?: boolean
  readonly numbers?: readonly unknown[]
  readonly values?: readonly unknown[]
}

function boundsOfColumn(column: Column): Bounds {
  const isNullable = column.nullable && !column.notClearable
  const { max = textMax, maxItems = 100, filled: isFilled = false } = column
  // The range of the GraphQL type Int.
  const [least, most] = column.kind === 'integer' ? [-(2 ** 31), 2 ** 31 - 1] : [-numberMax, numberMax]
  switch (column.kind) {
    case 'text':
      return { isNullable, text: max, isFilled }
    case 'textList': {
      const members = enumerationOf(column)
      if (members) return { isNullable, items: maxItems, values: Object.keys(members) }
      return { isNullable, text: max, items: maxItems, isFilled }
    }
    case 'integer':
    case 'number':
    case 'money':
      return { isNullable, numbers: [column.minimum ?? least, column.maximum ?? most] }
    case 'enum':
      return { isNullable, values: Object.values(column.type) }
    case 'json':
      return column.structure?.isList ? { isNullable, items: maxItems } : { isNullable }
    default:
      return { isNullable }
  }
}

const isFilled = ({ minLength, pattern }: Schema): boolean => minLength === 1 && pattern === String.raw`\S`

/** The maximum length of a text: `maxLength`, or the length that a pattern of fixed length requires. */
function lengthOf({ maxLength, pattern }: Schema): unknown {
  const [, fixed] = /^\^\[[^\]]+\]\{(\d+)\}\$$/.exec(typeof pattern === 'string' ? pattern : '') ?? []
  return maxLength ?? (fixed === undefined ? undefined : Number(fixed))
}

function boundsOfSchema(property: Schema, column: Column): Bounds {
  const schema = resolve<Schema>(document, property)
  const alternatives = (schema['anyOf'] ?? [schema]) as readonly Schema[]
  const isNullable = alternatives.some((one) => typesOf(one).includes('null'))
  const item = resolve<Schema>(document, schema.items ?? {})
  switch (column.kind) {
    case 'text':
      return { isNullable, text: lengthOf(schema), isFilled: isFilled(schema) }
    case 'textList':
      if (enumerationOf(column)) return { isNullable, items: schema.maxItems, values: item.enum ?? [] }
      return { isNullable, text: item.maxLength, items: schema.maxItems, isFilled: isFilled(item) }
    case 'integer':
    case 'number':
    case 'money':
      return { isNullable, numbers: [schema['minimum'], schema['maximum']] }
    case 'json':
      return column.structure?.isList ? { isNullable, items: schema.maxItems } : { isNullable }
    case 'enum':
      return { isNullable, values: schema.enum?.filter((value) => value !== null) ?? [] }
    default:
      return { isNullable }
  }
}

it('covers every record type with a REST contract', () => {
  expect(restAreas.map(typeOf)).toEqual(expect.arrayContaining(['Account', 'Case', 'Product']))
})

describe.each(restAreas.map((area) => [typeOf(area), area] as const))('%s', (name, { definition, derivedFields }) => {
  const columns = definition.columns.shown
  const bodies = ['CreateInput', 'UpdateInput', 'BulkUpdateItem'].filter((body) => schemas[name + body])
  const inputs = bodies.flatMap((body) =>
    Object.entries(schemas[name + body]!.properties!).flatMap(([key, schema]) => {
      const column = columns.find((candidate) => candidate.name === key)
      return column ? [[`${body}.${key}`, schema, column] as const] : []
    }),
  )
  const parts = columns.flatMap(({ structure }) =>
    structure
      ? writableParts(structure.parts).map((part) => {
          const input = `${structure.name}Input`
          return [`${input}.${part.name}`, schemas[input]!.properties![part.name]!, part] as const
        })
      : [],
  )

  it('has every column of the graph in REST', () => {
    const own = Object.entries(schemas[name]!.properties!).filter(([, property]) => !property['x-expandable'])
    expect(own.map(([property]) => property).sort()).toEqual(
      [...columns.map((column) => column.name), ...derivedFields].sort(),
    )
  })

  it.each([...inputs, ...parts])('has the same bounds as its column: %s', (_, schema, column) => {
    expect(boundsOfSchema(schema, column)).toEqual(boundsOfColumn(column))
  })

  it('has the same enumerations as the graph', () => {
    const found = columns.flatMap((column) => {
      const members = enumerationOf(column)
      return members ? [enumerationName(members)] : []
    })
    expect(found.map((enumeration) => typesOf(schemas[enumeration] ?? {}))).toEqual(found.map(() => ['string']))
  })
})
