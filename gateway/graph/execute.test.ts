import { beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { SubgraphEndpoint, SubgraphResult } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { aContext, libraryEndpoints, librarySupergraph, type LibraryEndpoint } from './library.fixture.ts'
import { Graph } from './graph.ts'

let endpoints: LibraryEndpoint[]
let defects: unknown[]
let graph: Graph

beforeEach(() => {
  endpoints = libraryEndpoints()
  defects = []
  graph = Graph.create({ supergraph: librarySupergraph, endpoints, onDefect: (thrown) => defects.push(thrown) })
})

const run = (document: string, variables = {}) => graph.execute(graph.prepare(document), variables, aContext())
const endpoint = (name: string): LibraryEndpoint => endpoints.find((candidate) => candidate.name === name)!

/** Replaces one subgraph by one that returns the given result. */
function withAnswer(name: string, answer: () => Promise<SubgraphResult>): void {
  const others: SubgraphEndpoint[] = endpoints.filter((candidate) => candidate.name !== name)
  graph = Graph.create({
    supergraph: librarySupergraph,
    endpoints: [...others, { name, execute: answer }],
    onDefect: (thrown) => defects.push(thrown),
  })
}

describe('the single-fetch route', () => {
  it.each([
    'query Q($id: ID!) { book(id: $id) { id title author { id } } }',
    '{ items { id ... on Book { pages } } }',
    '{ search(text: "x") { ... on Film { minutes } ... on Book { isbn } } }',
    '{ featured { id ...Part } } fragment Part on Book { title tags }',
    '{ items { title __typename related { __typename id } } }',
    'mutation { filmRetitle(id: "f1", title: "x") { title } }',
  ])("sends the client's own document for %s", async (document) => {
    await run(document, { id: 'b1' })
    const { requests } = endpoint('catalog')
    expect(requests.length).toBe(1)
    expect(requests[0]!.document.replace(/\s+/g, ' ').trim()).toBe(document)
  })

  it.each([
    '{ featured { reviews { id } } }',
    '{ featured { id } alsoPublic }',
    '{ __typename featured { id } }',
    '{ featured { id } __schema { queryType { name } } }',
    'query ($on: Boolean!) { featured @include(if: $on) { id } }',
  ])('is not taken for %s', (document) => {
    expect(graph.prepare(document).executionFor({}).route.kind).toBe('plan')
  })

  it('returns the data of the subgraph unchanged', async () => {
    const data = { featured: { id: 'b5' } }
    withAnswer('catalog', () => Promise.resolve({ data }))
    expect((await run('{ featured { id } }')).data).toBe(data)
  })
})

describe('entities', () => {
  it('that are equal are requested once, and each occurrence gets the answer and the error', async () => {
    const document = '{ items(first: 5) { id author { nickname } } }'
    const result = await run(document)
    expect(endpoint('people').requests.map(({ variables }) => variables)).toEqual([
      {
        representations: [
          { __typename: 'Author', id: 'a1' },
          { __typename: 'Author', id: 'a2' },
          { __typename: 'Author', id: 'a3' },
        ],
      },
    ])
    expect(result.data).toEqual({
      items: [
        { id: 'b1', author: { nickname: null } },
        { id: 'f1', author: { nickname: null } },
        { id: 'b2', author: { nickname: null } },
        { id: 'f2', author: { nickname: null } },
        { id: 'b3', author: { nickname: 'Nick' } },
      ],
    })
    expect(result.errors?.map(({ path, extensions }) => [path, extensions?.['code']])).toEqual([
      [['items', 0, 'author', 'nickname'], 'INTERNAL'],
      [['items', 1, 'author', 'nickname'], 'INTERNAL'],
      [['items', 2, 'author', 'nickname'], 'PERMISSION_DENIED'],
      [['items', 3, 'author', 'nickname'], 'PERMISSION_DENIED'],
    ])
  })

  it('are not requested with inherited properties', async () => {
    const { errors } = await run('query ($toString: Int) { featured { reviews(first: $toString) { id } } }')
    expect(errors).toBeUndefined()
    expect(Object.keys(endpoint('reviews').requests[0]!.variables)).toEqual(['representations'])
  })

  it('of one type among others keep their index in the paths of errors', async () => {
    const { errors } = await run('{ items(first: 5) { ... on Book { score } } }')
    expect(errors).toEqual([{ message: 'No score.', path: ['items', 4, 'score'], extensions: { code: 'NOT_FOUND' } }])
  })
})

describe('an alias that equals a field which plans fetch', () => {
  const documents = [
    '{ featured { x: title reviews(first: 1) { x: stars } shippingEstimate dedication } }',
    '{ items(first: 5) { x: author { nickname } ... on Book { score reviews(first: 1) { author { x: karma } } } } }',
    'query ($on: Boolean = true) { x: featured { x: title reviews { id @include(if: $on) } } alsoPublic }',
    '{ items { ... on Book { x: isbn score } ... on Film { x: id rating } } }',
    'mutation { filmRetitle(id: "f2", title: "New") { x: title rating } }',
    '{ __schema { x: queryType { x: name } } featured { x: title rating: score } }',
  ]
  it.each(documents.flatMap((document) => ['id', '__typename', 'pages', 'author'].map((name) => [document, name])))(
    'does not change the answer: %s with x as %s',
    async (document, name) => {
      const text = JSON.stringify(await run(document)).replaceAll('"x"', `"${name}"`)
      expect(JSON.stringify(await run(document.replaceAll('x:', `${name}:`)))).toBe(text)
    },
  )
})

describe('a subgraph that does not answer', () => {
  const unavailable = (path: (string | number)[]) => ({
    message: 'A part of the service is not available.',
    path,
    extensions: { code: 'UNAVAILABLE' },
  })

  it('leaves the rest of the answer intact, and is called again the next time', async () => {
    endpoint('people').isUnavailable = true
    const document = '{ book(id: "b1") { title author { id born } } alsoPublic }'
    const broken = await run(document)
    expect(broken.data).toEqual({ book: { title: 'Book 1', author: { id: 'a1', born: null } }, alsoPublic: null })
    expect(broken.errors?.toSorted((one, other) => one.path!.length - other.path!.length)).toEqual([
      unavailable(['alsoPublic']),
      unavailable(['book', 'author']),
    ])
    expect(defects.length).toBe(2)

    endpoint('people').isUnavailable = false
    expect(await run(document)).toEqual({
      data: { book: { title: 'Book 1', author: { id: 'a1', born: 1815 } }, alsoPublic: 'yes' },
    })
  })

  it('propagates the null of a non-null field, on either route', async () => {
    endpoint('catalog').isUnavailable = true
    expect(await run('{ book(id: "b1") { id } }')).toEqual({ data: { book: null }, errors: [unavailable(['book'])] })
    expect(await run('{ featured { id } film(id: "f1") { id } }')).toEqual({
      data: null,
      errors: [unavailable(['featured']), unavailable(['film'])],
    })
    expect(await run('{ featured { id } alsoPublic }')).toEqual({ data: null, errors: [unavailable(['featured'])] })
  })

  it('may choose the error', async () => {
    withAnswer('catalog', () => Promise.reject(new Refusal('UNAVAILABLE', 'Back soon.', { retryAfter: 7 })))
    expect((await run('{ refused }')).errors).toEqual([
      { message: 'Back soon.', path: ['refused'], extensions: { code: 'UNAVAILABLE', retryAfter: 7 } },
    ])
  })

  it('that returns fewer entities than requested is a defect, reported without detail', async () => {
    withAnswer('people', () => Promise.resolve({ data: { _entities: [] } }))
    expect(await run('{ book(id: "b1") { author { born } } }')).toEqual({
      data: { book: { author: { born: null } } },
      errors: [
        { message: 'Something went wrong on our side.', path: ['book', 'author'], extensions: { code: 'INTERNAL' } },
      ],
    })
    expect(defects).toEqual([new Error('"people" did not answer 1 entities.')])
  })
})

describe('results', () => {
  it('keep the extensions of errors with a code and hide the details of others', async () => {
    const { errors } = await run('{ refused book(id: "b3") { subtitle } }')
    expect(errors).toEqual([
      {
        message: 'Refused by the catalog.',
        path: ['refused'],
        extensions: { code: 'PERMISSION_DENIED', why: 'fixture' },
      },
      { message: 'Something went wrong on our side.', path: ['book', 'subtitle'], extensions: { code: 'INTERNAL' } },
    ])
  })

  it('say when a mutation was replayed', async () => {
    const data = { filmRetitle: { __typename: 'Film', id: 'f1', title: 'x' } }
    withAnswer('catalog', () => Promise.resolve({ data, replayed: true }))
    expect((await run('mutation { filmRetitle(id: "f1", title: "x") { title } }')).replayed).toBe(true)
    expect((await run('mutation { filmRetitle(id: "f1", title: "x") { title rating } }')).replayed).toBe(true)
  })

  it('have a response name such as "constructor" only if the subgraph returned it', async () => {
    endpoint('people').isUnavailable = true
    expect((await run('{ constructor: featured { toString: title } valueOf: alsoPublic }')).data).toEqual({
      constructor: { toString: 'Book 5' },
      valueOf: null,
    })
  })
})

describe('a condition', () => {
  it.each([
    ['query($on: Boolean!) { review(id: "none") @include(if: $on) { id @skip(if: true) } }', { review: null }],
    ['query($on: Boolean!) { book(id: "b1") @include(if: $on) { title @skip(if: true) } }', { book: {} }],
    ['query($on: Boolean!) { book(id: "b1") @include(if: $on) { title @skip(if: $on) } }', { book: {} }],
    [
      'query($on: Boolean!) { book(id: "b1") { ...Part @include(if: $on) } } fragment Part on Book { id @skip(if: $on) }',
      { book: {} },
    ],
    ['query($on: Boolean!) { book(id: "b1") @skip(if: $on) { title } }', {}],
    [
      'query($on: Boolean!) { worst { author @skip(if: true) { karma } id @include(if: $on) } }',
      { worst: { id: 'r8' } },
    ],
  ])('that skips the whole selection of an object leaves an empty object: %s', async (document, data) => {
    expect(await run(document, { on: true })).toEqual({ data })
  })

  it('still runs a mutation whose whole selection is skipped', async () => {
    const document =
      'mutation($on: Boolean!) { filmRetitle(id: "f1", title: "x") @include(if: $on) { title @skip(if: true) } }'
    expect(await run(document, { on: true })).toEqual({ data: { filmRetitle: {} } })
    expect(endpoint('catalog').requests.length).toBe(1)
    expect(await run(document, { on: false })).toEqual({ data: {} })
    expect(endpoint('catalog').requests.length).toBe(1)
  })

  it('is evaluated before a subgraph is called, which gets neither the condition nor its variable', async () => {
    const document = 'query($on: Boolean!, $id: ID!) { book(id: $id) { title @skip(if: $on) id title } }'
    const { data } = await run(document, { on: true, id: 'b1' })
    expect(JSON.stringify(data)).toBe('{"book":{"id":"b1","title":"Book 1"}}')
    expect(endpoint('catalog').requests.map((request) => request.document.replace(/\s+/g, ' '))).toEqual([
      'query ($id: ID!) { book(id: $id) { id title } }',
    ])
  })

  it('on a required field does not apply to other fields that require it', async () => {
    const document = `query($on: Boolean!) { review(id: "r2") {
      book { shippingEstimate dedication @include(if: $on) } author { favorite { ... on Book { shippingEstimate } } } } }`
    expect(await run(document, { on: false })).toMatchObject({ data: { review: { book: { shippingEstimate: 105 } } } })
  })

  it.each([true, false])('on a fragment spread applies only to that spread, as in graphql-js: %s', async (on) => {
    const document = `query($on: Boolean!) { one: book(id: "b1") { ...Part @skip(if: $on) id ...Part }
      two: book(id: "b2") { title ...Part @include(if: $on) } } fragment Part on Book { title subtitle }`
    const { data } = await run(document, { on })
    const expected = await endpoint('catalog').execute({ document, variables: { on }, context: aContext() })
    expect(JSON.stringify(data)).toBe(JSON.stringify(expected.data))
  })
})
