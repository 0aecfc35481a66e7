import { beforeEach, describe, expect, it } from 'vitest'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { SubgraphEndpoint, SubgraphRequest } from '../../subgraphs/kernel/subgraph/endpoint.ts'
import { composeSupergraph } from './compose.ts'
import { aCaller, aContext } from './library.fixture.ts'
import { Graph } from './graph.ts'

const federation = `extend schema @link(url: "https://specs.apollo.dev/federation/v2.7", import: ["@key", "@requiresScopes", "@tag"])`
const supergraphSdl = composeSupergraph([
  {
    name: 'vault',
    sdl: `${federation}
      type Query {
        open: String
        note: Note
        coin: Coin
        thing: Thing
        named: Named
        color: Color
        stamp: Stamp
        byColor(color: Color, filter: Filter): String
        notes(filter: NoteFilter): String
        me: String @requiresScopes(scopes: [["SESSION"]])
        status: String @requiresScopes(scopes: [["PUBLIC"]])
      }
      type Mutation {
        noteCreate: Note @requiresScopes(scopes: [["WRITE_NOTES"]])
        signIn: String @requiresScopes(scopes: [["PUBLIC"]])
      }
      interface Named { name: String }
      type Note implements Named @key(fields: "id") @requiresScopes(scopes: [["READ_NOTES"]]) {
        id: ID!
        name: String
        text: String
        secret: String @requiresScopes(scopes: [["READ_KEYS", "READ_VAULT"], ["READ_ALL"]])
        coin: Coin
      }
      type Coin implements Named @requiresScopes(scopes: [["READ_COINS"]]) { name: String @requiresScopes(scopes: [["READ_NAMES"]]) }
      union Thing = Note | Coin
      enum Color @requiresScopes(scopes: [["READ_COLORS"]]) { RED }
      scalar Stamp @requiresScopes(scopes: [["READ_STAMPS"]])
      input Filter { not: Filter, color: Color }
      input NoteFilter @tag(name: "needs-READ_NOTES") { text: String, not: NoteFilter, and: [NoteFilter!], coins: CoinListFilter, body: NoteBody }
      input CoinListFilter { some: CoinFilter, none: CoinFilter }
      input CoinFilter @tag(name: "needs-READ_COINS") { name: String, note: NoteFilter }
      input NoteBody @tag(name: "other") { words: Int }`,
  },
])

/** Answers every root field with null and records the requests. */
class NullEndpoint implements SubgraphEndpoint {
  readonly name = 'vault'
  readonly requests: SubgraphRequest[] = []

  execute(request: SubgraphRequest) {
    this.requests.push(request)
    return Promise.resolve({ data: {} })
  }
}

let endpoint: NullEndpoint
let graph: Graph

beforeEach(() => {
  endpoint = new NullEndpoint()
  graph = Graph.create({ supergraph: supergraphSdl, endpoints: [endpoint] })
})

const key = (...scopes: string[]): Caller => aCaller({ kind: 'API_KEY', scopes })
const token = (...scopes: string[]): Caller => aCaller({ kind: 'OAUTH', scopes })
const anonymous = aCaller({ kind: 'ANONYMOUS' })
const attempt = (document: string, caller: Caller) => graph.execute(graph.prepare(document), {}, aContext(caller))

describe('the scope requirements of a prepared operation', () => {
  it.each([
    ['{ open }', []],
    ['{ note { id } }', [[['READ_NOTES']]]],
    ['{ note { secret } }', [[['READ_NOTES']], [['READ_ALL'], ['READ_KEYS', 'READ_VAULT']]]],
    ['{ note { coin { name } } }', [[['READ_NOTES']], [['READ_COINS']], [['READ_NAMES']]]],
    ['{ thing { __typename } }', [[['READ_NOTES']], [['READ_COINS']]]],
    ['{ thing { ... on Note { id } } }', [[['READ_NOTES']], [['READ_COINS']]]],
    ['{ named { name } }', [[['READ_NOTES']], [['READ_COINS']], [['READ_NAMES']]]],
    ['{ color stamp }', [[['READ_COLORS']], [['READ_STAMPS']]]],
    ['query ($color: Color) { byColor(color: $color) }', [[['READ_COLORS']]]],
    ['{ byColor(filter: {}) }', [[['READ_COLORS']]]],
    ['{ byColor }', []],
    ['query ($off: Boolean = false) { note @include(if: $off) { id } }', [[['READ_NOTES']]]],
    ['{ ...Part } fragment Part on Query { note { id } }', [[['READ_NOTES']]]],
    ['mutation { noteCreate { id } }', [[['WRITE_NOTES']], [['READ_NOTES']]]],
    ['query A { open } query B { note { id } }', [], 'A'],
  ])('of %s are %j', (document, expected, operationName: string | null = null) => {
    const canonical = (lists: readonly (readonly (readonly string[])[])[]) =>
      lists
        .map((alternatives) =>
          alternatives
            .map((all) => all.toSorted().join('+'))
            .toSorted()
            .join(' or '),
        )
        .toSorted()
    expect(canonical(graph.prepare(document, operationName).requirements)).toEqual(canonical(expected as string[][][]))
  })
})

describe('Graph.execute', () => {
  it.each([
    ['{ note { id } }', 'a key without scopes', key(), 403, 'API_KEY_SCOPE_INSUFFICIENT', ['READ_NOTES']],
    ['{ note { id } }', 'a token without scopes', token(), 403, 'OAUTH_SCOPE_INSUFFICIENT', ['READ_NOTES']],
    ['{ note { id } }', 'an anonymous caller', anonymous, 401, 'UNAUTHENTICATED', undefined],
    [
      '{ thing { __typename } }',
      'a key for notes',
      key('READ_NOTES'),
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      ['READ_COINS'],
    ],
    [
      '{ named { name } }',
      'a key without scopes',
      key(),
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      ['READ_COINS', 'READ_NAMES', 'READ_NOTES'],
    ],
    ['{ note { secret } }', 'a key for notes', key('READ_NOTES'), 403, 'API_KEY_SCOPE_INSUFFICIENT', ['READ_ALL']],
    [
      '{ note { secret } }',
      'a key for notes and keys',
      key('READ_NOTES', 'READ_KEYS'),
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      undefined,
    ],
    [
      'mutation { noteCreate { id } }',
      'a key with only a READ scope',
      key('READ_NOTES'),
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      ['WRITE_NOTES'],
    ],
    [
      'mutation { noteCreate { id } }',
      'a key without scopes',
      key(),
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      ['WRITE_NOTES'],
    ],
    [
      'mutation { noteCreate { coin { name } } }',
      'a token for names',
      token('WRITE_NAMES'),
      403,
      'OAUTH_SCOPE_INSUFFICIENT',
      ['READ_COINS', 'WRITE_NOTES'],
    ],
    ['{ me }', 'a key for everything', key('*'), 403, 'API_KEY_SCOPE_BLOCKED', undefined],
    ['{ me }', 'a token', token('READ_NOTES'), 403, 'API_KEY_SCOPE_BLOCKED', undefined],
    ['{ me }', 'an anonymous caller', anonymous, 401, 'UNAUTHENTICATED', undefined],
    ['mutation { signIn }', 'a key for everything', key('*'), 403, 'API_KEY_SCOPE_BLOCKED', undefined],
    [
      '{ open note @skip(if: true) { id } }',
      'a key without scopes',
      key(),
      403,
      'API_KEY_SCOPE_INSUFFICIENT',
      ['READ_NOTES'],
    ],
  ])('refuses %s to %s and calls no subgraph', async (document, _who, caller, status, code, missingScopes) => {
    await expect(attempt(document, caller)).rejects.toMatchObject({
      status,
      extensions: { code, ...(missingScopes && { missingScopes }) },
    })
    expect(endpoint.requests).toEqual([])
  })

  it.each([
    ['{ open }', 'an anonymous caller', anonymous],
    ['{ status }', 'an anonymous caller', anonymous],
    ['mutation { signIn }', 'an anonymous caller', anonymous],
    ['{ note { id } }', 'a session', aCaller()],
    ['{ me }', 'a session', aCaller()],
    ['{ note { id } }', 'a key for notes', key('READ_NOTES')],
    ['{ note { id } }', 'a key with only a WRITE scope', key('WRITE_NOTES')],
    ['{ named { name } }', 'a key for everything', key('*')],
    ['{ note { secret } }', 'a key with both scopes', key('READ_NOTES', 'READ_KEYS', 'READ_VAULT')],
    ['{ note { secret } }', 'a key with the alternative', key('READ_NOTES', 'READ_ALL')],
    ['{ note { id } }', 'the system', aCaller({ kind: 'SYSTEM' })],
  ])('executes %s for %s', async (document, _who, caller) => {
    await attempt(document, caller)
    expect(endpoint.requests.length).toBe(1)
  })
})

describe('a filter on related records', () => {
  const asLiteral = 'LITERAL'
  const asVariable = 'VARIABLE'
  const withFilter = (filter: string, how: string): [string, Record<string, unknown>] => {
    if (how === asLiteral) return [`{ notes(filter: ${filter}) }`, {}]
    const value = JSON.parse(filter.replaceAll(/(\w+):/g, '"$1":')) as object
    return ['query ($filter: NoteFilter) { notes(filter: $filter) }', { filter: value }]
  }
  const both = ['READ_NOTES', 'READ_COINS']

  it.each<[filter: string, needed: string[]]>([
    ['null', []],
    ['{}', ['READ_NOTES']],
    ['{ text: "a", body: { words: 1 } }', ['READ_NOTES']],
    ['{ not: { text: "a" } }', ['READ_NOTES']],
    ['{ coins: null }', ['READ_NOTES']],
    ['{ coins: {} }', ['READ_NOTES']],
    ['{ coins: { some: null } }', ['READ_NOTES']],
    ['{ coins: { some: {} } }', both],
    ['{ coins: { none: { name: "a" } } }', both],
    ['{ and: [{ text: "a" }, { not: { coins: { some: { name: "a" } } } }] }', both],
    ['{ and: { coins: { some: { note: { text: "a" } } } } }', both],
  ])('%s needs the scopes of their types: %j', async (filter, needed) => {
    for (const how of [asLiteral, asVariable]) {
      const [document, variables] = withFilter(filter, how)
      const prepared = graph.prepare(document)
      const execute = (caller: Caller) => graph.execute(prepared, variables, aContext(caller))
      for (const scope of needed) {
        const others = needed.filter((other) => other !== scope)
        await expect(execute(key(...others))).rejects.toMatchObject({
          status: 403,
          extensions: { code: 'API_KEY_SCOPE_INSUFFICIENT', missingScopes: [scope] },
        })
      }
      expect(endpoint.requests).toEqual([])
      await execute(key(...needed))
      expect(endpoint.requests.splice(0)).toHaveLength(1)
    }
  })

  it('needs the scopes of the default of a variable and of a variable in a literal', async () => {
    const byDefault = 'query ($filter: NoteFilter = { coins: { some: {} } }) { notes(filter: $filter) }'
    await expect(attempt(byDefault, key('READ_NOTES'))).rejects.toMatchObject({
      extensions: { missingScopes: ['READ_COINS'] },
    })
    const inside = graph.prepare('query ($coins: CoinListFilter) { notes(filter: { coins: $coins }) }')
    const execute = (coins: object) => graph.execute(inside, { coins }, aContext(token('READ_NOTES')))
    await expect(execute({ some: {} })).rejects.toMatchObject({
      status: 403,
      extensions: { code: 'OAUTH_SCOPE_INSUFFICIENT', missingScopes: ['READ_COINS'] },
    })
    expect(endpoint.requests).toEqual([])
    await execute({})
    expect(endpoint.requests).toHaveLength(1)
  })
})

describe('introspection', () => {
  const documents = ['{ __schema { queryType { name } } }', '{ kind: __type(name: "Note") { name } }']

  it.each(documents)('refuses %s without a credential', async (document) => {
    await expect(attempt(document, anonymous)).rejects.toMatchObject({ extensions: { code: 'INTROSPECTION_DISABLED' } })
  })

  it('is answered for any credential, without a scope', async () => {
    expect(await attempt(documents[0]!, key())).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } })
    expect(await attempt(documents[1]!, key())).toEqual({ data: { kind: { name: 'Note' } } })
  })

  it('is answered without a credential if openIntrospection is set; __typename always is', async () => {
    expect(await attempt('{ __typename }', anonymous)).toEqual({ data: { __typename: 'Query' } })
    graph = Graph.create({ supergraph: supergraphSdl, endpoints: [endpoint], openIntrospection: true })
    expect(await attempt(documents[0]!, anonymous)).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } })
  })

  it('hides federation and security directives', () => {
    expect(graph.apiSchema.getDirectives().map(({ name }) => name)).toEqual([
      'include',
      'skip',
      'deprecated',
      'specifiedBy',
      'oneOf',
      'atomic',
      'dryRun',
      'allowDuplicates',
    ])
    expect(
      Object.keys(graph.apiSchema.getTypeMap()).filter((name) => /^(join|link|requiresScopes)__/.test(name)),
    ).toEqual([])
  })
})
