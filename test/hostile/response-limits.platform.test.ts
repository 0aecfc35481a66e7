import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectionLimits } from '../../gateway/http/connections.ts'
import { answerBytesMax, rowBytesMax } from '../../subgraphs/kernel/json/answer-size.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()

/** A member of a new organization with `count` accounts that have `characters` characters of metadata each. */
async function accounts(count: number, character: string, characters: number): Promise<Member> {
  const member = await platform.member({ organizationId: await platform.organization(), role: 'ADMIN' })
  const parent = await account(member)
  for (let made = 1; made < count; made++) await account(member, { parentAccountId: parent.id })
  await platform.query('update crm.account set metadata = to_jsonb(repeat($2, $3)) where organization_id = $1', [
    member.organizationId,
    character,
    characters,
  ])
  return member
}

const codesOf = (body: unknown): unknown[] =>
  ((body as { errors?: { extensions: { code: string } }[] }).errors ?? []).map(({ extensions }) => extensions.code)

const tooManyRows = `The rows that an operation reads must have at most ${rowBytesMax} bytes. Request fewer records or fields.`
const tooLarge = `The answer must have at most ${answerBytesMax} bytes. Request fewer records or fields.`

describe('a response that would be too large', () => {
  let large: Member
  /** A tenth of a megabyte each; all together fit into one response. */
  let small: Member
  beforeAll(async () => {
    large = await accounts(20, 'x', 900_000)
    small = await accounts(30, 'x', 100_000)
  })

  it('is refused while its rows are read', async () => {
    const graphql = await large.graphql('{ accountList(limit: 100) { data { metadata } } }')
    expect([graphql.status, codesOf(graphql.body)]).toEqual([200, ['ANSWER_TOO_LARGE']])
    expect(graphql.body).toMatchObject({ data: null, errors: [{ message: tooManyRows }] })
    const rest = await large.rest.accountList!({ query: { limit: 100 } })
    expect(rest).toMatchObject({ status: 400, body: { code: 'ANSWER_TOO_LARGE', detail: tooManyRows } })
    const part = await large.rest.accountList!({ query: { limit: 4 } })
    expect([part.status, part.body.data.length]).toEqual([200, 4])
  })

  it('is refused when several statements together read too much', async () => {
    const query = `{ ${Array.from({ length: 4 }, (_, index) => `a${index}: accountList(page: ${index + 1}, limit: 5) { data { metadata } }`).join(' ')} }`
    const { status, body } = await large.graphql(query)
    expect([status, new Set(codesOf(body))]).toEqual([200, new Set(['ANSWER_TOO_LARGE'])])
  })

  it('is refused before it is built when it repeats one record', async () => {
    const aliases = Array.from({ length: 4 }, (_, index) => `p${index}: parent { metadata }`).join(' ')
    const query = `{ accountList(limit: 100) { data { ${aliases} } } }`
    const before = process.memoryUsage().rss
    const answers = await Promise.all([large.graphql(query), small.graphql(query), large.graphql(query)])
    expect(answers.map(({ status, body }) => [status, body.errors[0].message])).toEqual(
      Array.from({ length: 3 }, () => [400, tooLarge]),
    )
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000)
  })

  it('is refused when each character is escaped to six bytes', async () => {
    const member = await accounts(8, '\u0001', 100_000)
    const refused = await member.rest.accountList!({ query: { limit: 8 } })
    expect(refused).toMatchObject({ status: 400, body: { code: 'ANSWER_TOO_LARGE', detail: tooLarge } })
    const part = await member.rest.accountList!({ query: { limit: 6 } })
    expect([part.status, part.body.data[5].metadata]).toEqual([200, '\u0001'.repeat(100_000)])
  })

  it('rolls back a mutation with an Idempotency-Key, and reports that a mutation without a key was executed', async () => {
    const child = (await small.rest.accountList!({ query: { limit: 1 } })).body.data[0].id
    const mutation = `mutation { accountUpdate(id: "${child}", input: {name: "Renamed"}) {
      parent { children(first: 100) { nodes { a: parent { metadata } b: parent { metadata } c: parent { metadata } } } } } }`
    await platform.services.vault.load(small.organizationId)
    const before = await platform.fingerprint(small.organizationId)
    const withKey = await small.graphql(mutation, {}, { 'idempotency-key': 'too-large' })
    expect([withKey.status, codesOf(withKey.body)]).toEqual([200, ['ANSWER_TOO_LARGE']])
    expect(await platform.fingerprint(small.organizationId)).toBe(before)
    const done = await small.graphql(mutation)
    expect([done.status, done.body.errors[0].message]).toEqual([
      400,
      `The mutation has been executed, but its answer must have at most ${answerBytesMax} bytes. Read the changed records with fewer fields.`,
    ])
    expect((await small.rest.account!({ id: child })).body.name).toBe('Renamed')
  })
})

/** Opens a connection from another address of this machine. */
async function connected(localAddress: string): Promise<Socket> {
  const { hostname, port } = new URL(platform.url)
  const socket = connect({ host: hostname, port: Number(port), localAddress }).on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

describe('connections', () => {
  it('of one address are limited; one more is refused with a reason, and other addresses can connect', async () => {
    for (let count = 0; count < connectionLimits.perAddress; count++) await connected('127.0.0.2')
    const over = await connected('127.0.0.2')
    over.write('GET /v1/accounts HTTP/1.1\r\nHost: x\r\n\r\n')
    const answer = await text(over)
    expect(answer).toMatch(/^HTTP\/1.1 429 /)
    expect(answer).toMatch(/\r\nRetry-After: 5\r\n/)
    expect(answer).toContain('"code":"CONNECTION_LIMIT_REACHED","detail":"Too many connections are open;')
    expect((await fetch(`${platform.url}/health/live`)).status).toBe(200)
  })
})

/** Sends a request three times and never reads a response. The network buffers hold one at most, so the others stay in the server. */
async function socketThatDoesNotRead(member: Member, query: string): Promise<Socket> {
  const socket = (await connected('127.0.0.1')).pause()
  const body = JSON.stringify({ query })
  const request = `POST /graphql HTTP/1.1\r\nHost: x\r\nX-API-Key: ${member.secret}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  socket.write(request.repeat(3))
  return socket
}

describe('clients that do not read', () => {
  it('use at most the share of their organization, and do not affect other organizations', async () => {
    const memberWithLargeRecords = await accounts(4, 'x', 900_000)
    const other = await accounts(3, 'x', 900_000)
    const query = '{ accountList(limit: 100) { data { metadata } } }'
    const before = process.memoryUsage().rss
    for (let client = 0; client < 12; client++) await socketThatDoesNotRead(memberWithLargeRecords, query)
    // A slow machine may close the first connections before it has answered the last, so the test opens more.
    const asked = async () => {
      await socketThatDoesNotRead(memberWithLargeRecords, query)
      const { status, body, headers } = await memberWithLargeRecords.rest.accountList!({ query: { limit: 4 } })
      return [status, body.code, headers.get('retry-after')]
    }
    await expect.poll(asked, { timeout: 90_000 }).toEqual([429, 'UNREAD_LIMIT_REACHED', '5'])
    expect((await memberWithLargeRecords.rest.accountList!({ query: { limit: 1 } })).status).toBe(200)
    expect((await other.graphql(query)).body.data.accountList.data).toHaveLength(3)
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
  })
})
