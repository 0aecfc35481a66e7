import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isCompositeType,
  isEnumType,
  isNonNullType,
  parseValue,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { inParallel, send, type RawResponse } from '../requests/send.ts'
import { Sweep } from '../requests/sweep.ts'
import {
  filteredFields,
  places,
  rootFields,
  wrongLiteralsAt,
  wrongVariables,
  type WrongLiteral,
} from './graphql-values.ts'

const platform = usePlatform({ TRUST_PROXY: '127.0.0.1' })
const sweep = new Sweep()
let member: Member
let session: Record<string, string>
let schema: GraphQLSchema

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
  const requests = await Requests.of(platform, member)
  session = { Authorization: `Bearer ${requests.session}` }
  await member.rest.customObjectCreate!({ body: { name: 'site_visit', label: 'Site visit' } })
  // The first introspection of a process builds the whole answer.
  const { body } = await ask({ query: getIntrospectionQuery() }, session, 60_000)
  schema = buildClientSchema(body.data as IntrospectionQuery)
})

const ask = (
  body: unknown,
  headers: Record<string, string> = member.headers,
  withinMs?: number,
): Promise<RawResponse> =>
  send(platform.url, {
    ...(withinMs && { withinMs }),
    method: 'POST',
    path: '/v1/graphql',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

interface Outcome {
  readonly status: number
  readonly codes: readonly string[]
}

const outcome = ({ status, body }: RawResponse): Outcome => ({
  status,
  codes: ((body?.errors ?? []) as { extensions: { code: string } }[]).map(({ extensions }) => extensions.code),
})

const refused = (code: string, count = 1): Outcome => ({
  status: 400,
  codes: Array.from({ length: count }, () => code),
})
const limit = refused('GRAPHQL_LIMIT_EXCEEDED')
const accepted: Outcome = { status: 200, codes: [] }

const selected = ({ type }: GraphQLField<unknown, unknown>): string =>
  isCompositeType(getNamedType(type)) ? ' { __typename }' : ''

/** A stream has begun when its variables are read, so its first and only event has the errors. */
const firstOfStream = (text: string) => JSON.parse(/^data: (.*)$/m.exec(text)![1]!)

describe('variables of every root field', () => {
  it('are refused without execution when their types are wrong', async () => {
    const before = await platform.fingerprint()
    const found = await inParallel(rootFields(schema), async (root) => {
      const [kind, field] = root
      const problems: string[] = []
      for (const wrong of field.args) {
        const declared = field.args.filter((arg) => arg === wrong || isNonNullType(arg.type))
        const variables = declared.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(' ')
        const query = `${kind}(${variables}) { ${field.name}(${declared.map(({ name }) => `${name}: $${name}`).join(' ')})${selected(field)} }`
        for (const json of wrongVariables(root, wrong, sweep)) {
          const answer = await ask(
            `{"query":${JSON.stringify(query)},"variables":{"${wrong.name}":${json}}}`,
            kind === 'subscription' ? { ...session, Accept: 'text/event-stream' } : session,
          )
          const { status, text } = answer
          const body = kind === 'subscription' ? firstOfStream(text) : answer.body
          const paths = ((body?.errors?.[0]?.extensions?.errors ?? []) as { path: string }[]).map(({ path }) => path)
          const isNamed = paths.some((path) => path === wrong.name || path.startsWith(`${wrong.name}.`))
          // Some fields are not for owners but, for example, for a directory.
          if (status === 403 && body.errors[0].extensions.code === 'PERMISSION_DENIED') continue
          if (status !== (kind === 'subscription' ? 200 : 400) || body.data !== undefined || !isNamed)
            problems.push(`${field.name}.${wrong.name}=${json.slice(0, 40)}: ${status} ${text.slice(0, 300)}`)
        }
      }
      return problems
    })
    expect(found.flat()).toEqual([])
    expect(await platform.fingerprint()).toBe(before)
  })
})

/** A literal that cannot be parsed is tried alone, because it hides the problems of all others in its document. */
const isParsed = ({ literal }: WrongLiteral): boolean => {
  try {
    parseValue(literal)
    return true
  } catch {
    return false
  }
}

/** The way to a field, with an alias of its first field. */
const aliased = (open: string, index: number): string => (open ? `r${index}: ${open}` : '')

/** One document with all these literals, and the column at which each of them starts. */
function documentOf(literals: readonly WrongLiteral[]): { query: string; starts: number[] } {
  const starts: number[] = []
  const declared: string[] = []
  let text = ''
  for (const [index, { field, arg, write, literal, open, close }] of literals.entries()) {
    const others = field.args.filter((other) => other !== arg && isNonNullType(other.type))
    declared.push(...others.map(({ name, type }) => `$${name}${index}: ${String(type)}`))
    const given = others.map(({ name }) => `${name}: $${name}${index}`).join(' ')
    const before = `${text} ${aliased(open, index)}${open ? '' : `r${index}: `}${field.name}(${given} ${arg.name}: `
    const value = write(literal)
    starts.push(before.length + value.lastIndexOf(literal))
    text = `${before}${value})${selected(field)}${close}`
  }
  const head = `${literals[0]!.kind}${declared.length > 0 ? `(${declared.join(' ')})` : ''} {`
  return { query: `${head}${text} }`, starts: starts.map((start) => head.length + start + 1) }
}

/** A document has at most 50 problems, and a literal has up to seven others: fields of its input that are required. A subscription has one root field. */
const inOneDocument = { query: 6, mutation: 6, subscription: 1 }

describe('literals of every argument and input field', () => {
  it.each([
    ['query', 500],
    ['mutation', 500],
    ['subscription', 10],
  ] as const)(
    'of a %s are refused without execution when their types are wrong, each with its location',
    async (kind, countMin) => {
      const before = await platform.fingerprint()
      const wrong = wrongLiteralsAt(
        places(schema).filter((place) => place.kind === kind),
        sweep,
      )
      const parsed = wrong.filter(isParsed)
      const documents = [
        ...wrong.filter((one) => !isParsed(one)).map((one) => [one]),
        ...Array.from({ length: Math.ceil(parsed.length / inOneDocument[kind]) }, (_, index) =>
          parsed.slice(index * inOneDocument[kind], (index + 1) * inOneDocument[kind]),
        ),
      ]
      const found = await inParallel(documents, async (literals) => {
        const { query, starts } = documentOf(literals)
        const { status, body, text } = await ask({ query }, session)
        const { code } = body.errors[0].extensions as { code: string }
        const columns = (body.errors as { locations?: { column: number }[] }[]).flatMap(({ locations = [] }) =>
          locations.map(({ column }) => column),
        )
        const isRefused =
          status === 400 &&
          body.data === undefined &&
          ['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED'].includes(code)
        return literals.flatMap(({ name, literal }, index) => {
          const start = starts[index]!
          const isThere = columns.some((column) => column >= start && column < start + literal.length)
          return isRefused && isThere ? [] : [`${name}: ${literal.slice(0, 100)}: ${status} ${text.slice(0, 300)}`]
        })
      })
      expect(wrong.length).toBeGreaterThan(countMin)
      expect(found.flat()).toEqual([])
      expect(await platform.fingerprint()).toBe(before)
    },
  )

  it.each([
    'query($d: Float = 1e400) { accountList(filter: {healthScore: {gt: $d}}) { total } }',
    'query($d: DateTime = "foo") { accountList(filter: {createdAt: {gt: $d}}) { total } }',
    'query($d: Decimal = 1e1000) { accountList(filter: {annualRevenue: {gt: $d}}) { total } }',
    'query($d: JSON = {a: 1e1000}) { accountList(filter: {customFields: $d}) { total } }',
    'query($d: AccountFilter = {createdAt: {gt: 5}}) { accountList(filter: $d) { total } }',
    'query($a: Int) { accountList(filter: {createdAt: {gt: {a: $a}}}) { total } }',
    'query($a: Int) { accountList(filter: {customFields: {a: $a, b: 1e1000}}) { total } }',
  ])('are refused as well with variables: %s', async (query) => {
    expect(outcome(await ask({ query }))).toEqual(refused('GRAPHQL_VALIDATION_FAILED'))
  })
})

describe('filters', () => {
  it('accept every operator of every column with every valid operand', async () => {
    const found = await inParallel(filteredFields(schema, sweep), async ({ field, filter, tried }) => {
      const problems: unknown[] = []
      // Lists of custom records name their object.
      const isOfObject = field.args.some(({ name, type }) => name === 'object' && isNonNullType(type))
      const named = isOfObject ? 'object: "site_visit", ' : ''
      for (let start = 0; start < tried.length; start += 10) {
        const part = tried.slice(start, start + 10)
        const variables = part.map((_, index) => `$f${index}: ${filter.name}`).join(' ')
        const query = `query(${variables}) { ${part.map((_, index) => `r${index}: ${field.name}(${named}filter: $f${index}) { __typename }`).join(' ')} }`
        const answer = await ask(
          { query, variables: Object.fromEntries(part.map((value, index) => [`f${index}`, value])) },
          session,
        )
        if (answer.status !== 200 || answer.body.errors)
          problems.push([field.name, JSON.stringify(part).slice(0, 300), answer.text.slice(0, 300)])
      }
      return problems
    })
    expect(found.flat()).toEqual([])
  })

  it('refuse invalid ids, lists that are too long, and filters that are too deep or have too many conditions', async () => {
    const many = (count: number, entry: object = { name: { eq: 'a' } }) => ({ or: Array(count).fill(entry) })
    const deep = (levels: number): object => (levels === 0 ? { name: { eq: 'a' } } : { not: deep(levels - 1) })
    const ids = Array.from({ length: 501 }, () => '0199d1a0-0000-7000-8000-000000000000')
    const cases: [object, string, string][] = [
      [{ id: { eq: 'x' } }, 'filter.id.eq', 'NOT_AN_ID'],
      [{ parentAccountId: { in: ['x'] } }, 'filter.parentAccountId.in', 'NOT_AN_ID'],
      [{ parent: { ownerId: { ne: '' } } }, 'filter.parent.ownerId.ne', 'NOT_AN_ID'],
      [{ children: { none: { id: { eq: '1' } } } }, 'filter.children.none.id.eq', 'NOT_AN_ID'],
      [{ or: [{ id: { in: ids } }] }, 'filter.or.0.id.in', 'TOO_MANY'],
      [{ tags: { hasAny: ids } }, 'filter.tags.hasAny', 'TOO_MANY'],
      [deep(9), `filter${'.not'.repeat(9)}`, 'TOO_DEEP'],
      [many(2000), 'filter.or.100.name.eq', 'TOO_MANY'],
      [many(101, {}), 'filter.or.100', 'TOO_MANY'],
      [{ and: [many(60), many(60)] }, 'filter.and.1.or.40.name.eq', 'TOO_MANY'],
      [many(51, { name: { ne: 'a', isNull: false } }), 'filter.or.50.name.ne', 'TOO_MANY'],
      [many(101, { customFields: { a: 1 } }), 'filter.or.100.customFields', 'TOO_MANY'],
    ]
    const answers = await inParallel(cases, ([filter]) =>
      ask({ query: 'query($filter: AccountFilter) { accountList(filter: $filter) { total } }', variables: { filter } }),
    )
    const found = answers.map(
      ({ status, body }) =>
        [
          status,
          body.errors?.[0]?.extensions?.errors?.map(({ path, code }: { path: string; code: string }) => [path, code]),
        ] as unknown,
    )
    expect(found).toEqual(cases.map(([, path, code]) => [200, [[path, code]]]))
    const query = 'query($filter: AccountFilter) { accountList(filter: $filter) { total } }'
    for (const filter of [deep(8), many(100), many(45, { parent: { name: { eq: 'a' } } })])
      expect(outcome(await ask({ query, variables: { filter } }))).toEqual(accepted)
    // Each relation costs 100, so the limit of the cost is reached before the limit of 100 conditions.
    for (const relation of [{ parent: { name: { eq: 'a' } } }, { children: { some: { tags: { has: 'a' } } } }])
      expect(outcome(await ask({ query, variables: { filter: many(51, relation) } }))).toEqual(
        refused('GRAPHQL_LIMIT_EXCEEDED'),
      )
  })
})

const aValue = (type: GraphQLNamedType): string =>
  isEnumType(type) ? type.getValues()[0]!.name : '"0199d1a0-0000-7000-8000-000000000000"'

describe('sizes of lists', () => {
  const sizes = [0, -1, 1_000_000_000, -2147483648, 2147483647]
  /** A page has at most 100 records, one of a copy 1,000, one of the event log 500, and an aggregate 1,000 groups. */
  const beyond = (field: string): number => (/Aggregate$|^sync|^eventList$/.test(field) ? 1_001 : 101)
  it.each(['first', 'limit', 'page'])('%s outside its bounds is refused everywhere', async (name) => {
    const found: string[] = []
    const fields = rootFields(schema).filter(
      ([kind, field]) => kind === 'query' && field.args.some((arg) => arg.name === name),
    )
    for (const [, field] of fields) {
      const required = field.args.filter((arg) => isNonNullType(arg.type) && arg.defaultValue === undefined)
      const given = required.map(({ name: of, type }) => `${of}: ${aValue(getNamedType(type))} `).join('')
      for (const size of name === 'page' ? sizes : [...sizes, beyond(field.name)]) {
        const answer = await ask(
          {
            query: `query($size: Int!) { ${field.name}(${given}${name}: $size)${selected(field)} }`,
            variables: { size },
          },
          session,
        )
        const { codes } = outcome(answer)
        const isRefused = codes.length === 1 && ['VALIDATION_FAILED', 'GRAPHQL_LIMIT_EXCEEDED'].includes(codes[0]!)
        if (!isRefused && codes[0] !== 'NOT_FOUND')
          found.push(`${field.name}(${name}: ${size}): ${answer.text.slice(0, 200)}`)
      }
    }
    expect(fields.length).toBeGreaterThan(0)
    expect(found).toEqual([])
  })
})

const repeated = (text: (index: number) => string, count: number): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(' ')
/** `{ accountList { data { parent { … { id } } } } }` with this many levels. */
const levels = (depth: number): string =>
  `{ accountList(limit: 1) { data ${'{ parent '.repeat(depth - 3)}{ id }${' }'.repeat(depth - 3)} } }`
const ofTokens = (tokens: number): string => {
  const [terms, rest] = [Math.floor((tokens - 15) / 5), (tokens - 15) % 5]
  return `{ accountList(limit: 1 orderBy: [${repeated(() => '{field: name}', terms)}]) { ${'page '.repeat(rest + 1)}} }`
}
const nestedList = (limitOfProducts: number): string =>
  `{ accountConnection(first: 100) { nodes { children(first: 97) { nodes { id } } } } productList(limit: ${limitOfProducts}) { data { id } } }`
const ofFields = (more: string): string =>
  `{ ${repeated((index) => `r${index}: accountStats { ...F }`, 10)} ${more} } fragment F on AccountStats { ${'total '.repeat(199)} }`

describe('limits of a document', () => {
  it.each([
    ['2000 tokens', ofTokens(2000), accepted],
    ['2001 tokens', ofTokens(2001), limit],
    ['depth 12', levels(12), accepted],
    ['depth 13', levels(13), limit],
    ['30 aliases', `{ accountList { ${repeated((index) => `a${index}: page`, 30)} } }`, accepted],
    ['31 aliases', `{ accountList { ${repeated((index) => `a${index}: page`, 31)} } }`, limit],
    ['20 root fields', `{ ${repeated((index) => `a${index}: __typename`, 20)} }`, accepted],
    ['21 root fields', `{ ${repeated((index) => `a${index}: __typename`, 21)} }`, limit],
    [
      '21 root fields in fragments',
      `{ ${repeated(() => '...F', 1)} } fragment F on Query { ${repeated((index) => `a${index}: __typename`, 21)} }`,
      limit,
    ],
    ['30 directives', `{ accountList { ${repeated(() => 'page @include(if: true)', 30)} } }`, accepted],
    ['31 directives', `{ accountList { ${repeated(() => 'page @include(if: true)', 31)} } }`, limit],
    ['2000 fields', ofFields(''), accepted],
    ['2001 fields', ofFields('__typename'), limit],
    ['a cost of 10000', nestedList(98), accepted],
    ['a cost of 10001', nestedList(99), limit],
    ['a cost in billions', '{ accountConnection(first: 2147483647) { nodes { id } } }', limit],
    [
      'lists in lists in lists',
      `{ accountConnection(first: 100) { nodes { children(first: 100) { nodes { children(first: 100) { nodes { id } } } } } } }`,
      limit,
    ],
    [
      'a thousand fragments that spread one another',
      `{ ...F0 } ${repeated((index) => `fragment F${index} on Query { ...F${index + 1} ...F${index + 1} }`, 100)} fragment F100 on Query { __typename }`,
      limit,
    ],
  ])('%s', async (_, query, expected) => {
    expect(outcome(await ask({ query }))).toEqual(expected)
  })
})

describe('documents', () => {
  const parse = refused('GRAPHQL_PARSE_FAILED')
  const validation = refused('GRAPHQL_VALIDATION_FAILED')
  it.each<[string, unknown, Outcome]>([
    ['nothing but braces', '{'.repeat(1999), parse],
    ['endless braces', '{'.repeat(500_000), limit],
    ['endless names', `{ ${'a '.repeat(400_000)} }`, limit],
    ['a long name where none may be', `{ } ${'a'.repeat(90_000)}`, parse],
    ['long comments', `#${'x'.repeat(90_000)}\n{ __typename }`, accepted],
    ['endless comments', `#${'x'.repeat(900_000)}\n{ __typename }`, limit],
    ['long blanks', `${' '.repeat(90_000)}{ __typename }`, accepted],
    ['endless blanks', `${' '.repeat(900_000)}{ __typename }`, limit],
    ['a long name', `{ ${'a'.repeat(90_000)} }`, limit],
    ['NUL', '{ __typename \0 }', parse],
    ['NUL in text', '{ accountList(search: "\0") { total } }', validation],
    ['half a surrogate pair', '{ accountList(search: "\ud800") { total } }', parse],
    ['an escape of NUL', String.raw`{ account(id: "\u0000") { id } }`, validation],
    ['an escape of half a surrogate pair', String.raw`{ accountList(search: "\ud800") { total } }`, parse],
    ['no operation', 'fragment F on Query { __typename }', refused('GRAPHQL_VALIDATION_FAILED')],
    ['a type', 'type Query { a: Int }', validation],
    [
      'a cycle of fragments',
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      refused('GRAPHQL_VALIDATION_FAILED'),
    ],
    ['a query as a subscription', 'subscription { accountList { total } }', validation],
    [
      'a subscription',
      'subscription { recordChanged(object: ACCOUNT, id: "1") { type } }',
      refused('OPERATION_RESOLUTION_FAILURE'),
    ],
    ['__proto__', '{ __proto__ }', validation],
    ['constructor', '{ constructor { name } }', validation],
    ['an unknown directive', '{ __typename @nosuch }', validation],
    ['@defer', '{ ... @defer { __typename } }', validation],
    ['_entities', '{ _entities(representations: []) { __typename } }', validation],
    ['_service', '{ _service { sdl } }', validation],
    [
      'inherited names',
      'query ($toString: Int, $constructor: Int) { accountList(limit: $toString, page: $constructor) { toString: limit } }',
      accepted,
    ],
    ['an undefined variable', 'query { accountList(search: $x) { total } }', validation],
    ['a number beyond Int', '{ accountList(page: 99999999999999999999) { total } }', validation],
    ['an operand of another type', '{ accountList(filter: {name: {eq: 1}}) { total } }', validation],
  ])('%s', async (_, query, expected) => {
    const answer = await ask({ query })
    const { status, codes } = outcome(answer)
    expect({ status, codes: [...new Set(codes)] }).toEqual({
      status: expected.status,
      codes: [...new Set(expected.codes)],
    })
    expect(answer.text.length).toBeLessThan(20_000)
  })

  it.each([
    ['{ accountLst { total } }', 'query'],
    ['{ accountList { totl } }', 'field'],
    ['{ accountList(serch: "a") { total } }', 'argument'],
    ['{ accountList(filter: {nam: {eq: "a"}}) { total } }', 'input field'],
    ['query($a: AcountFilter) { accountList(filter: $a) { total } }', 'type'],
    ['{ accountList(orderBy: [{field: nam}]) { total } }', 'enum value'],
    ['{ accountList { ... on Acount { id } } }', 'fragment type'],
    ['{ __typename @includ(if: true) }', 'directive'],
  ])('reveal nothing of the schema without a credential: %s', async (query) => {
    const { status, text } = await ask({ query }, {})
    expect([status, /did you mean|suggest/i.test(text)]).toEqual([400, false])
  })

  it('of introspection need a credential', async () => {
    const queries = [
      '{ __schema { types { name } } }',
      '{ __type(name: "Account") { name } }',
      '{ a: __schema { queryType { name } } }',
      '{ ...F } fragment F on Query { __schema { queryType { name } } }',
    ]
    expect((await inParallel(queries, (query) => ask({ query }, {}))).map(outcome)).toEqual(
      queries.map(() => refused('INTROSPECTION_DISABLED')),
    )
    expect((await inParallel(queries, (query) => ask({ query }))).map(outcome)).toEqual(queries.map(() => accepted))
  })

  it('are refused with a short message, however long a name is', async () => {
    const name = 'a'.repeat(400_000)
    const bodies = [
      { query: '{ __typename }', operationName: name },
      { query: `{ __typename @${name} }` },
      { query: `query($${name}: Int!) { accountList(page: $${name}) { total } }` },
      { query: `query($a: ${name}) { accountList(page: $a) { total } }` },
      { query: 'query($a: AccountType!) { accountList(filter: {type: {eq: $a}}) { total } }', variables: { a: name } },
      { query: 'query($a: AccountFilter) { accountList(filter: $a) { total } }', variables: { a: { [name]: 1 } } },
    ]
    const answers = await inParallel(bodies, (body) => ask(body))
    expect(answers.map(({ status, text }) => [status, text.length < 2000])).toEqual(bodies.map(() => [400, true]))
  })

  it('are accepted only one per request', async () => {
    const batches = ['[]', '[{"query":"{ __typename }"}]', '[{"query":"{ __typename }"},{"query":"{ __typename }"}]']
    expect((await inParallel(batches, (body) => ask(body))).map(outcome)).toEqual(
      batches.map(() => refused('VALIDATION_FAILED')),
    )
  })
})
