import { beforeAll, describe, expect, it } from 'vitest'
import { countCpu, secondsUntilAllowed } from '../../subgraphs/extensions/function/function-limits.ts'
import { maintainInvocationPartitions } from '../../subgraphs/extensions/function/invocation.jobs.ts'
import { runFunction, type FunctionStart } from '../../subgraphs/extensions/function/run-function.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { validateEvents, type StoredEvent } from '../contract/validate-events.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let functions = 0

beforeAll(async () => {
  member = await platform.member({ organizationId: await platform.organization('Runs'), role: 'OWNER' })
})

async function created(source: string, given: object = {}) {
  const body = { apiName: `r_${++functions}`, name: 'Run', language: 'javascript', source, ...given }
  const answer = await member.rest.serverlessFunctionCreate!({ body })
  expect(answer.status).toBe(201)
  return answer.body as { id: string; apiName: string; deployedVersionId: string }
}

const start = (functionId: string, given: Partial<FunctionStart> = {}): FunctionStart => ({
  organizationId: member.organizationId,
  functionId,
  trigger: 'EVENT',
  input: {},
  depth: 1,
  ...given,
})

const failures = (id: string) =>
  platform.query<StoredEvent & { recordId: string; depth: number }>(
    `select type, version, data, record_id as "recordId", depth from kernel.event
     where type = 'function.failed' and data->'record'->>'functionId' = $1`,
    [id],
  )

describe('runFunction', () => {
  it('announces the failure of the last attempt only, with the invocation', async () => {
    const { id, apiName, deployedVersionId } = await created('export default () => { throw new Error("no") }')
    const eventId = newId()
    await runFunction(platform.services, start(id, { eventId, input: { large: true } }))
    expect(await failures(id)).toEqual([])
    const last = await runFunction(platform.services, start(id, { eventId, attempt: 2, isLastAttempt: true }))
    const [event, ...others] = await failures(id)
    expect([others, event!.recordId, event!.depth]).toEqual([[], last!.invocationId, 1])
    expect((event!.data as { record: object }).record).toMatchObject({
      id: last!.invocationId,
      functionId: id,
      apiName,
      versionId: deployedVersionId,
      trigger: 'EVENT',
      status: 'FAILED',
      error: 'Error: no',
      eventId: `evt_${eventId}`,
    })
    expect(validateEvents([event!])).toEqual([])
    const { body } = await member.rest.serverlessFunctionInvocation!({ id, invocationId: last!.invocationId })
    expect(body).toMatchObject({ eventId: `evt_${eventId}`, input: null, status: 'FAILED', depth: 1 })
  })

  it('writes once what two attempts of one start write', async () => {
    const name = `Once ${newId()}`
    const source = `export default async (input, { api }) => {
      const made = await api.graphql('mutation ($input: AccountCreateInput!) { accountCreate(input: $input) { id } }', { input })
      const rest = await api.rest('POST', '/v1/accounts', input)
      return [made.data.accountCreate.id, rest.body.id]
    }`
    const { id } = await created(source, { scopes: ['WRITE_ACCOUNTS'] })
    const once = start(id, { effectKey: newId(), input: { name } })
    const [first, second] = [
      await runFunction(platform.services, once),
      await runFunction(platform.services, { ...once, attempt: 2 }),
    ]
    expect([first!.status, first!.error]).toEqual(['SUCCEEDED', null])
    expect(second!.output).toEqual(first!.output)
    const accounts = await platform.query<{ id: string }>('select id from crm.account where name = $1 order by id', [
      name,
    ])
    expect(accounts.map((one) => one.id)).toEqual((first!.output as string[]).toSorted())
    const events = await platform.query<{ depth: number; origin: { kind: string; id: string } }>(
      'select depth, origin from kernel.event where record_id = any($1)',
      [first!.output],
    )
    expect(events.map(({ depth, origin }) => [depth, origin.kind, origin.id])).toEqual([
      [1, 'FUNCTION', id],
      [1, 'FUNCTION', id],
    ])
  })

  it('refuses a depth above 5, and logs nothing', async () => {
    const { id } = await created('export default () => 1')
    await expect(runFunction(platform.services, start(id, { depth: 6 }))).rejects.toMatchObject({
      code: 'DEPTH_EXCEEDED',
    })
    expect((await member.rest.serverlessFunctionInvocationList!({ id })).body.total).toBe(0)
  })

  it('answers null for a function without a version, and for a deleted one', async () => {
    const { id } = await created('export default () => 1')
    await member.rest.serverlessFunctionDelete!({ id })
    expect(await runFunction(platform.services, start(id))).toBeNull()
    expect(await runFunction(platform.services, start(newId()))).toBeNull()
  })
})

describe('the CPU of an organization', () => {
  it('is at most 60 s in a minute, also by runs that each fit almost', async () => {
    const organizationId = newId()
    for (const ms of [29_999, 29_999]) await countCpu(platform.services, organizationId, ms)
    expect(await secondsUntilAllowed(platform.services, organizationId)).toBeNull()
    await countCpu(platform.services, organizationId, 29_999)
    expect(await secondsUntilAllowed(platform.services, organizationId)).toBe(60)
  })
})

describe('the log of invocations', () => {
  it('is kept for 30 days', async () => {
    const { id } = await created('export default () => 1')
    const idOf = (time: number) =>
      `${time.toString(16).padStart(12, '0')}7000800000000000`
        .padEnd(32, '0')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    const now = platform.now.getTime()
    for (const days of [1, 29, 45])
      await platform.query(
        `insert into extensions.function_invocation (organization_id, id, function_id, trigger, status, dropped_logs, depth, attempt,
           duration_ms, cpu_ms, memory_mb, started_at)
         values ($1, $2, $3, 'TEST', 'SUCCEEDED', 0, 0, 1, 1, 1, 1, $4)`,
        [member.organizationId, idOf(now - days * 86_400_000), id, new Date(now - days * 86_400_000).toISOString()],
      )
    await maintainInvocationPartitions(platform.services)
    await maintainInvocationPartitions(platform.services)
    expect((await member.rest.serverlessFunctionInvocationList!({ id })).body.total).toBe(2)
    const rows = await platform.query('select 1 from extensions.function_invocation where function_id = $1', [id])
    expect(rows.length).toBe(2)
    expect(await platform.query('select 1 from extensions.function_invocation_other')).toEqual([])
  })
})
