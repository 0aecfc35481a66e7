import { beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { refused } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient, type RestClient } from '../rest-client.ts'
import { sessionOf } from '../requests/session.ts'

const platform = usePlatform()
let organizationId: string
let owner: Member
let member: Member
let keyOfMember: Member
let session: RestClient

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
  })

  it.each([
    'serverlessFunctionInvocationAggregate',
    'workflowRunAggregate',
    'aiExecutionAggregate',
    'webhookDeliveryAggregate',
    'webhookAggregate',
    'workflowAggregate',
    'aiTriggerAggregate',
  ])('%s is empty for another organization, and refused to members and keys without the scope', async (operation) => {
    const other = await platform.member({ organizationId: await platform.organization(), role: 'OWNER' })
    const { status, body } = await other.rest[operation]!({})
    expect([status, body]).toMatchObject([200, { total: { count: 0 } }])
    const refusal = (one: Member) => refused(platform, () => one.rest[operation]!({}))
    expect(await refusal(member)).toEqual([403, 'PERMISSION_DENIED'])
    expect(await refusal(keyOfMember)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT'])
  })

  it('filters by none of the fields that the list hides from some of its readers', async () => {
    const { body } = await owner.graphql(
      `{ webhookDeliveryAggregate(filter: { requestBody: { contains: "a" } }) { totalGroups } }`,
    )
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED')
  })
})
