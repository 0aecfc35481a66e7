import { expect, it } from 'vitest'
import { opportunity } from '../../../test/builders.ts'
import { notify } from '../../../test/notifications/notify.ts'
import { usePlatform } from '../../../test/platform.ts'
import { newId } from '../../kernel/ids.ts'
import { consumeNext } from '../../kernel/outbox/consume-events.ts'
import { quotaAttainedConsumer } from './attained-consumer.ts'

const platform = usePlatform()

it('announces each quota of a user and of a team once, when what was won reaches it', async () => {
  const organizationId = await platform.organization('Attained')
  const [admin, rep] = [
    await platform.member({ organizationId, role: 'ADMIN' }),
    await platform.member({ organizationId }),
  ]
  const teamId = newId()
  await platform.query(
    `insert into identity.team (organization_id, id, name, created_at, updated_at) values ($1, $2, 'Nordics', now(), now())`,
    [organizationId, teamId],
  )
  await platform.query('insert into identity.team_member (organization_id, team_id, user_id) values ($1, $2, $3)', [
    organizationId,
    teamId,
    rep.userId,
  ])
  const set = async (body: object) => (await admin.rest.quotaSet!({ body })).body.id as string
  const month = await set({ userId: rep.userId, period: '2027-02', target: 100 })
  const none = await set({ userId: rep.userId, period: '2027', target: 0 })
  const quarter = await set({ userId: rep.userId, period: '2027-Q1', target: 150 })
  const team = await set({ teamId, period: '2027-02', target: 120 })
  const consume = async () => {
    await platform.query('select kernel.assign_event_positions(100000)')
    while (await consumeNext(platform.services, quotaAttainedConsumer, organizationId));
    const rows = await platform.query<{ id: string }>(
      `select record_id as id from kernel.event where organization_id = $1 and type = 'quota.attained'`,
      [organizationId],
    )
    return rows.map(({ id }) => id).toSorted()
  }
  const deal = await opportunity(rep, { stage: 'CLOSED_WON', amount: 99 })
  expect(await consume()).toEqual([])
  await opportunity(rep, { stage: 'CLOSED_WON', amount: 1 })
  expect(await consume()).toEqual([month])
  await rep.rest.opportunityUpdate!({ id: deal.id as string, body: { amount: 119 } })
  expect(await consume()).toEqual([month, team].toSorted())
  // A lower target is reached by what was won before; an attained one is announced no second time.
  await set({ userId: rep.userId, period: '2027-Q1', target: 110 })
  await set({ userId: rep.userId, period: '2027-02', target: 50 })
  const all = [month, team, quarter].toSorted()
  expect(await consume()).toEqual(all)
  await rep.rest.opportunityUpdate!({ id: deal.id as string, body: { amount: 300 } })
  expect([await consume(), all.includes(none)]).toEqual([all, false])
  // The user is told of the own quotas, each once; the quota of a team has nobody to tell.
  await notify(platform, organizationId)
  const told = await platform.query(
    `select user_id as "userId", entity_id as "entityId" from events.notification
     where organization_id = $1 and event_key = 'quota.attained' order by entity_id`,
    [organizationId],
  )
  expect(told).toEqual([month, quarter].toSorted().map((entityId) => ({ userId: rep.userId, entityId })))
})
