import { describe, expect, it } from 'vitest'
import { loadContract } from '../../rest-adapter/contract.ts'
import { resolve, typesOf, type Schema } from '../../rest-adapter/openapi.ts'
import { Product } from '../../subgraphs/commerce/product/product.ts'
import { Account } from '../../subgraphs/crm/account/account.ts'
import { numberMax, textMax } from '../../subgraphs/kernel/record/check-values.ts'
import { columnsOf, enumerationName, type Column } from '../../subgraphs/kernel/record/column.ts'
import { Case } from '../../subgraphs/support/case/case.ts'

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
  const isNullable = column.nullable && !column.lasting
  const { minimum = -numberMax, maximum = numberMax, max = textMax, maxItems = 100, filled: isFilled = false } = column
  switch (column.kind) {
    case 'text':
      return { isNullable, text: max, isFilled }
    case 'textList':
      return { isNullable, text: max, items: maxItems, isFilled }
    case 'integer':
    case 'number':
    case 'money':
      return { isNullable, numbers: [minimum, maximum] }
    case 'enum':
      return { isNullable, values: Object.values(column.type) }
    default:
      return { isNullable }
  }
}

const isFilled = ({ minLength, pattern }: Schema): boolean => minLength === 1 && pattern === String.raw`\S`

function boundsOfSchema(property: Schema, column: Column): Bounds {
  const schema = resolve<Schema>(document, property)
  const isNullable = typesOf(schema).includes('null')
  const item = resolve<Schema>(document, schema.items ?? {})
  switch (column.kind) {
    case 'text':
      return { isNullable, text: column.name === 'currency' ? 3 : schema.maxLength, isFilled: isFilled(schema) }
    case 'textList':
      return { isNullable, text: item.maxLength, items: schema.maxItems, isFilled: isFilled(item) }
    case 'integer':
    case 'number':
    case 'money':
      return { isNullable, numbers: [schema['minimum'], schema['maximum']] }
    case 'enum':
      return { isNullable, values: schema.enum?.filter((value) => value !== null) ?? [] }
    default:
      return { isNullable }
  }
}

describe.each([
  ['Account', Account],
  ['Case', Case],
  ['Product', Product],
])('%s', (name, entity) => {
  const columns = columnsOf(entity).filter((column) => !column.internal)
  const writable = Object.entries(schemas[`${name}CreateInput`]!.properties!)
  const inputs = writable.flatMap(([key, schema]) => {
    const column = columns.find((candidate) => candidate.name === key)
    return column ? [[key, schema, column] as const] : []
  })

  it('has every column of the graph in REST', () => {
    expect(Object.keys(schemas[name]!.properties!).sort()).toEqual(columns.map((column) => column.name).sort())
  })

  it.each(inputs)('has the same bounds as its column: %s', (_, schema, column) => {
    expect(boundsOfSchema(schema, column)).toEqual(boundsOfColumn(column))
  })

  it('has the same enumerations as the graph', () => {
    const found = columns.filter(({ kind }) => kind === 'enum').map((column) => enumerationName(column.type))
    expect(found.map((enumeration) => typesOf(schemas[enumeration] ?? {}))).toEqual(found.map(() => ['string']))
  })
})
