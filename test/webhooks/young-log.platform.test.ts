import { describe, expect, it } from 'vitest'
import { tenantRole } from '../../subgraphs/kernel/database/tenant-role.ts'
import { statementsOf } from '../statements.ts'
import { aWebhook, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

interface Plan {
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Plan[]
}

/** Rows that the nodes of a plan have read, each time they ran. */
const rowsIn = (plan: Plan): number =>
  (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'] +
  (plan.Plans ?? []).reduce((sum, each) => sum + rowsIn(each), 0)

/** The rows that a statement reads as the tenants' connections plan it. */
async function rowsRead(text: string, values: readonly unknown[]): Promise<number> {
  const literals = values.map((value) => (typeof value === 'number' ? String(value) : `'${String(value)}'`))
  let read = 0
  await platform.inSeparateTransaction(async (sql) => {
    await sql.query(`set local role ${tenantRole}`)
    await sql.query(`select set_config('app.organization_id', $1, true), set_config('jit', 'off', true)`, [
      used.owner.organizationId,
    ])
    await sql.query(`set local plan_cache_mode = 'force_generic_plan'`)
    await sql.query(`prepare page as ${text}`)
    const [row] = await sql.query<{ 'QUERY PLAN': readonly { readonly Plan: Plan }[] }>(
      `explain (analyze, format json) execute page(${literals.join(', ')})`,
    )
    read = rowsIn(row!['QUERY PLAN'][0]!.Plan)
    await sql.query('deallocate page')
  })
  return read
}

const fill = (webhookId: string, count: number) =>
  platform.query(
    `with body as (
       insert into events.delivery_body (organization_id, id, body)
       select $1, uuidv7(), '{"data":{"n":' || i || '}}' from generate_series(1, $3::int) i returning id
     )
     insert into events.delivery (organization_id, id, webhook_id, first_id, body_id, event_id, event_type, event_version, attempt, status,
       is_replay, is_test, created_at)
     select $1, n, $2, n, id, n, 'account.updated', 1, 1, 'SUCCEEDED', false, false, now() from (select id, uuidv7() as n from body) body`,
    [used.owner.organizationId, webhookId, count],
  )

describe('a page of a table whose newest rows are in no statistics', () => {
  it('of the delivery log reads as many rows for the second page, however many the log has', async () => {
    const { id } = await aWebhook(used)
    const { organizationId, rest } = used.owner
    const read: number[] = []
    for (const count of [500, 3_500]) {
      await fill(id, count)
      const call = async () => {
        const { status, body } = await rest.webhookDeliveryList!({ id, query: { limit: 100, page: 2 } })
        const data = body.data as { requestBody: string | null }[]
        expect([status, data.length, data.every(({ requestBody }) => requestBody !== null)]).toEqual([200, 100, true])
      }
      const [statement] = await statementsOf(platform, call, /from events\.delivery_shown/)
      read.push(await rowsRead(statement!, [organizationId, id, 100]))
    }
    expect(read[1]! - read[0]!).toBeLessThan(50)
  })
})
