import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { Requests } from '../requests/requests.ts'
import { restClient, type RestClient } from '../rest-client.ts'
import { sessionOf } from '../requests/session.ts'

const platform = usePlatform()
let organizationId: string
let owner: Member
let member: Member
let keyOfMember: Member
let session: RestClient
let ownerElsewhere: Member

const first = '2026-03-29T00:30:00.000Z'
const second = '2026-03-30T12:00:00.000Z'

/** A row of a log, with the values that each row of it has. */
async function insert(table: string, values: Readonly<Record<string, unknown>>): Promise<void> {
  const names = Object.keys(values)
  await platform.query(
    `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(values),
  )
}

beforeAll(async () => {
  organizationId = await platform.organization()
  owner = await platform.member({ organizationId, role: 'OWNER' })
  member = await platform.member({ organizationId })
  keyOfMember = await platform.member({ organizationId, scopes: ['READ_ACCOUNTS'] })
  session = restClient(platform.contract, platform.url, {
    Authorization: `Bearer ${await sessionOf(platform, owner)}`,
  })
  const elsewhere = await platform.organization('Elsewhere')
  ownerElsewhere = await platform.member({ organizationId: elsewhere, role: 'OWNER' })
  const functionId = newId()
  for (const [organization, status, durationMs, startedAt] of [
    [organizationId, 'SUCCEEDED', 10, first],
    [organizationId, 'FAILED', 30, second],
    [organizationId, 'SUCCEEDED', 20, second],
    [elsewhere, 'SUCCEEDED', 99, second],
  ])
    await insert('extensions.function_invocation', {
      organization_id: organization,
      id: newId(),
      function_id: functionId,
      trigger: 'HTTP',
      status,
      dropped_logs: 0,
      depth: 0,
      attempt: 1,
      duration_ms: durationMs,
      cpu_ms: 1,
      memory_mb: 5,
      started_at: startedAt,
    })
  for (const [userId, category, inApp, readAt] of [
    [owner.userId, 'TASKS', 'SENT', null],
    [owner.userId, 'DEALS', 'SENT', first],
    [owner.userId, 'DEALS', 'SUPPRESSED', null],
    [member.userId, 'CASES', 'SENT', null],
  ])
    await insert('events.notification', {
      organization_id: organizationId,
      id: newId(),
      user_id: userId,
      event_key: 'task.assigned',
      category,
      title: 'Title',
      body: '',
      priority: 'NORMAL',
      group_key: 'task.assigned',
      in_app: inApp,
      email: 'SUPPRESSED',
      push: 'SUPPRESSED',
      event_id: newId(),
      count: 1,
      created_at: first,
      read_at: readAt,
    })
})

/** One workflow, AI workflow and webhook more than in the other organization, each with other runs and attempts. */
beforeAll(async () => {
  for (const [one, status, count] of [
    [owner, 'SUCCEEDED', 2],
    [ownerElsewhere, 'FAILED', 1],
  ] as const) {
    const requests = await Requests.of(platform, one)
    for (let index = 0; index < count; index++) {
      const ids: string[] = []
      for (const name of ['workflowCreate', 'aiTriggerCreate', 'webhookCreate']) {
        const creator = platform.contract.operations.find(({ id }) => id === name)!
        const created = await requests.send(await requests.valid(creator))
        if (created.status !== 201) throw new Error(`${name}: ${created.text}`)
        ids.push(JSON.parse(created.text).id as string)
      }
      const [workflowId, triggerId, webhookId] = ids
      const log = { organization_id: one.organizationId, status }
      await insert('extensions.workflow_run', {
        ...log,
        id: newId(),
        created_at: first,
        workflow_id: workflowId,
        workflow_version: 1,
        trigger_type: 'MANUAL',
        cursor: {},
        depth: 1,
        executed_steps: 3,
      })
      await insert('assistant.ai_execution', {
        ...log,
        id: newId(),
        created_at: first,
        trigger_id: triggerId,
        owner_id: one.userId,
        depth: 1,
        duration_ms: 40,
      })
      const attempt = newId()
      await insert('events.delivery', {
        ...log,
        id: attempt,
        webhook_id: webhookId,
        first_id: attempt,
        event_id: newId(),
        event_type: 'account.created',
        event_version: 1,
        attempt: 1,
        is_replay: false,
        is_test: false,
        latency_ms: 15,
      })
    }
  }
})

/** The groups as `key count sum`. */
const brief = (body: {
  groups: readonly { keys: readonly { value: string | null }[]; count: number; sum: readonly { value: number }[] }[]
}): string[] =>
  body.groups.map(({ keys, count, sum }) =>
    [...keys.map(({ value }) => value), count, ...sum.map(({ value }) => value)].join(' '),
  )

describe('the aggregate of a log', () => {
  it('counts the invocations of functions in the organization', async () => {
    const { status, body } = await owner.rest.serverlessFunctionInvocationAggregate!({
      query: { groupBy: 'status', sum: 'durationMs,count', max: 'startedAt' },
    })
    expect(status, JSON.stringify(body)).toBe(200)
    expect(brief(body)).toEqual(['FAILED 1 30 1', 'SUCCEEDED 2 30 2'])
    expect(body.total.max).toMatchObject([{ field: 'startedAt', time: second }])
    const later = await owner.rest.serverlessFunctionInvocationAggregate!({
      query: { groupBy: 'startedAt:day', startedAfter: first },
    })
    expect(brief(later.body)).toEqual(['2026-03-30 2'])
  })

  it('of notifications has those of the caller only, as their list', async () => {
    const counts = async (one: Member) => {
      const { status, body } = await one.rest.notificationAggregate!({ query: { groupBy: 'category,isRead' } })
      expect(status, JSON.stringify(body)).toBe(200)
      return brief(body)
    }
    expect(await counts(owner)).toEqual(['DEALS true 1', 'TASKS false 1'])
    expect(await counts(member)).toEqual(['CASES false 1'])
    const { body } = await owner.graphql(
      `{ notificationAggregate(filter: { category: { eq: "CASES" } }) { total { count } } }`,
    )
    expect(body.data.notificationAggregate.total.count).toBe(0)
  })

  it('of the audit log counts what was done, for sessions of owners and admins', async () => {
    const { status, body } = await session.auditLogEntryAggregate!({ query: { groupBy: 'action' } })
    const list = await session.auditLogEntryList!({ query: { limit: 1, includeTotal: true } })
    expect(status).toBe(200)
    expect(body.total.count).toBe(list.body.total)
    // The filter is that of the list, also where nothing is grouped by its fields.
    const [{ requestId }] = list.body.data as [{ requestId: string }]
    const query = `{ one: auditLogEntryAggregate(filter: { requestId: { eq: "${requestId}" } }) { total { count } }
      none: auditLogEntryAggregate(filter: { ip: { eq: "192.0.2.1" } }) { total { count } } }`
    const answer = await fetch(`${platform.url}/v1/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${await sessionOf(platform, owner)}` },
      body: JSON.stringify({ query }),
    })
    expect(await answer.json()).toEqual({ data: { one: { total: { count: 1 } }, none: { total: { count: 0 } } } })
  })

  it.each([
    [
      'serverlessFunctionInvocationAggregate',
      'status',
      'durationMs',
      ['FAILED 1 30', 'SUCCEEDED 2 30'],
      ['SUCCEEDED 1 99'],
    ],
    ['workflowRunAggregate', 'status', 'executedSteps', ['SUCCEEDED 2 6'], ['FAILED 1 3']],
    ['aiExecutionAggregate', 'status', 'durationMs', ['SUCCEEDED 2 80'], ['FAILED 1 40']],
    ['webhookDeliveryAggregate', 'status', 'latencyMs', ['SUCCEEDED 2 30'], ['FAILED 1 15']],
    ['webhookAggregate', null, null, 2, 1],
    ['workflowAggregate', null, null, 2, 1],
    ['aiTriggerAggregate', null, null, 2, 1],
  ] as const)(
    '%s has what the organization has, and is refused to members and keys without the scope',
    async (operation, groupBy, sum, here, elsewhere) => {
      const query: Readonly<Record<string, string>> = groupBy === null ? {} : { groupBy, sum }
      const figures = async (one: Member) => {
        const { status, body } = await one.rest[operation]!({ query })
        expect(status, JSON.stringify(body)).toBe(200)
        return groupBy === null ? body.total.count : brief(body)
      }
      expect(await figures(owner)).toEqual(here)
      expect(await figures(ownerElsewhere)).toEqual(elsewhere)
      const refusal = (one: Member) => refused(platform, () => one.rest[operation]!({}))
      expect(await refusal(member)).toEqual([403, 'PERMISSION_DENIED'])
      expect(await refusal(keyOfMember)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
    },
  )

  it('filters by none of the fields that the list hides from some of its readers', async () => {
    const { body } = await owner.graphql(
      `{ webhookDeliveryAggregate(filter: { requestBody: { contains: "a" } }) { totalGroups } }`,
    )
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED')
  })
})
