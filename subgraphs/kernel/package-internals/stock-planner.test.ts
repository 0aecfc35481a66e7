import { composeServices } from '@apollo/composition'
import { operationFromDocument, Supergraph, Variable, VariableCollector } from '@apollo/federation-internals'
import { QueryPlanner } from '@apollo/query-planner'
import { parse } from 'graphql'
import { describe, expect, it } from 'vitest'
import { dropSources } from './planner-memory.ts'
import { repairPlanner, stockCollect } from './planner-repair.ts'

repairPlanner()

type Arguments = Parameters<typeof stockCollect>[0]

/** The variables in the arguments of a field: as the package finds them, and as it finds them after the repair. */
const variablesIn = (values: Arguments): [string[], string[]] => {
  const [stock, repaired] = [new VariableCollector(), new VariableCollector()]
  stockCollect.call(stock, values)
  repaired.collectInArguments(values)
  return [stock, repaired].map((collector) => [...collector.variables()].map(({ name }) => name)) as [
    string[],
    string[],
  ]
}

describe('the variables of a literal', () => {
  const [a, b] = [new Variable('a'), new Variable('b')]
  const literals: readonly Arguments[] = [
    {},
    { first: 1, name: 'a', none: null },
    { given: a },
    { filter: { and: [{ name: { eq: a } }, { or: [b, [a, [b]]] }], none: null } },
  ]

  it.each(literals.map((values) => [JSON.stringify(values), values] as const))(
    'are those that the package finds: %s',
    (_, values) => {
      const [stock, repaired] = variablesIn(values)
      expect(repaired).toEqual(stock)
    },
  )

  it('are found in a literal of many levels, where the package takes twice the time for each level', () => {
    let value: unknown = a
    for (let level = 0; level < 200; level++) value = [value]
    const collector = new VariableCollector()
    collector.collectInArguments({ value } as Arguments)
    expect([...collector.variables()].map(({ name }) => name)).toEqual(['a'])
  })
})

const federation = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@external", "@requires"])`
const { supergraphSdl } = composeServices([
  {
    name: 'books',
    typeDefs: parse(
      `${federation} type Query { books(first: Int): [Book!] } type Book @key(fields: "id") { id: ID! weight: Int }`,
    ),
  },
  {
    name: 'shops',
    typeDefs: parse(
      `${federation} type Book @key(fields: "id") { id: ID! weight: Int @external postage(to: String): Int @requires(fields: "weight") }`,
    ),
  },
])

it('plans are the same without the syntax trees of the schema', () => {
  const supergraph = Supergraph.build(supergraphSdl!)
  const planner = new QueryPlanner(supergraph)
  const document = parse(
    'query ($to: String) { books(first: 2) { id ... on Book { far: postage(to: $to) near: postage } } }',
  )
  const planOf = (of: QueryPlanner, schema: Supergraph) =>
    of.buildQueryPlan(operationFromDocument(schema.apiSchema(), document))
  const expected = planOf(planner, supergraph)

  const dropped = Supergraph.build(supergraphSdl!)
  dropSources(dropped.schema)
  dropSources(dropped.apiSchema())
  const elements = [...dropped.schema.allSchemaElement()]
  expect(elements.filter(({ sourceAST }) => sourceAST !== undefined)).toEqual([])
  expect(planOf(new QueryPlanner(dropped), dropped)).toEqual(expected)
})
