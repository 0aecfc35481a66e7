import { beforeAll, describe, expect, it } from 'vitest'
import { createApiKey, updateUser } from '../../subgraphs/identity/public.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, anAccount, aProduct, product, supportCase } from '../builders.ts'
import { refused, unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { answerOf, restClient, type Answer } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
let keys = 0

beforeAll(async () => {
  member = await platform.member()
})

const aKey = () => ({ 'Idempotency-Key': `key-${++keys}` })
const hours24 = 24 * 3_600_000
const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed')
const created = (name: string) => platform.query('select id from crm.account where name = $1', [name])

describe('an Idempotency-Key', () => {
  it('makes the second of two equal requests a replay of the first', async () => {
    const call = { body: anAccount({ name: 'Once' }), headers: aKey() }
    const first = await member.rest.accountCreate!(call)
    platform.advanceClock(1000)
    const second = await unchanged(platform, () => member.rest.accountCreate!(call))

    expect([first.status, isReplay(first), second.status, isReplay(second)]).toEqual([201, null, 201, 'true'])
    expect(second.body).toEqual(first.body)
    for (const header of ['etag', 'location', 'api-version', 'content-type'])
      expect([header, second.headers.get(header)]).toEqual([header, first.headers.get(header)])
    const left = ({ headers }: Answer) => Number(headers.get('ratelimit-remaining'))
    expect(left(first) - left(second)).toBe(1)
    expect(await platform.eventTypesOf(first.body.id)).toEqual(['account.created'])
    expect((await created('Once')).length).toBe(1)
  })

  it('replays changes, verbs, comments and bulk changes as well', async () => {
    const { id: accountId } = await account(member)
    const { id: caseId } = await supportCase(member)
    const { id: productId } = await product(member)
    const calls: ((headers: Record<string, string>) => Promise<Answer>)[] = [
      (headers) => member.rest.accountUpdate!({ id: accountId, body: { name: 'Changed' }, headers }),
      (headers) => member.rest.caseSetStatus!({ id: caseId, body: { status: 'ESCALATED' }, headers }),
      (headers) => member.rest.caseAssign!({ id: caseId, body: { assignedToId: member.userId }, headers }),
      (headers) => member.rest.caseCommentCreate!({ id: caseId, body: { body: 'Hello' }, headers }),
      (headers) => member.rest.caseSummarize!({ id: caseId, headers }),
      (headers) => member.rest.productBulkUpdate!({ body: { items: [{ id: productId, name: 'Changed' }] }, headers }),
      (headers) => member.rest.productBulkDelete!({ body: { ids: [productId] }, headers }),
      (headers) => member.rest.productRestore!({ id: productId, headers }),
    ]
    for (const call of calls) {
      const headers = aKey()
      const first = await call(headers)
      platform.advanceClock(1000)
      const second = await unchanged(platform, () => call(headers))
      expect([second.status, second.body, isReplay(second)]).toEqual([first.status, first.body, 'true'])
      expect(first.status < 300).toBe(true)
    }
  })

  it('replays the first response, although the record has changed since', async () => {
    const { id } = await account(member)
    const call = { id, body: { name: 'Then' }, headers: aKey() }
    const first = await member.rest.accountUpdate!(call)
    await member.rest.accountDelete!({ id })
    expect((await member.rest.accountUpdate!(call)).body).toEqual(first.body)
    expect((await member.rest.account!({ id })).status).toBe(404)
  })

  it('is refused with 409 for another body, another path and another method', async () => {
    const { id } = await account(member)
    const headers = aKey()
    const body = '{"name":"Original"}'
    expect((await member.rest.accountUpdate!({ id, body, headers })).status).toBe(200)
    const other = await account(member)
    for (const call of [
      () => member.rest.accountUpdate!({ id, body: '{"name":"Other"}', headers }),
      () => member.rest.accountUpdate!({ id, body: '{"name": "Original"}', headers }),
      () => member.rest.accountUpdate!({ id: other.id, body, headers }),
      () => member.rest.accountCreate!({ body, headers }),
    ]) {
      expect(await refused(platform, call)).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    }
  })

  it('belongs to one credential', async () => {
    const headers = aKey()
    const body = anAccount({ name: 'Per credential' })
    const second = await createApiKey(platform.services, member.organizationId, {
      ownerId: member.userId,
      name: 'second',
      scopes: ['*'],
    })
    const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    for (const rest of [
      member.rest,
      restClient(platform.contract, platform.url, { 'X-API-Key': second.secret }),
      stranger.rest,
    ]) {
      const answer = await rest.accountCreate!({ body, headers })
      expect([answer.status, isReplay(answer)]).toEqual([201, null])
    }
    expect((await created('Per credential')).length).toBe(3)
  })

  it('expires after 24 hours, and not before', async () => {
    const call = { body: anAccount({ name: 'Daily' }), headers: aKey() }
    const first = await member.rest.accountCreate!(call)
    platform.advanceClock(hours24 - 1)
    expect((await member.rest.accountCreate!(call)).body.id).toBe(first.body.id)
    platform.advanceClock(1)
    const next = await member.rest.accountCreate!(call)
    expect([next.status, isReplay(next), next.body.id === first.body.id]).toEqual([201, null, false])
    platform.advanceClock(hours24 - 1)
    expect((await member.rest.accountCreate!(call)).body.id).toBe(next.body.id)
    expect((await member.rest.accountCreate!({ ...call, body: anAccount() })).status).toBe(409)
  })

  it('replays refusals of business rules', async () => {
    const taken = await product(member)
    const clash = { body: aProduct({ sku: taken.sku }), headers: aKey() }
    const missing = { id: newId(), body: { name: 'x' }, headers: aKey() }
    const first = [await member.rest.productCreate!(clash), await member.rest.accountUpdate!(missing)]
    expect(first.map((answer) => [answer.status, isReplay(answer)])).toEqual([
      [409, null],
      [404, null],
    ])

    await member.rest.productDelete!({ id: taken.id })
    await account(member, { id: missing.id })
    const second = [await member.rest.productCreate!(clash), await member.rest.accountUpdate!(missing)]
    expect(second.map(({ status, body }) => [status, body.code, body.detail])).toEqual(
      first.map(({ status, body }) => [status, body.code, body.detail]),
    )
    expect(second.map(isReplay)).toEqual(['true', 'true'])
    const again = await member.rest.productCreate!({ ...clash, headers: aKey() })
    expect(again.status).toBe(201)
  })

  it('does not store responses to invalid input', async () => {
    const headers = aKey()
    expect((await member.rest.accountCreate!({ body: { name: '' }, headers })).status).toBe(400)
    expect((await member.rest.accountCreate!({ body: '{', headers })).status).toBe(400)
    const parentAccountId = newId()
    const call = { body: anAccount({ parentAccountId }), headers }
    expect((await member.rest.accountCreate!(call)).body.errors[0].code).toBe('UNKNOWN_REFERENCE')
    await account(member, { id: parentAccountId })
    const answer = await member.rest.accountCreate!(call)
    expect([answer.status, isReplay(answer)]).toEqual([201, null])
  })

  it('does not store refusals of access', async () => {
    const reader = await platform.member({ role: 'READ_ONLY' })
    const call = { body: anAccount(), headers: aKey() }
    expect(await refused(platform, () => reader.rest.accountCreate!(call))).toEqual([403, 'PERMISSION_DENIED'])
    await updateUser(platform.services, reader.organizationId, reader.userId, { role: 'MEMBER' })
    await expect
      .poll(async () => (await reader.rest.accountCreate!(call)).status, { interval: 5, timeout: 2000 })
      .toBe(201)
  })

  it('does not replay to a key that has lost the scope', async () => {
    const writer = await platform.member({ scopes: ['WRITE_ACCOUNTS'] })
    const call = { body: anAccount(), headers: aKey() }
    expect((await writer.rest.accountCreate!(call)).status).toBe(201)
    await platform.query(`update identity.api_key set scopes = '{READ_ACCOUNTS}' where id = $1`, [writer.keyId])
    await updateUser(platform.services, writer.organizationId, writer.userId, { visibility: 'OWN' })
    await expect
      .poll(async () => (await writer.rest.accountCreate!(call)).body.code, { interval: 5, timeout: 2000 })
      .toBe('API_KEY_SCOPE_INSUFFICIENT')
  })

  it('does not replay to a user who has become READ_ONLY', async () => {
    const writer = await platform.member()
    const call = { body: anAccount(), headers: aKey() }
    expect((await writer.rest.accountCreate!(call)).status).toBe(201)
    await updateUser(platform.services, writer.organizationId, writer.userId, { role: 'READ_ONLY' })
    await expect
      .poll(async () => (await writer.rest.accountCreate!(call)).body.code, { interval: 5, timeout: 2000 })
      .toBe('PERMISSION_DENIED')
  })

  it('has 1 to 255 characters', async () => {
    const body = anAccount()
    expect((await member.rest.accountCreate!({ body, headers: { 'Idempotency-Key': 'k'.repeat(255) } })).status).toBe(
      201,
    )
    for (const key of ['k'.repeat(256), '']) {
      const answer = await unchanged(platform, () =>
        member.rest.accountCreate!({ body, headers: { 'Idempotency-Key': key } }),
      )
      expect([answer.status, answer.body.errors[0].path]).toEqual([400, 'Idempotency-Key'])
    }
  })

  it('is ignored for DELETE and GET', async () => {
    const { id } = await account(member)
    const headers = aKey()
    expect((await member.rest.account!({ id, headers })).status).toBe(200)
    expect((await member.rest.accountDelete!({ id, headers })).status).toBe(204)
    const again = await member.rest.accountDelete!({ id, headers })
    expect([again.status, isReplay(again)]).toEqual([404, null])
  })

  it('leaves no gap in case numbers when the create is refused', async () => {
    const { id, caseNumber } = await supportCase(member)
    const call = { body: { subject: 'x', id }, headers: aKey() }
    expect(await refusedTwice(() => member.rest.caseCreate!(call))).toEqual([409, 409])
    expect((await supportCase(member)).caseNumber).toBe(caseNumber + 1)
  })
})

const refusedTwice = async (call: () => Promise<Answer>) => [(await call()).status, (await call()).status]

describe('an Idempotency-Key in use', () => {
  it('answers 409 with Retry-After until the first request is done', async () => {
    const { id } = await account(member)
    const call = { id, body: { name: 'Slow' }, headers: aKey() }
    let first!: Promise<Answer>
    await platform.services.database.transaction(async (sql) => {
      await sql.query('select 1 from crm.account where id = $1 for update', [id])
      first = member.rest.accountUpdate!(call)
      await expect.poll(() => platform.waitingForLocks(), { interval: 1, timeout: 5000 }).toBe(1)
      const second = await member.rest.accountUpdate!(call)
      expect([second.status, second.body.code, second.headers.get('retry-after'), isReplay(second)]).toEqual([
        409,
        'IDEMPOTENCY_IN_PROGRESS',
        '1',
        null,
      ])
      const other = await member.rest.accountCreate!({ body: anAccount(), headers: aKey() })
      expect(other.status).toBe(201)
    })
    const done = await first
    const replay = await member.rest.accountUpdate!(call)
    expect([done.status, isReplay(done), replay.body, isReplay(replay)]).toEqual([200, null, done.body, 'true'])
  })

  it('creates one record for any number of concurrent requests', async () => {
    const call = { body: anAccount({ name: 'Stampede' }), headers: aKey() }
    const answers = await Promise.all(Array.from({ length: 20 }, () => member.rest.accountCreate!(call)))
    const others = answers.filter(({ status }) => status !== 201)
    expect(others.map(({ body }) => body.code)).toEqual(others.map(() => 'IDEMPOTENCY_IN_PROGRESS'))
    expect(answers.filter((answer) => answer.status === 201 && !isReplay(answer)).length).toBe(1)
    expect((await created('Stampede')).length).toBe(1)
  })
})

describe('an Idempotency-Key of a GraphQL mutation', () => {
  const create = 'mutation ($name: String!) { accountCreate(input: { name: $name }) { id version } }'

  it('replays the response, including refusals of business rules', async () => {
    const headers = aKey()
    const first = await member.graphql(create, { name: 'GraphQL once' }, headers)
    const second = await unchanged(platform, () => member.graphql(create, { name: 'GraphQL once' }, headers))
    expect([first.status, isReplay(first), second.status, second.body, isReplay(second)]).toEqual([
      200,
      null,
      200,
      first.body,
      'true',
    ])

    const { id } = await account(member)
    const remove = 'mutation ($id: ID!) { accountDelete(id: $id, expectedVersion: 2) }'
    const more = aKey()
    const refusal = await member.graphql(remove, { id }, more)
    expect(refusal.body.errors[0].extensions.code).toBe('VERSION_CONFLICT')
    await member.rest.accountUpdate!({ id, body: { name: 'x' } })
    const replay = await member.graphql(remove, { id }, more)
    expect([replay.body.errors[0].extensions.code, isReplay(replay)]).toEqual(['VERSION_CONFLICT', 'true'])
  })

  it('is refused for another body', async () => {
    const headers = aKey()
    await member.graphql(create, { name: 'A' }, headers)
    const { body } = await unchanged(platform, () => member.graphql(create, { name: 'B' }, headers))
    expect(body.errors[0].extensions.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  it('is ignored for a query', async () => {
    const headers = aKey()
    const query = '{ accountStats { total } }'
    const first = await member.graphql(query, {}, headers)
    await account(member)
    const second = await member.graphql(query, {}, headers)
    expect([second.body.data.accountStats.total, isReplay(second)]).toEqual([
      first.body.data.accountStats.total + 1,
      null,
    ])
  })

  it.each([
    ['one subgraph', 'bad: accountCreate(input: { name: "" }) { id }'],
    ['several subgraphs', 'bad: caseCreate(input: { subject: "" }) { id }'],
  ])('writes nothing twice when a mutation in %s that failed partly is repeated', async (name, bad) => {
    const [one, other] = [`${name} one`, `${name} other`]
    const query = `mutation { one: accountCreate(input: { name: "${one}" }) { id } ${bad} other: accountCreate(input: { name: "${other}" }) { id } }`
    const headers = aKey()
    const first = await member.graphql(query, {}, headers)
    const [[{ id: oneId } = { id: null }], [{ id: otherId } = { id: null }]] = [
      await created(one),
      await created(other),
    ]
    expect(first.body.data).toEqual({ one: { id: oneId }, bad: null, other: { id: otherId } })
    expect(first.body.errors).toMatchObject([{ path: ['bad'], extensions: { code: 'VALIDATION_FAILED' } }])
    const second = await unchanged(platform, () => member.graphql(query, {}, headers))
    expect(second.body.data).toEqual(first.body.data)
  })

  it('stores nothing of a mutation that failed completely', async () => {
    const query = 'mutation { a: accountCreate(input: { name: "" }) { id } b: accountDelete(id: "nobody") }'
    const { body } = await unchanged(platform, () => member.graphql(query, {}, aKey()))
    expect(body.data).toEqual({ a: null, b: null })
  })

  it('covers mutations in several subgraphs', async () => {
    const query =
      'mutation ($sku: String!) { accountCreate(input: { name: "Both" }) { id } productCreate(input: { name: "Both", sku: $sku, listPrice: 1 }) { id } }'
    const headers = aKey()
    const variables = { sku: 'BOTH-1' }
    const first = await member.graphql(query, variables, headers)
    const second = await unchanged(platform, () => member.graphql(query, variables, headers))
    expect([first.body.errors, second.body]).toEqual([undefined, first.body])
  })
})

describe('an Idempotency-Key in a request that does not accept it', () => {
  it('is ignored on such a path', async () => {
    const answer = await answerOf(
      await fetch(`${platform.url}/v1/accounts`, { headers: { ...member.headers, ...aKey() } }),
    )
    expect([answer.status, isReplay(answer)]).toEqual([200, null])
  })
})
