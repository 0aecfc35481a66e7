import { beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import type { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let caller: Caller

beforeAll(async () => {
  member = await platform.member()
  const acting = systemContext(platform.services, member.organizationId).caller
  caller = { ...acting, kind: 'API_KEY', userId: member.userId, role: 'MEMBER', credentialId: `automation-${newId()}` }
})

const create = 'mutation ($name: String!) { accountCreate(input: { name: $name }) { id name createdById } }'
const named = (name: string, document = create) => ({ document, variables: { name }, costMax: 1000 })
const execute = (name: string, idempotencyKey: string, as = caller, document = create) =>
  platform.services.graph.execute(named(name, document), as, { requestId: `req_${newId()}`, idempotencyKey })
const read = (document: string) =>
  platform.services.graph.read({ document, variables: {}, costMax: 1000 }, caller, {
    requestId: `req_${newId()}`,
    timeoutMs: 5000,
  })

const codeOf = (call: () => Promise<unknown>) =>
  unchanged(platform, async () => {
    try {
      return { status: 200, body: await call() } as never
    } catch (error) {
      return (error as Refusal).code as never
    }
  })
const accountsNamed = (name: string) =>
  platform.query('select id from crm.account where organization_id = $1 and name = $2', [member.organizationId, name])

describe('GraphPort.read', () => {
  it('answers queries', async () => {
    expect(await read('{ accountList(limit: 1) { page } }')).toEqual({ data: { accountList: { page: 1 } }, errors: [] })
  })

  it.each([
    ['a mutation', 'mutation { accountCreate(input: { name: "Read" }) { id } }'],
    ['a mutation after a comment', '# query\nmutation { accountCreate(input: { name: "Read" }) { id } }'],
    ['a subscription', 'subscription { recordChanged(object: ACCOUNT) { cursor } }'],
  ])('refuses %s and changes nothing, also when it is checked', async (_, document) => {
    expect(await codeOf(() => read(document))).toBe('OPERATION_RESOLUTION_FAILURE')
    const query = { document, variables: {}, costMax: 1000 }
    expect(await codeOf(() => platform.services.graph.check(query, caller))).toBe('OPERATION_RESOLUTION_FAILURE')
  })
})

describe('GraphPort.execute', () => {
  it('changes records as the caller, once per key', async () => {
    const [name, key] = [`Once ${newId()}`, newId()]
    const first = await execute(name, key)
    expect(first).toEqual({
      data: { accountCreate: { id: expect.any(String), name, createdById: member.userId } },
      errors: [],
    })
    expect(await execute(name, key)).toEqual({ ...first, replayed: true })
    expect(await accountsNamed(name)).toHaveLength(1)
    await execute(name, newId())
    expect(await accountsNamed(name)).toHaveLength(2)
  })

  it('changes once when calls with one key run at the same time', async () => {
    const [name, key] = [`Together ${newId()}`, newId()]
    const answers = await Promise.all(Array.from({ length: 4 }, () => execute(name, key)))
    expect(await accountsNamed(name)).toHaveLength(1)
    for (const { data, errors } of answers)
      if (errors.length > 0) expect(errors[0]!.extensions!['code']).toBe('IDEMPOTENCY_IN_PROGRESS')
      else expect(data!['accountCreate']).toMatchObject({ name })
    expect((await execute(name, key)).replayed).toBe(true)
  })

  it('refuses the key of another mutation, and keeps keys apart by credential', async () => {
    const key = newId()
    await execute(`First ${key}`, key)
    const other = await unchanged(platform, async () => (await execute(`Second ${key}`, key)) as never)
    expect((other as Awaited<ReturnType<typeof execute>>).errors[0]!.extensions!['code']).toBe('IDEMPOTENCY_KEY_REUSED')
    const stranger = { ...caller, credentialId: `automation-${newId()}` }
    expect((await execute(`Second ${key}`, key, stranger)).errors).toEqual([])
  })

  it('returns a stored business refusal', async () => {
    const { data } = await execute(`Gone ${newId()}`, newId())
    const { id } = data!['accountCreate'] as { id: string }
    const remove = 'mutation ($name: ID!) { accountDelete(id: $name) }'
    const key = newId()
    await execute(id, newId(), caller, remove)
    const refused = await execute(id, key, caller, remove)
    expect(refused.errors[0]!.extensions!['code']).toBe('NOT_FOUND')
    expect(await execute(id, key, caller, remove)).toEqual({ ...refused, replayed: true })
  })

  it.each([
    [
      'a query',
      () => execute('x', newId(), caller, '{ accountList(limit: 1) { page } }'),
      'OPERATION_RESOLUTION_FAILURE',
    ],
    [
      'a caller without the scope',
      () => execute('x', newId(), { ...caller, scopes: ['READ_ACCOUNTS'] }),
      'API_KEY_SCOPE_INSUFFICIENT',
    ],
    ['an anonymous caller', () => execute('x', newId(), { ...caller, kind: 'ANONYMOUS' }), 'UNAUTHENTICATED'],
    ['an empty key', () => execute('x', ''), 'VALIDATION_FAILED'],
    ['a key of 256 characters', () => execute('x', 'k'.repeat(256)), 'VALIDATION_FAILED'],
    [
      'a mutation above the maximum cost',
      () =>
        platform.services.graph.execute({ ...named('x'), costMax: 0 }, caller, {
          requestId: 'r',
          idempotencyKey: newId(),
        }),
      'GRAPHQL_LIMIT_EXCEEDED',
    ],
  ])('refuses %s and changes nothing', async (_, call, code) => {
    expect(await codeOf(call)).toBe(code)
  })
})
