import { buildSchema, execute, getNamedType, parse, type GraphQLObjectType } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { describe, expect, it } from 'vitest'
import type { RecordShape } from '../record/definition.ts'
import { compileWithoutChecks } from './unchecked-values.ts'

const sdl = `
  scalar DateTime scalar JSON scalar Decimal
  enum Color { RED BLUE }
  type Query { tree: Tree }
  type Tree { id: ID! plantedAt: DateTime! seenAt: DateTime height: Decimal tags: [String!]! colors: [Color!] notes: JSON! leaves: [Leaf!]! }
  type Leaf { at: DateTime weight: Decimal! parts: [JSON!] }`
const stored = ['id', 'plantedAt', 'seenAt', 'height', 'tags', 'colors', 'notes', 'leaves'].map((name) => ({ name }))
const entities = { Tree: { columns: { stored } } } as unknown as Record<string, RecordShape>

function uncheckedSchema() {
  const schema = buildSchema(sdl)
  compileWithoutChecks(schema, entities)
  return schema
}

const namedTypesOf = (name: string): Record<string, string> => {
  const type = uncheckedSchema().getType(name) as GraphQLObjectType
  return Object.fromEntries(
    Object.values(type.getFields()).map((field) => [
      field.name,
      `${String(field.type)} of ${getNamedType(field.type).name}`,
    ]),
  )
}

const tree = {
  id: '1',
  plantedAt: '2026-01-01T00:00:00.000Z',
  seenAt: null,
  height: 12.5,
  tags: ['old', 'tall'],
  colors: ['RED'],
  notes: { any: [1, null] },
  leaves: [{ at: '2026-02-01T00:00:00.000Z', weight: 0, parts: [{ a: 1 }, 2] }],
}
const document = parse('{ tree { id plantedAt seenAt height tags colors notes leaves { at weight parts } } }')

async function answers(rootValue: unknown) {
  const compiled = compileQuery(uncheckedSchema(), document, undefined, { disableLeafSerialization: true })
  if (!isCompiledQuery(compiled)) throw new Error('The document must be compiled.')
  return {
    own: await compiled.query(rootValue, {}, {}),
    plain: await execute({ schema: buildSchema(sdl), document, rootValue }),
  }
}

describe('values that are not checked', () => {
  it('are those of stored columns, and single values of JSON and Decimal', () => {
    expect(namedTypesOf('Tree')).toEqual({
      id: 'ID! of ID',
      plantedAt: 'String! of String',
      seenAt: 'String of String',
      height: 'String of String',
      tags: 'String! of String',
      colors: 'String of String',
      notes: 'String! of String',
      leaves: '[Leaf!]! of Leaf',
    })
    expect(namedTypesOf('Leaf')).toEqual({
      at: 'DateTime of DateTime',
      weight: 'String! of String',
      parts: '[JSON!] of JSON',
    })
  })

  it('are answered as they are stored', async () => {
    const { own, plain } = await answers({ tree })
    expect(own).toEqual({ data: { tree } })
    expect(JSON.stringify(own.data)).toBe(JSON.stringify(plain.data))
  })

  it.each([
    ['plantedAt', { ...tree, plantedAt: null }],
    ['tags', { ...tree, tags: null }],
    ['weight', { ...tree, leaves: [{ ...tree.leaves[0], weight: null }] }],
  ])('become errors where null is not allowed: %s', async (_field, broken) => {
    const { own, plain } = await answers({ tree: broken })
    expect(own.data).toEqual({ tree: null })
    expect(own.errors?.map(({ message, path }) => ({ message, path }))).toEqual(
      plain.errors?.map(({ message, path }) => ({ message, path })),
    )
  })
})
