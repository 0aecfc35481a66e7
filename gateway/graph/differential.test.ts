import { beforeAll, describe, expect, it } from 'vitest'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { isFullSweep } from '../../test/requests/sweep.ts'
import { Comparer } from './differential.fixture.ts'
import { aContext, libraryEndpoints, librarySupergraph } from './library.fixture.ts'
import { generateQueries } from './generate-queries.fixture.ts'
import { Graph } from './graph.ts'
import { stockGateway, type StockGateway } from './stock-gateway.fixture.ts'

const limits = { tokens: 1e6, depth: 100, aliases: 1e6, rootFields: 1e6, fields: 1e6, directives: 1e6, cost: 1e9 }
const values = {
  id: ['b1', 'b2', 'b4', 'b6', 'b7', 'f1', 'f2', 'f4', 'a1', 'a2', 'a3', 'r1', 'r8', 'none'],
  'Query.book.id': ['b1', 'b3', 'b5', 'b7', 'b8', 'none'],
  'Query.film.id': ['f1', 'f2', 'f3', 'none'],
  'Query.author.id': ['a1', 'a2', 'a3', 'none'],
  'Query.review.id': ['r1', 'r2', 'r4', 'r8', 'none'],
  text: ['x', 'nothing'],
  first: [1, 2, 4, null],
  limit: [1, 3, 5],
}
const ofOtherSubgraphs = ['Author', 'Review', 'Person', 'Secret', 'Subject', 'Query.alsoPublic']
const reviewed = ['shippingEstimate', 'dedication', 'score', 'rating'].flatMap((name) => [
  `Book.${name}`,
  `Film.${name}`,
])

let comparer: Comparer
let apiSchema: Graph['apiSchema']

beforeAll(async () => {
  const create = (singleFetch: boolean) =>
    Graph.create({ supergraph: librarySupergraph, endpoints: libraryEndpoints(), limits, singleFetch })
  apiSchema = create(true).apiSchema
  comparer = await Comparer.create(librarySupergraph, libraryEndpoints(), create, aContext())
})

describe('Graph answers as the stock gateway does', () => {
  it.each([
    { what: 'queries of four levels', seed: 1, count: 150, options: { introspection: true, depth: 4 } },
    { what: 'queries of five levels', seed: 6, count: 50, options: { introspection: true } },
    { what: 'flat queries', seed: 2, count: 100, options: { introspection: true, depth: 2 } },
    { what: 'queries of seven levels', seed: 3, count: 10, options: { depth: 7 } },
    {
      what: 'queries of one subgraph',
      seed: 4,
      count: 150,
      options: { depth: 4, exclude: [...ofOtherSubgraphs, ...reviewed] },
    },
    { what: 'queries full of conditions', seed: 7, count: 120, options: { depth: 4, conditional: 0.4 } },
    { what: 'flat queries full of conditions', seed: 8, count: 100, options: { depth: 2, conditional: 0.5 } },
    {
      what: 'queries of one subgraph full of conditions',
      seed: 9,
      count: 120,
      options: { depth: 4, conditional: 0.4, exclude: [...ofOtherSubgraphs, ...reviewed] },
    },
    {
      what: 'mutations full of conditions',
      seed: 10,
      count: 100,
      options: { depth: 4, conditional: 0.4, operation: 'mutation' as const },
    },
    { what: 'mutations', seed: 5, count: 100, options: { depth: 4, operation: 'mutation' as const } },
  ])('to $what', async ({ seed, count: whole, options }) => {
    const count = isFullSweep ? whole : whole / 5
    const queries = generateQueries(apiSchema, seed, count, { values, ...options })
    expect(queries.length).toBe(count)
    for (const query of queries) {
      const { differences } = await comparer.compare(query)
      expect({ query, differences }).toEqual({ query, differences: [] })
    }
  })

  it('to queries of literals of every scalar', async () => {
    const echoing = Object.keys(apiSchema.getQueryType()!.getFields()).filter((name) => name !== 'echo')
    const exclude = echoing.map((name) => `Query.${name}`)
    const count = isFullSweep ? 200 : 40
    const queries = generateQueries(apiSchema, 11, count, { values, depth: 1, exclude })
    expect(queries.length).toBe(count)
    for (const query of queries) {
      const { differences } = await comparer.compare(query)
      expect({ query, differences }).toEqual({ query, differences: [] })
    }
  })
})

describe('Graph refuses arguments for which the stock gateway returns no data', () => {
  const endpoints = libraryEndpoints()
  const graph = Graph.create({ supergraph: librarySupergraph, endpoints })
  let stock: StockGateway
  beforeAll(async () => {
    stock = await stockGateway(librarySupergraph, endpoints, aContext())
  })

  it.each([
    ...['1e400', '-1e400', '"1"', '{}'].map((literal) => `weight: ${literal}`),
    ...['"foo"', '5', '{}', '"2027-02-30"'].map((literal) => `at: ${literal}`),
    ...[String.raw`{a: "\u0000"}`].map((literal) => `json: ${literal}`),
  ])('%s', async (given) => {
    for (const document of [`{ echo(${given}) }`, `{ echo(note: {notes: [{${given}}]}) }`]) {
      const data = await stock(document, {}).then(
        (answer) => answer.data ?? null,
        () => null,
      )
      expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([])
      expect(() => graph.prepare(document)).toThrow(Refusal)
    }
  })
})
