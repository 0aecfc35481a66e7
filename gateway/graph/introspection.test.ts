import { readFileSync } from 'node:fs'
import { getIntrospectionQuery } from 'graphql'
import { describe, expect, it } from 'vitest'
import { schemaPath } from '../../subgraphs/kernel/config/paths.ts'
import { Graph } from './graph.ts'
import { LoadedSupergraph } from './supergraph.ts'
import { aContext, libraryEndpoints, librarySupergraph } from './library.fixture.ts'

const supergraphSdl = readFileSync(schemaPath('supergraph.graphql'), 'utf8')
const supergraph = new LoadedSupergraph(supergraphSdl)
const { subgraphNames } = supergraph
const endpoints = subgraphNames.map((name) => ({
  name,
  execute: () => Promise.reject(new Error('introspection must not call a subgraph')),
}))

const graph = Graph.create({ supergraph, endpoints })

const introspect = (document: string, of = graph) => of.execute(of.prepare(document), {}, aContext())

const limitExceeded = (message: unknown) => ({ message, extensions: { code: 'GRAPHQL_LIMIT_EXCEEDED' } })

const types = (fields: string, aliases = 1): string =>
  `{ __schema { ${Array.from({ length: aliases }, (_, index) => `a${index}: types { ...T }`).join(' ')} } }
   fragment T on __Type { ${fields} }`

describe('introspection', () => {
  const options = [
    {},
    { descriptions: false },
    { descriptions: true, specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
    { inputValueDeprecation: true, directiveIsRepeatable: true, specifiedByUrl: true, schemaDescription: true },
  ]

  it.each(options)('answers the query of common clients with %j within half of the limit', async (selected) => {
    const cheap = Graph.create({ supergraph, endpoints, limits: { cost: 5000 } })
    const { data } = await introspect(getIntrospectionQuery(selected), cheap)
    const { types: named } = data!['__schema'] as { types: { name: string }[] }
    expect(named.map(({ name }) => name).sort()).toEqual(Object.keys(graph.apiSchema.getTypeMap()).sort())
  })

  it('costs one object for each five values of a small schema, aliases and nested lists multiplied', async () => {
    // Eight values: two fields, two objects, two names, `__typename` and `kind`.
    const document = '{ __type(name: "Query") { name } other: __type(name: "Book") { name __typename kind } }'
    const limited = (cost: number): Graph =>
      Graph.create({ supergraph: librarySupergraph, endpoints: libraryEndpoints(), limits: { cost } })
    await limited(2).execute(limited(2).prepare(document), {}, aContext())
    const short = limited(1)
    await expect(short.execute(short.prepare(document), {}, aContext())).rejects.toMatchObject(
      limitExceeded('Cost limit of 1 objects exceeded, found at least 2.'),
    )
  })

  it('refuses nested lists under thirty aliases before it builds the answer', async () => {
    const { introspection } = graph.cacheBytes
    const hostile = types('name fields { type { fields { type { name } } } }', 30)
    await expect(introspect(hostile)).rejects.toMatchObject(
      limitExceeded(expect.stringMatching(/^Cost limit of 10000 objects exceeded, found at least 10\d{3}\.$/)),
    )
    expect(graph.cacheBytes.introspection).toBe(introspection)
  })

  it('counts the elements that variables name and include', async () => {
    const document = `query ($name: String!, $all: Boolean!) { __type(name: $name) { fields(includeDeprecated: $all) { name description args { name } } } }`
    const short = Graph.create({ supergraph, endpoints, limits: { cost: 40 } })
    const prepared = short.prepare(document)
    const run = (name: string) => short.execute(prepared, { name, all: true }, aContext())
    expect((await run('Uuid')).data).toEqual({ __type: null })
    await expect(run('Mutation')).rejects.toMatchObject({ extensions: { code: 'GRAPHQL_LIMIT_EXCEEDED' } })
    expect((await run('Uuid')).data).toEqual({ __type: null })
  })

  it('is twenty levels deep at most, fragments expanded', async () => {
    const nested = (levels: number): string =>
      `{ __schema { queryType { ${'ofType { '.repeat(10)}...Rest${' }'.repeat(10)} } } }
       fragment Rest on __Type { ${'ofType { '.repeat(levels - 13)}name${' }'.repeat(levels - 13)} kind }`
    const { data } = await introspect(nested(21))
    expect(data).toEqual({ __schema: { queryType: { ofType: null } } })
    await expect(introspect(nested(22))).rejects.toMatchObject(
      limitExceeded('Introspection depth limit of 20 exceeded.'),
    )
  })

  it('caches equal selections once, and at most 32 MB of answers', async () => {
    const before = graph.cacheBytes.introspection
    const first = await introspect(types('name'))
    const { introspection } = graph.cacheBytes
    expect(introspection).toBeGreaterThan(before)
    const again = await introspect(`query Named ${types('name').replaceAll(' ', '\n')}`)
    expect(again.data!['__schema']).toBe(first.data!['__schema'])
    expect(graph.cacheBytes.introspection).toBe(introspection)
    // A large answer that leaves the cache makes room for several, so it is full more than once.
    let fullest = 0
    for (let index = 0; index < 24; index++) {
      await introspect(types(`n${index}: name description fields { name description type { name } }`))
      fullest = Math.max(fullest, graph.cacheBytes.introspection)
    }
    expect(fullest).toBeLessThanOrEqual(32_000_000)
    expect(fullest).toBeGreaterThan(16_000_000)
  })
})
