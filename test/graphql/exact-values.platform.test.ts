import { beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member

beforeAll(async () => {
  member = await platform.member({ role: 'OWNER' })
})

interface Outcome {
  readonly status: number
  /** Unparsed text of the response, because JSON.parse would convert numbers to doubles. */
  readonly text: string
}

async function send(method: string, path: string, body?: string, headers: object = {}): Promise<Outcome> {
  const response = await fetch(platform.url + path, {
    method,
    headers: { ...member.headers, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  })
  return { status: response.status, text: await response.text() }
}

const ask = (query: string, variables = '{}', headers: object = {}) =>
  send('POST', '/v1/graphql', `{"query":${JSON.stringify(query)},"variables":${variables}}`, headers)

const idIn = ({ text }: Outcome): string => /"id":"([0-9a-f-]{36})"/.exec(text)![1]!
const errorsOf = ({ status, text }: Outcome): unknown => {
  const body = JSON.parse(text) as { errors: { path: string; code: string; extensions?: { errors?: never } }[] }
  const problems = (body.errors[0]?.extensions?.errors ?? body.errors) as { path: string; code: string }[]
  return [status, problems.map(({ path, code }) => `${path} ${code}`)]
}

const number = '12345678901234567890'
const amount = '12345678901234.565'
const long = `1${'0'.repeat(400)}`
/** The value with keys in the order of jsonb. */
const metadata = `{"list": [0.1, -9007199254740993, true], "long": ${long}, "amount": ${amount}, "number": ${number}}`
const literal = `{list: [0.1000, -9007199254740993, true], long: 1e400, amount: ${amount}, number: ${number}}`
const sent = `{"list":[0.1000,-9007199254740993,true],"long":1e400,"amount":${amount},"number":${number}}`
const create = 'mutation($input: AccountCreateInput!) { accountCreate(input: $input) { id metadata annualRevenue } }'

/** Sends a message on a WebSocket and returns the response as text. */
async function overSocket(query: string, variables: string): Promise<Outcome> {
  const socket = new WebSocket(`${platform.url.replace('http', 'ws')}/v1/graphql`, 'graphql-transport-ws', {
    headers: member.headers,
  })
  const texts: string[] = []
  const done = Promise.withResolvers<string>()
  socket.on('message', (message: Buffer) => {
    texts.push(message.toString())
    const { type } = JSON.parse(message.toString()) as { type: string }
    if (type === 'connection_ack')
      socket.send(`{"id":"1","type":"subscribe","payload":{"query":${JSON.stringify(query)},"variables":${variables}}}`)
    else done.resolve(message.toString())
  })
  socket.on('open', () => socket.send('{"type":"connection_init"}'))
  socket.on('close', (code) => done.reject(new Error(`closed with ${code}`)))
  const text = await done.promise
  socket.terminate()
  return { status: 200, text }
}

describe('numbers beyond double precision', () => {
  it.each<[string, () => Promise<Outcome>]>([
    ['a REST body', () => send('POST', '/v1/accounts', `{"name":"A","annualRevenue":${amount},"metadata":${sent}}`)],
    [
      'text in a REST body',
      () => send('POST', '/v1/accounts', `{"name":"A","annualRevenue":"${amount}","metadata":${sent}}`),
    ],
    ['a variable', () => ask(create, `{"input":{"name":"A","annualRevenue":${amount},"metadata":${sent}}}`)],
    ['a text variable', () => ask(create, `{"input":{"name":"A","annualRevenue":"${amount}","metadata":${sent}}}`)],
    [
      'a literal',
      () =>
        ask(
          `mutation { accountCreate(input: {name: "A", annualRevenue: ${amount}, metadata: ${literal}}) { id metadata annualRevenue } }`,
        ),
    ],
    [
      'a text literal',
      () =>
        ask(
          `mutation { accountCreate(input: {name: "A", annualRevenue: "${amount}", metadata: ${literal}}) { id metadata annualRevenue } }`,
        ),
    ],
    [
      'literals that contain variables',
      () =>
        ask(
          `mutation($r: Decimal, $n: JSON) { accountCreate(input: {name: "A", annualRevenue: $r, metadata: {list: [0.1, -9007199254740993, true], long: 1e400, amount: ${amount}, number: $n}}) { id metadata annualRevenue } }`,
          `{"r":${amount},"n":${number}}`,
        ),
    ],
    [
      'defaults of variables',
      () =>
        ask(
          `mutation($r: Decimal = ${amount}, $m: JSON = ${literal}) { accountCreate(input: {name: "A", annualRevenue: $r, metadata: $m}) { id metadata annualRevenue } }`,
        ),
    ],
    [
      'a message on a WebSocket',
      () => overSocket(create, `{"input":{"name":"A","annualRevenue":${amount},"metadata":${sent}}}`),
    ],
    [
      'a document for two subgraphs',
      () =>
        ask(
          `mutation { accountCreate(input: {name: "A", annualRevenue: ${amount}, metadata: ${literal}}) { id metadata annualRevenue cases(first: 1) { totalCount } } }`,
        ),
    ],
  ])('are returned unchanged after %s, in REST, in GraphQL and in events', async (_, creating) => {
    const created = await creating()
    const id = idIn(created)
    const [row] = await platform.query<{ metadata: string; revenue: string; event: string; eventRevenue: string }>(
      `select a.metadata::text, a.annual_revenue::text as revenue, e.data #>> '{record,metadata}' as event, e.data #>> '{record,annualRevenue}' as "eventRevenue"
       from crm.account a join kernel.event e on e.record_id = a.id where a.id = $1`,
      [id],
    )
    // jsonb keeps the digits of a number as written (0.1000 keeps its zeros), except exponents.
    const zeros = (text: string) => text.replace('0.1000', '0.1')
    expect([zeros(row!.metadata), row!.revenue]).toEqual([metadata, amount])
    expect([zeros(row!.event), row!.eventRevenue]).toEqual([metadata, amount])

    const answers = [
      created,
      await send('GET', `/v1/accounts/${id}`),
      await ask(
        'query($id: ID!) { account(id: $id) { metadata annualRevenue cases(first: 1) { totalCount } } }',
        `{"id":"${id}"}`,
      ),
    ]
    for (const { text } of answers) {
      expect(text).toContain(`"metadata":${metadata.replaceAll(/([:,]) /g, '$1')}`)
      expect(text).toContain(`"annualRevenue":${amount}`)
    }
    // Writing the same value changes nothing.
    const again = await send('PATCH', `/v1/accounts/${id}`, `{"annualRevenue":${amount}0,"metadata":${sent}}`)
    expect([again.status, again.text.includes('"version":1')]).toEqual([200, true])
    expect(await platform.eventTypesOf(id)).toEqual(['account.created'])
  })

  it('are replayed with all digits', async () => {
    const headers = { 'idempotency-key': newId() }
    const body = `{"name":"A","annualRevenue":${amount},"metadata":${sent},"customFields":{"serial":${number}}}`
    const first = await send('POST', '/v1/accounts', body, headers)
    const replay = await send('POST', '/v1/accounts', body, headers)
    expect([replay.status, replay.text]).toEqual([201, first.text])
    expect(first.text).toContain(`"customFields":{"serial":${number}}`)
  })

  it('count as changed when only the last digit differs', async () => {
    const { id } = await account(member, { metadata: JSON.rawJSON(number), annualRevenue: JSON.rawJSON(amount) })
    await send('PATCH', `/v1/accounts/${id}`, `{"metadata":12345678901234567891}`)
    const changed = await send('PATCH', `/v1/accounts/${id}`, `{"annualRevenue":12345678901234.566}`)
    expect(changed.text).toContain('"version":3')
    expect(changed.text).toContain('"metadata":12345678901234567891')
    expect((await platform.eventsOf(id)).map(({ data }) => (data as { changedFields: unknown }).changedFields)).toEqual(
      [null, ['metadata'], ['annualRevenue']],
    )
  })

  it('are not confused with an object that has the same internal form', async () => {
    const { id } = await account(member, { metadata: { rawJSON: number } })
    const changed = await send('PATCH', `/v1/accounts/${id}`, `{"metadata":${number}}`)
    expect(changed.text).toContain(`"metadata":${number}`)
    expect(changed.text).toContain('"version":2')
  })

  it('are refused as custom fields, as variables and as body', async () => {
    for (const body of [`{"name":"A","customFields":${number}}`, number]) {
      const [status, problems] = errorsOf(
        await unchanged(platform, () => send('POST', '/v1/accounts', body)),
      ) as never[]
      expect([status, problems]).toEqual([400, [body === number ? ' WRONG_TYPE' : 'customFields WRONG_TYPE']])
    }
    const input = `{"input":{"name":"A","customFields":${number}}}`
    expect(errorsOf(await unchanged(platform, () => ask(create, input)))).toEqual([200, ['customFields WRONG_TYPE']])
    expect(errorsOf(await ask('{ __typename }', number))).toEqual([400, ['variables WRONG_TYPE']])
  })

  it('are doubles where the type is Float, and refused where they do not fit', async () => {
    const health = 'mutation($h: Float) { accountCreate(input: {name: "A", healthScore: $h}) { healthScore } }'
    expect((await ask(health, '{"h":12.345678901234567890}')).text).toContain('"healthScore":12.345678901234567')
    expect(errorsOf(await ask(health, '{"h":1e400}'))).toEqual([400, ['h INVALID_VALUE']])
  })
})

describe('amounts that differ in a digit beyond double precision', () => {
  const amounts = ['98765432109876.1234', '98765432109876.1235', '98765432109876.1236']
  let other: Member

  beforeAll(async () => {
    other = member
    member = await platform.member({ organizationId: await platform.organization('Exact') })
    for (const value of amounts) await account(member, { name: value, annualRevenue: JSON.rawJSON(value) })
    await account(member, { name: 'none' })
    return () => void (member = other)
  })

  const list =
    'query($f: AccountFilter) { accountList(filter: $f, orderBy: {field: annualRevenue}) { total data { name } } }'
  const namesIn = ({ text }: Outcome): string[] => Array.from(text.matchAll(/"name":"([^"]+)"/g), ([, name]) => name!)

  it.each([
    ['{"eq":98765432109876.1235}', ['98765432109876.1235']],
    ['{"eq":"98765432109876.1235"}', ['98765432109876.1235']],
    ['{"in":[98765432109876.1234,"98765432109876.12360"]}', ['98765432109876.1236', '98765432109876.1234']],
    ['{"gt":98765432109876.1234}', ['98765432109876.1236', '98765432109876.1235']],
    ['{"lte":98765432109876.12345}', ['98765432109876.1234']],
    ['{"ne":98765432109876.1236,"isNull":false}', ['98765432109876.1235', '98765432109876.1234']],
    ['{"lt":1e400,"gt":-1e400}', amounts.toReversed()],
  ])('are filtered exactly: %s', async (operators, found) => {
    expect(namesIn(await ask(list, `{"f":{"annualRevenue":${operators}}}`))).toEqual(found)
    const written = operators.replaceAll(/"(\w+)":/g, '$1: ')
    const literal = `{ accountList(filter: {annualRevenue: ${written}}, orderBy: {field: annualRevenue}) { total data { name } } }`
    expect(namesIn(await ask(literal))).toEqual(found)
    const search = new URLSearchParams({ query: list, variables: `{"f":{"annualRevenue":${operators}}}` })
    expect(
      namesIn(await send('GET', `/v1/graphql?${search}`, undefined, { 'apollo-require-preflight': 'yes' })),
    ).toEqual(found)
  })

  it('are paged without repeating or losing a row', async () => {
    const found: string[] = []
    let cursor = ''
    do {
      const page = await send(
        'GET',
        `/v1/accounts?sortBy=annualRevenue&sortOrder=asc&limit=1${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...namesIn(page))
      cursor = (JSON.parse(page.text) as { nextCursor: string | null }).nextCursor ?? ''
    } while (cursor && found.length < 10)
    expect(found).toEqual([...amounts, 'none'])
  })

  it('are summed exactly', async () => {
    expect((await send('GET', '/v1/accounts/stats')).text).toContain('"totalAnnualRevenue":296296296329628.3705')
    expect((await ask('{ accountStats { totalAnnualRevenue } }')).text).toContain(':296296296329628.3705')
  })

  it('are found in custom fields', async () => {
    const { id } = await account(member, { name: 'Serial', customFields: { serial: JSON.rawJSON(number) } })
    for (const [value, names] of [
      [number, ['Serial']],
      ['12345678901234567891', []],
    ] as const) {
      const query = new URLSearchParams({ customFields: `{"serial":${value}}` })
      expect(namesIn(await send('GET', `/v1/accounts?${query}`))).toEqual(names)
      expect(namesIn(await ask(list, `{"f":{"customFields":{"serial":${value}}}}`))).toEqual(names)
      expect(
        namesIn(await ask(`{ accountList(filter: {customFields: {serial: ${value}}}) { data { name } } }`)),
      ).toEqual(names)
    }
    await member.rest.accountDelete!({ id })
  })
})

describe('a number that does not fit', () => {
  it.each([
    ['annualRevenue', '1000000000000000.001', 'OUT_OF_RANGE'],
    ['annualRevenue', '-1000000000000000.0000000001', 'OUT_OF_RANGE'],
    ['annualRevenue', '"1e300"', 'OUT_OF_RANGE'],
    ['annualRevenue', '0.123456789012345678901', 'TOO_PRECISE'],
    ['annualRevenue', '1e-400', 'TOO_PRECISE'],
    ['numberOfEmployees', '2147483648', 'OUT_OF_RANGE'],
    ['numberOfEmployees', '12345678901234567890', 'OUT_OF_RANGE'],
    ['annualRevenue', '1e1000', 'OUT_OF_RANGE'],
    ['annualRevenue', '"NaN"', 'WRONG_FORMAT'],
    ['annualRevenue', '"Infinity"', 'WRONG_FORMAT'],
    ['metadata', '{"a":1e1000}', 'NOT_JSON'],
  ])('is refused with its path: %s %s', async (name, value, code) => {
    const rest = await unchanged(platform, () => send('POST', '/v1/accounts', `{"name":"A","${name}":${value}}`))
    const graph = await unchanged(platform, () => ask(create, `{"input":{"name":"A","${name}":${value}}}`))
    const [status, problems] = errorsOf(rest) as [number, string[]]
    expect(status).toBe(400)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(name === 'metadata' ? /metadata (NOT_JSON|INVALID_VALUE)/ : `${name} ${code}`)
    const [, outcome] = errorsOf(graph) as [number, string[]]
    expect(outcome).toHaveLength(1)
    expect(outcome[0]).toMatch(new RegExp(`^(input\\.)?${name} (${code}|INVALID_VALUE)$`))
  })

  it.each([
    ['numberOfEmployees', '{"gt":2147483648}', 'f.numberOfEmployees.gt INVALID_VALUE'],
    ['numberOfEmployees', '{"in":[1,12345678901234567890]}', 'f.numberOfEmployees.in.1 INVALID_VALUE'],
    ['numberOfEmployees', '{"eq":1e400}', 'f.numberOfEmployees.eq INVALID_VALUE'],
    ['annualRevenue', '{"eq":"NaN"}', 'f.annualRevenue.eq INVALID_VALUE'],
    ['annualRevenue', '{"eq":1e1000}', 'f.annualRevenue.eq INVALID_VALUE'],
    ['healthScore', '{"lt":1e400}', 'f.healthScore.lt INVALID_VALUE'],
  ])('is refused in a filter: %s %s', async (name, operators, problem) => {
    const query = 'query($f: AccountFilter) { accountList(filter: $f) { total } }'
    expect(errorsOf(await ask(query, `{"f":{"${name}":${operators}}}`))).toEqual([400, [problem]])
    const literal = await ask(
      `{ accountList(filter: {${name}: ${operators.replaceAll(/"(\w+)":/g, '$1: ')}}) { total } }`,
    )
    expect(literal.text).toContain('GRAPHQL_VALIDATION_FAILED')
  })

  it('is refused as expectedVersion', async () => {
    const { id } = await account(member)
    const update =
      'mutation($id: ID!, $v: Int) { accountUpdate(id: $id, input: {name: "B"}, expectedVersion: $v) { id } }'
    const refused = await unchanged(platform, () => ask(update, `{"id":"${id}","v":4294967297}`))
    expect(errorsOf(refused)).toEqual([400, ['v INVALID_VALUE']])
  })

  it('is refused if its digits would fill a response', async () => {
    const numbers = Array.from({ length: 800 }, () => '1e400').join()
    const refused = await unchanged(platform, () =>
      send('POST', '/v1/accounts', `{"name":"A","metadata":[${numbers}]}`),
    )
    expect(refused.status).toBe(400)
  })
})
