import type { ServerResponse } from 'node:http'
import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { useHookReceiver, type HookRequest } from '../extensions/hook-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const receiver = useHookReceiver()
let member: Member

beforeAll(async () => {
  member = await platform.member()
})

const twoAccounts = `mutation Two($a: AccountCreateInput!, $b: AccountCreateInput!) @atomic {
  a: accountCreate(input: $a) { id name version } b: accountCreate(input: $b) { name } }`
const rename = `mutation($id: ID!, $version: Int) @atomic {
  create: accountCreate(input: { name: "Beside" }) { name }
  accountUpdate(id: $id, input: { name: "Renamed" }, expectedVersion: $version) { name version } }`

const unchanged = async <T>(work: () => Promise<T>): Promise<T> => {
  const before = await platform.fingerprint(member.organizationId)
  const result = await work()
  expect(await platform.fingerprint(member.organizationId)).toBe(before)
  return result
}

describe('a mutation with @atomic', () => {
  it('carries out all root fields, with their events', async () => {
    const { body } = await member.graphql(twoAccounts, { a: { name: 'First' }, b: { name: 'Second' } })
    const { id } = body.data.a
    expect(body).toEqual({ data: { a: { id, name: 'First', version: 1 }, b: { name: 'Second' } } })
    expect(await platform.eventTypesOf(id)).toEqual(['account.created'])
  })

  it('carries out none if one is refused, and names the refused ones', async () => {
    const { body } = await unchanged(() => member.graphql(twoAccounts, { a: { name: 'First' }, b: { name: ' ' } }))
    expect(body.data).toEqual({ a: null, b: null })
    expect(body.errors.map(({ path, extensions }: never) => [path, (extensions as { code: string }).code])).toEqual([
      [['b'], 'VALIDATION_FAILED'],
    ])
    const { id } = await account(member, { name: 'Old' })
    const late = await unchanged(() => member.graphql(rename, { id, version: 7 }))
    expect([late.body.data, late.body.errors.length, late.body.errors[0]]).toMatchObject([
      { create: null, accountUpdate: null },
      1,
      { path: ['accountUpdate'], extensions: { code: 'VERSION_CONFLICT' } },
    ])
  })

  it('keeps what others carried out, without it', async () => {
    const each = twoAccounts.replace('@atomic', '')
    const { body } = await member.graphql(each, { a: { name: 'Alone' }, b: { name: ' ' } })
    expect([body.data.a.name, body.data.b]).toEqual(['Alone', null])
  })

  it('is carried out once for an idempotency key, and again after a refusal', async () => {
    const headers = { 'Idempotency-Key': newId() }
    const { id } = await account(member, { name: 'Once' })
    const ask = () => member.graphql(rename, { id, version: 2 }, headers)
    expect((await unchanged(ask)).body.errors[0].extensions.code).toBe('VERSION_CONFLICT')
    await member.rest.accountUpdate!({ id, body: { name: 'Twice' } })
    const done = { data: { create: { name: 'Beside' }, accountUpdate: { name: 'Renamed', version: 3 } } }
    expect((await ask()).body).toEqual(done)
    const replay = await unchanged(ask)
    expect([replay.body, replay.headers.get('idempotent-replayed')]).toEqual([done, 'true'])
  })

  it('reads other domains after the commit', async () => {
    const { body } = await member.graphql(`mutation @atomic {
      a: accountCreate(input: { name: "A" }) { cases { totalCount } }
      b: accountCreate(input: { name: "B" }) { quotes { totalCount } } }`)
    expect(body).toEqual({ data: { a: { cases: { totalCount: 0 } }, b: { quotes: { totalCount: 0 } } } })
  })

  it.each([
    [
      'root fields of several domains',
      'mutation @atomic { accountCreate(input: { name: "A" }) { id } ...More } fragment More on Mutation { caseCreate(input: { subject: "C" }) { id } }',
      'The root fields of a mutation with @atomic must belong to one domain: accountCreate to crm, caseCreate to support.',
    ],
    [
      'a field that signs in',
      'mutation @atomic { authLogin(input: { email: "a@b.example", password: "x" }) { __typename } }',
      '@atomic must not be used with authLogin.',
    ],
    ['a query', 'query @atomic { viewer { userId } }', 'Directive "@atomic" may not be used on QUERY.'],
  ])('is refused with %s', async (_what, document, message) => {
    const { status, body } = await unchanged(() => member.graphql(document))
    expect([status, body.errors[0].message, body.errors[0].extensions.code]).toEqual([
      400,
      message,
      'GRAPHQL_VALIDATION_FAILED',
    ])
  })

  it('is refused with more root fields than a request may have', async () => {
    const fields = Array.from({ length: 21 }, (_, n) => `a${n}: accountCreate(input: { name: "A" }) { id }`)
    const { status, body } = await unchanged(() => member.graphql(`mutation @atomic { ${fields.join(' ')} }`))
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_LIMIT_EXCEEDED'])
  })

  it('calls hooks while no transaction is open, and carries out nothing if one refuses', async () => {
    const { organizationId } = member
    const owner = await platform.member({ organizationId, role: 'OWNER' })
    const hook = { name: 'Check', url: receiver.url, objectType: 'ACCOUNT', operations: ['CREATE'] }
    expect((await owner.rest.beforeSaveHookCreate!({ body: hook })).status).toBe(201)
    const open: number[] = []
    const openTransactions = `select count(*)::int as open from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`
    const decision = (next: object | null) => (next && 'name' in next && next.name === 'Refused' ? 'REJECT' : 'ALLOW')
    const answer = async ({ records }: HookRequest, response: ServerResponse): Promise<void> => {
      const results = records.map(({ next }) => ({ decision: decision(next) }))
      const [row] = await platform.services.database.query<{ open: number }>(openTransactions)
      open.push(row!.open)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ results }))
    }
    receiver.decide = (request, response) => void answer(request, response)
    const ask = (b: string) => member.graphql(twoAccounts, { a: { name: 'Allowed' }, b: { name: b } })
    const { body } = await unchanged(() => ask('Refused'))
    expect([body.data, body.errors.map(({ path }: never) => path)]).toEqual([{ a: null, b: null }, [['b']]])
    expect((await ask('Allowed too')).body.data.b).toEqual({ name: 'Allowed too' })
    // One request asks about both records.
    expect(open).toEqual([0, 0])
  })
})
