import { beforeEach, describe, expect, it } from 'vitest'
import { aCaller, aContext, libraryEndpoints, librarySupergraph, type LibraryEndpoint } from './library.fixture.ts'
import { Graph } from './graph.ts'
import { defaultLimits, type GraphLimits } from './limits.ts'

let endpoints: LibraryEndpoint[]
let graph: Graph

beforeEach(() => {
  endpoints = libraryEndpoints()
  graph = Graph.create({ supergraph: librarySupergraph, endpoints })
})

const requestCount = (): number => endpoints.reduce((total, { requests }) => total + requests.length, 0)
const times = (count: number, part: (number: number) => string): string =>
  Array.from({ length: count }, (_, number) => part(number)).join(' ')
const nested = (depth: number): string => (depth === 1 ? 'id' : `sequel { ${nested(depth - 1)} }`)

const scalars = ['id', 'isbn', 'title', 'subtitle', 'pages', 'genre', 'weight', 'metadata', 'tags', '__typename']

/** Documents that have exactly `size` of the limited quantity. */
const sized: Record<string, (size: number) => string> = {
  nesting: (size) => `${'{ ... '.repeat(size - 1)}{ flag }${' }'.repeat(size - 1)}`,
  comments: (size) => `{ flag ${times(size, () => '#\n')} }`,
  nameLength: (size) => `{ ${'a'.repeat(size)}: flag }`,
  tokens: (size) => `{ featured { ${times(size - 5, (number) => scalars[number % scalars.length]!)} } }`,
  depth: (size) => `{ featured { ...Part } } fragment Part on Book { ${nested(size - 1)} }`,
  aliases: (size) => `{ featured { ${times(size, (number) => `a${number}: id`)} } }`,
  rootFields: (size) => `{ ${times(size - 1, () => 'flag')} ...Part } fragment Part on Query { flag }`,
  fields: (size) =>
    `{ featured { ${times(19, () => '...Part')} ${times(size - 1901, () => 'id')} } }
     fragment Part on Book { ${times(100, () => 'id')} }`,
  directives: (size) => `{ featured { ${times(size, () => 'id @include(if: true)')} } }`,
  'aliases of __typename': (size) => `{ featured { ${times(size, (number) => `a${number}: __typename`)} } }`,
  'aliases in fragments': (size) =>
    `{ featured { ${times(size / 10, () => '...Part')} ${size % 10 ? 'b: id' : ''} } } fragment Part on Book { ${times(10, (number) => `a${number}: id`)} }`,
  'directives on spreads': (size) =>
    `{ featured { ${times(size, () => '...Part @include(if: true)')} } } fragment Part on Book { id }`,
  'directives in fragments': (size) =>
    `{ featured { ${times(size / 10, () => '...Part')} ${size % 10 ? '... @skip(if: true) { id }' : ''} } }
     fragment Part on Book { ${times(10, () => 'id @include(if: true)')} }`,
}

describe('Graph.prepare', () => {
  it.each(Object.entries(sized))('accepts %s at the limit and refuses one more', (name, document) => {
    const limit = defaultLimits[name.split(' ', 1)[0] as keyof GraphLimits]
    expect(graph.prepare(document(limit)).kind).toBe('query')
    expect(() => graph.prepare(document(limit + 1))).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ code: 'GRAPHQL_LIMIT_EXCEEDED' }) }),
    )
  })

  it.each([
    ['a value', (brackets: string) => `{ books(filter: ${brackets}) { total } }`],
    ['a default', (brackets: string) => `query ($genre: Genre = ${brackets}) { books(genre: $genre) { total } }`],
    ['a type', (brackets: string) => `query ($genre: ${brackets}) { books(genre: $genre) { total } }`],
    ['a directive', (brackets: string) => `{ flag @include(if: ${brackets}) }`],
  ])('refuses %s of 40,000 brackets where the parser would run out of stack', (_place, document) => {
    const brackets = `${'['.repeat(40_000)}${']'.repeat(40_000)}`
    expect(() => graph.prepare(document(brackets))).toThrow('Nesting limit of 128 brackets exceeded.')
  })

  it('accepts documents of 100,000 characters and refuses one more', () => {
    expect(graph.prepare('{ flag }'.padEnd(100_000)).kind).toBe('query')
    expect(() => graph.prepare('{ flag }'.padEnd(100_001))).toThrow(
      'Characters limit of 100000 exceeded, found 100001; send long values as variables.',
    )
  })

  it('counts directives at every place, before validation', () => {
    const document = `query ($id: ID! ${times(10, () => '@a')}) ${times(11, () => '@b')} { ...Part }
      fragment Part on Query ${times(10, () => '@c')} { book(id: $id) { id } }`
    expect(() => graph.prepare(document)).toThrow('Directives limit of 30 exceeded, found 31.')
  })

  it('refuses fragments that double at every level without expanding them', () => {
    const fragments = times(60, (number) => `fragment F${number} on Book { ...F${number + 1} ...F${number + 1} }`)
    const document = `{ featured { ...F0 } } ${fragments} fragment F60 on Book { id }`
    expect(() => graph.prepare(document)).toThrow('Fields limit of 2000 exceeded, found 1152921504606847000.')
  })

  it('refuses the same field repeated so often that comparing takes too long', () => {
    expect(() => graph.prepare(`{ featured { ${times(1900, () => 'id')} } }`)).toThrow(
      expect.objectContaining({ extensions: { code: 'GRAPHQL_LIMIT_EXCEEDED' } }),
    )
  })

  it.each([
    ['{ flag', 'GRAPHQL_PARSE_FAILED', 'Syntax Error: Expected Name, found <EOF>.'],
    ['', 'GRAPHQL_PARSE_FAILED', 'Syntax Error: Unexpected <EOF>.'],
    ['{ flug }', 'GRAPHQL_VALIDATION_FAILED', 'Cannot query field "flug" on type "Query".'],
    [
      '{ books(genre: NOVELL) { total } }',
      'GRAPHQL_VALIDATION_FAILED',
      'Value "NOVELL" does not exist in "Genre" enum.',
    ],
    ['{ __proto__: flag }', 'GRAPHQL_VALIDATION_FAILED', 'The name "__proto__" must not be used.'],
    [
      'query ($n: Int) { items(first: $n) { ...A } } fragment A on Item { id ...A }',
      'GRAPHQL_VALIDATION_FAILED',
      'Cannot spread fragment "A" within itself.',
    ],
    ['fragment A on Item { id }', 'GRAPHQL_VALIDATION_FAILED', 'Fragment "A" is never used.'],
    [
      'query A { flag } query B { flag }',
      'OPERATION_RESOLUTION_FAILURE',
      'The document has several operations; send operationName to choose one.',
    ],
  ])('refuses %s with %s', (document, code, message) => {
    expect(() => graph.prepare(document)).toThrow(
      expect.objectContaining({ message, extensions: expect.objectContaining({ code }) }),
    )
  })

  it('picks the named operation, and prepares the same document once', () => {
    const document = 'query A { flag } mutation B { filmRetitle(id: "f1", title: "x") { id } }'
    expect(graph.prepare(document, 'B').kind).toBe('mutation')
    expect(graph.prepare(document, 'A').name).toBe('A')
    expect(graph.prepare(document, 'A')).toBe(graph.prepare(document, 'A'))
    expect(() => graph.prepare(document, 'C')).toThrow('operationName must name an operation of the document.')
  })
})

describe('list cost', () => {
  const costs: [string, Record<string, unknown>, number][] = [
    ['{ flag }', {}, 0],
    ['{ featured { id tags } }', {}, 1],
    ['{ items { id } }', {}, 3],
    ['{ items(first: 7) { id } }', {}, 7],
    ['query ($n: Int) { items(first: $n) { id } }', { n: 9 }, 9],
    ['query ($n: Int) { items(first: $n) { id } }', {}, 3],
    ['query ($n: Int = 4) { items(first: $n) { id } }', {}, 4],
    ['query ($n: Int = 4) { items(first: $n) { id } }', { n: null }, 3],
    ['{ maybeItems { id } }', {}, 10],
    ['{ books { data { id } } }', {}, 3],
    ['{ books(limit: 5) { total data { author { id } } } }', {}, 11],
    ['{ items(first: 2) { related(first: 3) { author { id } } } }', {}, 14],
    ['{ items(first: 2) { ...Part } } fragment Part on Item { ... on Book { coAuthors { id } } }', {}, 22],
    ['{ a: items(first: 2) { id } b: items(first: 5) { id } }', {}, 7],
  ]

  it.each(costs)('of %s with %j is %i', async (document, variables, cost) => {
    const limited = (max: number): Graph =>
      Graph.create({ supergraph: librarySupergraph, endpoints, limits: { cost: max } })
    const sufficient = limited(cost)
    await sufficient.execute(sufficient.prepare(document), variables, aContext())
    const before = requestCount()
    const tooLow = limited(cost - 1)
    await expect(tooLow.execute(tooLow.prepare(document), variables, aContext())).rejects.toMatchObject({
      status: 400,
      message: `Cost limit of ${cost - 1} objects exceeded, found ${cost}.`,
      extensions: { code: 'GRAPHQL_LIMIT_EXCEEDED' },
    })
    expect(requestCount()).toBe(before)
  })

  it('is refused above 10000 objects and executed at 10000', async () => {
    const prepared = graph.prepare('query ($n: Int) { items(first: 100) { related(first: $n) { id } } }')
    await expect(graph.execute(prepared, { n: 100 }, aContext())).rejects.toMatchObject({
      message: 'Cost limit of 10000 objects exceeded, found 10100.',
    })
    expect(requestCount()).toBe(0)
    expect((await graph.execute(prepared, { n: 99 }, aContext())).data).not.toBeNull()
  })
})

describe('a literal of lists in lists', () => {
  const nested = `${'{ any: ['.repeat(22)}{ genre: NOVEL }${'] }'.repeat(22)}`

  it('is planned within two seconds', { timeout: 2000 }, async () => {
    const prepared = graph.prepare(`{ books(filter: ${nested}) { data { reviews { id } } total } }`)
    expect((await graph.execute(prepared, {}, aContext())).errors).toBeUndefined()
  })
})

describe('variables', () => {
  it.each([
    ['query ($id: ID!) { book(id: $id) { id } }', {}, [['id', 'REQUIRED']]],
    ['query ($id: ID!) { book(id: $id) { id } }', { id: null }, [['id', 'REQUIRED']]],
    ['query ($id: ID!) { book(id: $id) { id } }', { id: { a: 1 } }, [['id', 'INVALID_VALUE']]],
    ['query ($n: Int) { items(first: $n) { id } }', { n: 'many' }, [['n', 'INVALID_VALUE']]],
    ['query ($n: Int) { items(first: $n) { id } }', { n: 2 ** 31 }, [['n', 'INVALID_VALUE']]],
    [
      'query ($filter: BookFilter, $genre: Genre) { books(filter: $filter, genre: $genre) { total } }',
      { filter: { pages: { above: 'x', over: 1 }, any: [{}, { genre: 'POEM' }] }, genre: 'NOVELL' },
      [
        ['filter.pages.above', 'INVALID_VALUE'],
        ['filter.pages.over', 'UNKNOWN_FIELD'],
        ['filter.any.1.genre', 'INVALID_VALUE'],
        ['genre', 'INVALID_VALUE'],
      ],
    ],
    ['query ($show: Boolean = true) { flag @include(if: $show) }', { show: null }, [['show', 'REQUIRED']]],
    ['query ($id: ID = "b1") { book(id: $id) { id } }', { id: null }, [['id', 'REQUIRED']]],
    [
      'query ($any: BookFilter = {}, $note: EchoNote = {}) { books(filter: { any: [$any] }) { total } ...Rest } fragment Rest on Query { echo(note: { notes: [{ notes: [$note] }] }) }',
      { any: null, note: null },
      [
        ['any', 'REQUIRED'],
        ['note', 'REQUIRED'],
      ],
    ],
  ])('of %s are refused when they are %j, each by its path', async (document, variables, problems) => {
    const refused = graph.execute(graph.prepare(document), variables, aContext())
    await expect(refused).rejects.toMatchObject({
      status: 400,
      extensions: { code: 'VALIDATION_FAILED', errors: problems.map(([path, code]) => ({ path, code })) },
    })
    expect(requestCount()).toBe(0)
  })

  it('are shortened in messages, and names are suggested only to callers who may introspect', async () => {
    const prepared = graph.prepare(
      'query ($n: Int, $genre: Genre) { items(first: $n) { id } books(genre: $genre) { total } }',
    )
    const unknown = 'Value "NOVELL" does not exist in "Genre" enum.'
    const suggestion = ' Did you mean the enum value "NOVEL"? Allowed values: NOVEL, ESSAY, DRAMA.'
    for (const [caller, message] of [
      [aCaller(), unknown + suggestion],
      [aCaller({ kind: 'ANONYMOUS' }), unknown],
    ] as const) {
      const refused = graph.execute(prepared, { n: 'x'.repeat(1000), genre: 'NOVELL' }, aContext(caller))
      await expect(refused).rejects.toMatchObject({
        extensions: {
          errors: [
            {
              path: 'n',
              code: 'INVALID_VALUE',
              message: `Int cannot represent non-integer value: "${'x'.repeat(259)}…`,
            },
            { path: 'genre', code: 'INVALID_VALUE', message },
          ],
        },
      })
    }
  })

  it('reach the subgraph coerced, defaults filled in and undeclared ones left out', async () => {
    const prepared = graph.prepare('query ($id: ID!, $n: Int = 2) { item(id: $id) { related(first: $n) { id } } }')
    await graph.execute(prepared, { id: 7, other: 1 }, aContext())
    expect(endpoints[0]!.requests.map(({ variables }) => variables)).toEqual([{ id: '7', n: 2 }])
  })
})
