import { describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { usePlatform, type Member } from '../platform.ts'
import { workflowsOf } from './workflows.fixture.ts'

const platform = usePlatform()
const anOwner = async (): Promise<Member> =>
  platform.member({ role: 'OWNER', organizationId: await platform.organization() })
const keyed = (key = newId()) => ({ 'Idempotency-Key': key })

async function functionOf(who: Member, source: string, given: object = {}) {
  const body = { apiName: `f_${newId().slice(-12)}`, name: 'F', language: 'javascript', source, httpEnabled: true }
  const answer = await who.rest.serverlessFunctionCreate!({ body: { ...body, ...given } })
  expect([answer.status, answer.body.errors]).toEqual([201, undefined])
  return answer.body as { id: string; apiName: string }
}

const accountMaker = (name: string): string =>
  `export default async (input, { api }) => {
    await api.graphql('mutation { accountCreate(input: { name: "${name}" }) { id } }')
    return "${name}"
  }`
const accountsOf = async ({ organizationId }: Member): Promise<string[]> => {
  const rows = await platform.query<{ name: string }>(
    'select name from crm.account where organization_id = $1 order by name',
    [organizationId],
  )
  return rows.map(({ name }) => name)
}
const outcomesOf = (body: { data: Record<string, { status: string; output: unknown }> }) =>
  Object.values(body.data).map(({ status, output }) => [status, output])

describe('functions that one mutation creates', () => {
  it.each([
    ['with an idempotency key', () => keyed()],
    ['atomically', () => ({})],
  ])('%s, run their own source', async (how, headers) => {
    const owner = await anOwner()
    const create = (name: string) =>
      `serverlessFunctionCreate(input: { apiName: "${name}", name: "N", language: javascript, httpEnabled: true, source: "export default () => '${name}'" }) { id }`
    const atomic = how === 'atomically' ? '@atomic' : ''
    const { body } = await owner.graphql(
      `mutation ${atomic} { a: ${create('aaa')} b: ${create('bbb')} }`,
      {},
      headers(),
    )
    expect(body.errors).toBeUndefined()
    const depth = { 'x-service-function-depth': '0' }
    for (const id of ['aaa', 'bbb']) {
      const ran = await owner.rest.serverlessFunctionInvoke!({ id, body: {}, headers: depth })
      expect(ran.body).toMatchObject({ status: 'SUCCEEDED', output: id })
    }
  })
})

describe('invocations of one mutation', () => {
  const rights = { scopes: ['WRITE_ACCOUNTS'], runAsAdmin: true }
  const invoke = (id: string, input = '{}') =>
    `serverlessFunctionInvoke(id: "${id}", depth: 0, input: { input: ${input} }) { status output invocationId }`

  it('with an idempotency key run each their own function', async () => {
    const owner = await anOwner()
    const one = await functionOf(owner, accountMaker('one'), rights)
    const two = await functionOf(owner, accountMaker('two'), rights)
    const { body } = await owner.graphql(`mutation { a: ${invoke(one.id)} b: ${invoke(two.id)} }`, {}, keyed())
    expect(outcomesOf(body)).toEqual([
      ['SUCCEEDED', 'one'],
      ['SUCCEEDED', 'two'],
    ])
    expect(await accountsOf(owner)).toEqual(['one', 'two'])
  })

  it('that are equal run once each, and write each their own', async () => {
    const owner = await anOwner()
    const one = await functionOf(owner, accountMaker('one'), rights)
    const { body } = await owner.graphql(`mutation { a: ${invoke(one.id)} b: ${invoke(one.id)} }`, {}, keyed())
    expect(outcomesOf(body)).toEqual([
      ['SUCCEEDED', 'one'],
      ['SUCCEEDED', 'one'],
    ])
    expect(new Set(Object.values<{ invocationId: string }>(body.data).map((ran) => ran.invocationId)).size).toBe(2)
    expect(await accountsOf(owner)).toEqual(['one', 'one'])
  })

  it('get each their own input', async () => {
    const owner = await anOwner()
    const echo = await functionOf(owner, 'export default (input) => input.n')
    const document = `mutation { a: ${invoke(echo.id, '{ n: 1 }')} b: ${invoke(echo.id, '{ n: 2 }')} }`
    const { body } = await owner.graphql(document, {}, keyed())
    expect(outcomesOf(body)).toEqual([
      ['SUCCEEDED', 1],
      ['SUCCEEDED', 2],
    ])
  })

  it('write nothing again when the request is repeated, because its first answer was lost', async () => {
    const owner = await anOwner()
    const one = await functionOf(owner, accountMaker('one'), rights)
    const two = await functionOf(owner, accountMaker('two'), rights)
    const document = `mutation { a: ${invoke(one.id)} b: ${invoke(two.id)} c: ${invoke(one.id)} }`
    const headers = keyed()
    await owner.graphql(document, {}, headers)
    await platform.query('delete from kernel.idempotency where key = $1', [headers['Idempotency-Key']])
    const { body } = await owner.graphql(document, {}, headers)
    expect(outcomesOf(body).map(([status]) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED'])
    expect(await accountsOf(owner)).toEqual(['one', 'one', 'two'])
  })
})

it.each([
  ['with an idempotency key', () => keyed()],
  ['without one', () => ({})],
])('equal runs of an action in one mutation, %s, are runs of their own', async (_how, headers) => {
  const owner = await anOwner()
  const { apiName, id: functionId } = await functionOf(owner, 'export default () => ({ n: 1 })')
  const schemas = { inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }
  const made = await owner.rest.customActionCreate!({
    body: { apiName: 'act', label: 'A', function: apiName, ...schemas },
  })
  const run = `customActionExecute(id: "${made.body.id}") { status output }`
  const { body } = await owner.graphql(`mutation { a: ${run} b: ${run} }`, {}, headers())
  expect(body.errors).toBeUndefined()
  expect(outcomesOf(body)).toEqual([
    ['SUCCEEDED', { n: 1 }],
    ['SUCCEEDED', { n: 1 }],
  ])
  const log = await owner.rest.serverlessFunctionInvocationList!({ id: functionId })
  expect(log.body.data).toHaveLength(2)
})

it('a workflow does not start a function that is turned off', async () => {
  const owner = await anOwner()
  const { apiName, id } = await functionOf(owner, 'export default () => ({ ran: true })', { isActive: false })
  const steps = [{ id: 'a', type: 'FUNCTION', config: { functionApiName: apiName } }]
  const run = await workflowsOf(platform).ran(owner, steps)
  expect(run).toMatchObject({
    status: 'FAILED',
    error: { code: 'INVALID_STATE', message: 'The function is turned off.', stepId: 'a' },
  })
  const log = await owner.rest.serverlessFunctionInvocationList!({ id })
  expect(log.body.data).toEqual([])
})
