import { buildSchema, graphql, printSchema, type GraphQLSchema } from 'graphql'
import { compileQuery, isCompiledQuery } from 'graphql-jit'
import { parse } from 'graphql'
import { beforeEach, expect, it } from 'vitest'
import { makeDefaultedInputsNullable, resolveNullAsDefault } from './null-defaults.ts'

const sdl = `
  enum Role { ADMIN MEMBER }
  input Order { field: String = "createdAt", direction: Role! = ADMIN }
  input Filter { and: [Filter!], not: Filter, size: Int, order: Order }
  input Plain { name: String }
  type Query {
    list(limit: Int! = 20, search: String, orders: [Order!], filter: Filter, role: Role = MEMBER): String
    plain(input: Plain): String
  }
`

let schema: GraphQLSchema
let seen: unknown[]

beforeEach(() => {
  schema = buildSchema(sdl)
  makeDefaultedInputsNullable(schema)
  seen = []
  for (const field of Object.values(schema.getQueryType()!.getFields())) {
    field.resolve = (_source, args) => void seen.push(JSON.parse(JSON.stringify(args)))
  }
  resolveNullAsDefault(schema)
})

/** The arguments that resolvers receive, executed by graphql-js and compiled as in the subgraphs. */
async function argsOf(document: string, variables: Record<string, unknown> = {}): Promise<unknown> {
  const compiled = compileQuery(schema, parse(document))
  if (!isCompiledQuery(compiled)) throw new Error(JSON.stringify(compiled.errors))
  const given = JSON.stringify(variables)
  const results = [
    await graphql({ schema, source: document, variableValues: variables }),
    await compiled.query(undefined, undefined, variables),
    await compiled.query(undefined, undefined, variables),
  ]
  expect(results.map(({ errors }) => errors)).toEqual([undefined, undefined, undefined])
  expect(seen[1]).toEqual(seen[0])
  expect(seen[2]).toEqual(seen[0])
  expect(JSON.stringify(variables)).toBe(given)
  return seen[0]
}

const defaults = { limit: 20, role: 'MEMBER' }

it.each<[string, string, Record<string, unknown>, object]>([
  ['a literal', '{ list(limit: null, role: null, search: null) }', {}, { ...defaults, search: null }],
  ['a variable', 'query($l: Int, $r: Role) { list(limit: $l, role: $r) }', { l: null, r: null }, defaults],
  ['a variable with a default of its own', 'query($l: Int = 5) { list(limit: $l) }', { l: null }, defaults],
  [
    'a field of an input object',
    '{ list(orders: [{field: null, direction: null}, {field: "name"}]) }',
    {},
    {
      ...defaults,
      orders: [
        { field: 'createdAt', direction: 'ADMIN' },
        { field: 'name', direction: 'ADMIN' },
      ],
    },
  ],
])('null means the default, if there is one: in %s', async (_, document, variables, args) => {
  expect(await argsOf(document, variables)).toEqual(args)
})

it('null means the default at any depth of a recursive input object', async () => {
  const document = '{ list(filter: {and: [{not: {size: null, order: {field: null}}}], not: null}) }'
  expect(await argsOf(document)).toEqual({
    ...defaults,
    filter: { and: [{ not: { size: null, order: { field: 'createdAt', direction: 'ADMIN' } } }], not: null },
  })
})

it('null stays null without a default, and given values are unchanged', async () => {
  expect(await argsOf('{ plain(input: {name: null}) }')).toEqual({ input: { name: null } })
  seen = []
  expect(await argsOf('{ list(limit: 3, role: ADMIN) }')).toEqual({ limit: 3, role: 'ADMIN' })
})

it('published types with a default are nullable', () => {
  expect(printSchema(schema)).toContain('list(limit: Int = 20, search: String')
  expect(printSchema(schema)).toContain('direction: Role = ADMIN')
})
