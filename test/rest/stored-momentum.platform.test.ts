import { beforeAll, describe, expect, it } from 'vitest'
import { momentumOf } from '../../subgraphs/insights/engagement/momentum.ts'
import { engagementConsumer } from '../../subgraphs/insights/engagement/stored/engagement-consumer.ts'
import { batchSize, engagementMomentum, momentumStep } from '../../subgraphs/insights/engagement/stored/momentum.job.ts'
import { scoredObjects, type ScoredObject } from '../../subgraphs/insights/engagement/stored/scored-objects.ts'
import { pointsOf } from '../../subgraphs/insights/engagement/weights.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { dayMs } from '../../subgraphs/kernel/time/wall-calendar.ts'
import { account, activity, contact, each, lead } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let links: { readonly accountId: string }[]

const daysAgo = (days: number, ms = 0): string => new Date(platform.now.getTime() - days * dayMs + ms).toISOString()

interface Stored {
  readonly object: ScoredObject
  readonly id: string
  readonly windows: [number, number, number]
  readonly velocity: number
  /** The row's version: it changes with every write. */
  readonly version: string
}

const stored = () =>
  platform.query<Stored & Record<string, unknown>>(
    `select object, record_id as id, array[last_points, previous_points, earlier_points] as windows, velocity, xmin::text as version
     from insights.engagement where organization_id = $1 order by object, record_id`,
    [member.organizationId],
  )

/** F2 of a record, from all of its activities. */
async function recomputed({ object, id }: Pick<Stored, 'object' | 'id'>) {
  const rows = await platform.query(
    `select type, direction, outcome, sentiment, is_automated as "isAutomated", occurred_at as at from crm.activity
     where organization_id = $1 and ${scoredObjects[object].link} = $2 and deleted_at is null`,
    [member.organizationId, id],
  )
  const moments = rows.map((row) => ({
    atMs: new Date(row['at'] as string).getTime(),
    points: pointsOf(row as unknown as Parameters<typeof pointsOf>[0]),
  }))
  const { windows, velocity } = momentumOf(moments, platform.now.getTime())
  return { windows, velocity }
}

async function expectExact(): Promise<Stored[]> {
  const rows = await stored()
  for (const row of rows)
    expect({ windows: row.windows, velocity: row.velocity }, `${row.object} ${row.id}`).toEqual(await recomputed(row))
  return rows
}

async function consume(): Promise<void> {
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, engagementConsumer, member.organizationId));
}

beforeAll(async () => {
  member = await platform.member()
  links = (await each([1, 2, 3], async () => account(member))).map(({ id }) => ({ accountId: id as string }))
  const contactId = (await contact(member)).id as string
  const leadId = (await lead(member)).id as string
  const meeting = (values: object) => activity(member, { type: 'MEETING', ...values })
  // The end of a window belongs to it.
  const edges = [0, 14, 14, 28, 42].map((days, index) => daysAgo(days, index === 2 ? -1 : 0))
  for (const occurredAt of [...edges, daysAgo(42, -1), daysAgo(-1)]) await meeting({ ...links[0], occurredAt })
  await activity(member, { type: 'EMAIL', direction: 'OUTBOUND', ...links[0] })
  await activity(member, { type: 'WEB_VISIT', isAutomated: true, ...links[0] })
  const { id } = await meeting({ ...links[0] })
  await member.rest.activityDelete!({ id })
  // Velocities of -1 and 3.
  await meeting({ ...links[1], occurredAt: daysAgo(20) })
  for (const days of [1, 2, 3]) await meeting({ ...links[2], occurredAt: daysAgo(days), contactId, leadId })
  await consume()
})

describe('stored momentum', () => {
  it('equals F2 of all activities, for every record', async () => {
    await engagementMomentum.run(platform.services)
    const rows = await expectExact()
    expect(rows.map(({ object }) => object)).toEqual(['account', 'account', 'account', 'contact', 'lead'])
    expect(rows.slice(0, 3).map(({ windows, velocity }) => [windows, velocity])).toEqual([
      [[20, 20, 10], 0],
      [[0, 10, 0], -1],
      [[30, 0, 0], 3],
    ])
  })

  it('orders engagementList', async () => {
    const query = `query ($orderBy: EngagementOrder) { engagementList(object: ACCOUNT, orderBy: $orderBy) { data { recordId } } }`
    const listed = async (orderBy: string) => (await member.graphql(query, { orderBy })).body.data.engagementList.data
    const rising = [links[2], links[0], links[1]].map((link) => ({ recordId: link!.accountId }))
    expect(await listed('RISING')).toEqual(rising)
    expect(await listed('FALLING')).toEqual(rising.toReversed())
  })

  it('follows the time, and writes only what changes', async () => {
    const before = await stored()
    await engagementMomentum.run(platform.services)
    expect(await stored()).toEqual(before)
    platform.advanceClock(12 * dayMs)
    await engagementMomentum.run(platform.services)
    const [first, second] = await expectExact()
    // The planned meeting has happened.
    expect([first!.windows, second!.windows]).toEqual([
      [20, 20, 10],
      [0, 0, 10],
    ])
    platform.advanceClock(90 * dayMs)
    await engagementMomentum.run(platform.services)
    expect((await expectExact()).map(({ windows }) => windows)).toEqual(Array.from({ length: 5 }, () => [0, 0, 0]))
  })

  it('is kept in steps of a bounded number of records, each a range of the index', async () => {
    const organizationId = newId()
    const records = 2 * batchSize + 1
    await platform.query(
      `insert into insights.engagement (organization_id, object, record_id, meeting, form_submission, email, call, sms, chat, event_attendance,
         document_view, web_visit, total, rebuilt_at, last_points)
       select $1, 'account', uuidv7(), 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, now(), 1 from generate_series(1, $2::int)`,
      [organizationId, records],
    )
    const left = async () => {
      const [row] = await platform.query<{ count: number }>(
        'select count(*)::int as count from insights.engagement where organization_id = $1 and last_points > 0',
        [organizationId],
      )
      return row!.count
    }
    const found: number[] = []
    let after: string | null = '00000000-0000-0000-0000-000000000000'
    while (after !== null) {
      after = await momentumStep(platform.services.database, {
        organizationId,
        object: 'account',
        after,
        now: platform.now,
      })
      found.push(await left())
    }
    expect(found).toEqual([records - batchSize, 1, 0])

    let plan = ''
    await platform.inSeparateTransaction(async (sql) => {
      await sql.query('set local enable_seqscan = off')
      const explaining: typeof sql = {
        ...sql,
        query: async <R>(text: string, values: readonly unknown[] = []) => {
          const rows = await sql.query(`explain (costs off) ${text}`, values)
          plan = rows.map((row) => String(Object.values(row)[0])).join('\n')
          return [{ count: 0, last: null }] as R[]
        },
        transaction: (work) => work(explaining),
      }
      const step = { organizationId, object: 'account', after: newId(), now: platform.now } as const
      await momentumStep(explaining, step)
    })
    expect(plan).toMatch(/using engagement_pkey[^\n]*\n\s+Index Cond: [^\n]*record_id > /)
    expect(plan).toMatch(/Index Scan using activity_\w+ on activity a\n/)
  })
})
