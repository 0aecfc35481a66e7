import { GraphQLError } from 'graphql'
import { beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { aContext, libraryEndpoints, librarySupergraph, type LibraryEndpoint } from './library.fixture.ts'
import { Graph } from './graph.ts'

let endpoints: LibraryEndpoint[]
let graphs: readonly Graph[]

beforeEach(() => {
  endpoints = libraryEndpoints()
  graphs = [true, false].map((singleFetch) => Graph.create({ supergraph: librarySupergraph, endpoints, singleFetch }))
})

const run = (graph: Graph, document: string, variables: Record<string, unknown> = {}) =>
  graph.execute(graph.prepare(document), variables, aContext())
const onEachRoute = (document: string, variables?: Record<string, unknown>) =>
  Promise.all(graphs.map((graph) => run(graph, document, variables)))
const refusalOf = async (work: () => Promise<unknown>): Promise<Refusal> => {
  const thrown: unknown = await work().catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(Refusal)
  return thrown as Refusal
}
const sent = (): number => endpoints.reduce((count, { requests }) => count + requests.length, 0)

describe('a value of JSON', () => {
  it.each<[string, string, string, Record<string, unknown>, object]>([
    [
      'with variables of any type',
      '{ echo(json: {a: [1, "x", null], b: {c: 1.5, d: {e: true}}}) }',
      'query($i: Int, $s: String!, $j: JSON) { echo(json: {a: [$i, $s, null], b: {c: 1.5, d: $j}}) }',
      { i: 1, s: 'x', j: { e: true } },
      { json: { a: [1, 'x', null], b: { c: 1.5, d: { e: true } } } },
    ],
    [
      'with variables that are not given',
      '{ echo(json: {b: [null, 1], c: {}, d: null}) }',
      'query($v: Int $constructor: Int) { echo(json: {a: $v, b: [$v, 1], c: {d: $constructor}, d: null}) }',
      {},
      { json: { b: [null, 1], c: {}, d: null } },
    ],
    [
      'with variables that are null',
      '{ echo(json: {a: null, b: [null, 1]}) }',
      'query($v: Int) { echo(json: {a: $v, b: [$v, 1]}) }',
      { v: null },
      { json: { a: null, b: [null, 1] } },
    ],
    [
      'with defaults of variables',
      '{ echo(json: {a: 7, b: {c: [1]}}) }',
      'query($v: Int = 7 $w: JSON = {c: [1]}) { echo(json: {a: $v, b: $w}) }',
      {},
      { json: { a: 7, b: { c: [1] } } },
    ],
    [
      'with variables that are input objects',
      '{ echo(json: {n: {at: "2027-01-01T00:00:00.000Z", title: "x"}}) }',
      'query($n: EchoNote) { echo(json: {n: $n}) }',
      { n: { at: '2027-01-01T00:00:00Z', title: 'x' } },
      { json: { n: { at: '2027-01-01T00:00:00.000Z', title: 'x' } } },
    ],
    [
      'in inputs and lists',
      '{ echo(jsons: [{a: 1}, 2], note: {title: "t", notes: [{json: {a: 1}, jsons: [[{b: 1}]]}]}) }',
      'query($v: Int $j: JSON!) { echo(jsons: [{a: $v}, $j], note: {title: "t", notes: {json: {a: $v}, jsons: {b: $v}}}) }',
      { v: 1, j: 2 },
      { jsons: [{ a: 1 }, 2], note: { title: 't', notes: [{ json: { a: 1 }, jsons: [[{ b: 1 }]] }] } },
    ],
    [
      'in fields that are merged, under names that are taken',
      '{ echo(json: {a: 1, b: 2}) }',
      `query($literal1: Int $on: Boolean!) { ...F echo(json: {b: 2, a: $literal1}) @include(if: $on) ...F }
       fragment F on Query { echo(json: {a: $literal1, b: 2}) }`,
      { literal1: 1, on: true },
      { json: { a: 1, b: 2 } },
    ],
  ])('%s is the same as a literal and mixed', async (_, literal, mixed, variables, echo) => {
    const answers = [...(await onEachRoute(literal)), ...(await onEachRoute(mixed, variables))]
    expect(answers).toEqual(answers.map(() => ({ data: { echo } })))
  })

  it('is left unchanged if it contains no variable', () => {
    const { document } = graphs[0]!.prepare('query($j: JSON!) { echo(json: $j, jsons: [{a: 1}, $j]) }').parts
    expect(document.definitions).toMatchObject([{ variableDefinitions: [{ variable: { name: { value: 'j' } } }] }])
  })

  it('works in an operation over several subgraphs', async () => {
    const answers = await onEachRoute('query($v: String) { echo(json: {a: $v}) alsoPublic }', { v: 'x' })
    expect(answers).toEqual(answers.map(() => ({ data: { echo: { json: { a: 'x' } }, alsoPublic: 'yes' } })))
  })

  it('is refused if a variable makes it too deep, with the path of the variable', async () => {
    const deep = JSON.parse(`${'['.repeat(16)}${']'.repeat(16)}`) as unknown
    const refusal = await refusalOf(() => run(graphs[0]!, 'query($v: JSON) { echo(json: {a: [$v]}) }', { v: deep }))
    expect([refusal.code, refusal.extensions['errors']]).toEqual([
      'VALIDATION_FAILED',
      [{ path: 'v', code: 'INVALID_VALUE', message: 'JSON must be nested at most 16 levels deep.' }],
    ])
    expect(sent()).toBe(0)
  })

  it('is refused if repeated variables exceed the size limit', async () => {
    const document = `query($v: String) { echo(json: {a: [${'$v '.repeat(10)}]}) }`
    expect((await run(graphs[0]!, document, { v: 'x'.repeat(99_998) })).errors).toBeUndefined()
    expect((await refusalOf(() => run(graphs[0]!, document, { v: 'x'.repeat(99_999) }))).code).toBe(
      'GRAPHQL_LIMIT_EXCEEDED',
    )
  })
})

const beyond = '1e1000'
const deepLiteral = `${'['.repeat(18)}${']'.repeat(18)}`
const digits = '9'.repeat(501)

describe('a value that its type does not accept', () => {
  it.each([
    ...[beyond, `-${beyond}`, digits, '"1"', 'true', '{}'].map((literal) => ['Float', 'weight', literal]),
    ...['"foo"', '5', 'true', 'FOO', '{}', '""', '"2027-02-30"', '{a: $v}'].map((literal) => [
      'DateTime',
      'at',
      literal,
    ]),
    ...[beyond, `{a: ${beyond}}`, `[${digits}]`, String.raw`{a: "\u0000"}`, deepLiteral].map((literal) => [
      'JSON',
      'json',
      literal,
    ]),
    ['String', 'title', String.raw`"\u0000"`],
    ['String', 'title', '1'],
  ])('is refused as a literal of %s: %s: %s', async (type, name, literal) => {
    const declared = literal.includes('$v') ? '$v: Int ' : ''
    const documents = [
      ...(name === 'title' ? [] : [`query(${declared}$x: Int) { echo(jsons: [{x: $x}], ${name}: ${literal}) }`]),
      `query(${declared}$x: Int) { echo(note: {notes: [{${name}: ${literal}}]}, jsons: [{x: $x}]) }`,
      ...(declared ? [] : [`query($d: ${type} = ${literal}) { echo(note: {${name}: $d}) }`]),
    ]
    for (const document of documents) {
      const refusal = await refusalOf(async () => graphs[0]!.prepare(document))
      expect([refusal.code, refusal.extensions['errors']]).toEqual([
        'GRAPHQL_VALIDATION_FAILED',
        [
          {
            path: 'query',
            code: 'GRAPHQL_VALIDATION_FAILED',
            message: expect.any(String),
            line: 1,
            column: expect.any(Number),
          },
        ],
      ])
    }
  })

  it.each<[string, string, unknown, string]>([
    ['DateTime', 'at', 'foo', 'A date-time must be ISO 8601, for example 2026-11-21T09:30:00Z.'],
    ['DateTime', 'at', 5, 'A date-time must be ISO 8601, for example 2026-11-21T09:30:00Z.'],
    ['JSON', 'json', { a: Infinity }, 'A number must be finite.'],
    ['Float', 'weight', Infinity, 'Float cannot represent non numeric value: Infinity'],
  ])('is refused as a variable of %s under the name that the client gave: %s', async (type, name, value, message) => {
    const cases: [string, unknown, string][] = [
      [`query($mine: ${type}) { echo(${name}: $mine) }`, value, 'mine'],
      [`query($mine: EchoNote) { echo(note: $mine) }`, { notes: [{ [name]: value }] }, `mine.notes.0.${name}`],
    ]
    for (const [document, mine, path] of cases) {
      const refusal = await refusalOf(() => run(graphs[0]!, document, { mine }))
      expect([refusal.code, refusal.extensions['errors']]).toEqual([
        'VALIDATION_FAILED',
        [{ path, code: 'INVALID_VALUE', message }],
      ])
    }
    expect(sent()).toBe(0)
  })

  it('is refused as well if only the subgraph detects it', async () => {
    const execute = () => Promise.reject(new AggregateError([new GraphQLError('No such value.')], 'cannot run'))
    const others = endpoints.filter(({ name }) => name !== 'catalog')
    const graph = Graph.create({
      supergraph: librarySupergraph,
      endpoints: [...others, { name: 'catalog', execute }],
    })
    const refusal = await refusalOf(() => run(graph, '{ flag }'))
    expect([refusal.code, refusal.status, refusal.message]).toEqual([
      'GRAPHQL_VALIDATION_FAILED',
      400,
      'No such value.',
    ])
    expect((await run(graph, '{ echo alsoPublic }')).errors).toMatchObject([
      { message: 'No such value.', path: ['echo'], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } },
    ])
  })
})
