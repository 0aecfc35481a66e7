import { createClient } from 'graphql-ws'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { account, supportCase } from '../builders.ts'
import { protocols, type Payload } from '../live.ts'
import { usePlatform, type Member } from '../platform.ts'
import { newSession } from '../requests/session.ts'

const platform = usePlatform()

const changes = (object: string, more = '') => `subscription ($after: String) {
  changed: recordChanged(object: ${object}, after: $after${more}) {
    id type cursor occurredAt object recordId changedFields actorId account { name } case { subject }
  }
}`
const changed = (payload: Payload | 'completed' | 'closed') => (payload as Payload).data.changed as object
const eventId = expect.stringMatching(/^evt_/) as string
const nothing = { changedFields: null, actorId: null, account: null, case: null }

async function update(by: Member, id: string, body: object): Promise<void> {
  expect((await by.rest.accountUpdate!({ id, body })).status).toBe(200)
}

describe.each(protocols)('recordChanged of all records over %s', (_protocol, subscribe) => {
  it('names the record, its type, what changed and who changed it, also of a deletion', async () => {
    const member = await platform.member()
    const live = await subscribe(platform, member, changes('ACCOUNT'), { after: await latest(member) })
    const { id } = await account(member, { name: 'Acme' })
    await update(member, id, { name: 'Acme B', industry: 'Trade' })
    expect((await member.rest.accountDelete!({ id })).status).toBe(204)
    const of = { object: 'ACCOUNT', recordId: id, actorId: member.userId, case: null }
    expect(changed(await live.next())).toMatchObject({ ...of, type: 'account.created', changedFields: null })
    const fields = ['industry', 'name']
    const renamed = changed(await live.next()) as { changedFields: string[] }
    expect(renamed).toMatchObject({ ...of, type: 'account.updated' })
    expect(renamed.changedFields.toSorted()).toEqual(fields)
    expect(changed(await live.next())).toMatchObject({ ...of, type: 'account.deleted', account: null })
  })

  it('sends a last event, with the id only, when a record leaves the sight of the subscriber', async () => {
    const all = await platform.member()
    const own = await platform.member({ visibility: 'OWN' })
    const { id } = await account(all, { name: 'Mine', ownerId: own.userId })
    const other = await account(all, { name: 'Never seen' })
    const after = await latest(all)
    const live = await subscribe(platform, own, changes('ACCOUNT'), { after })
    const whole = await subscribe(platform, all, changes('ACCOUNT'), { after })
    await update(all, id, { ownerId: all.userId, name: 'Given away' })
    await update(all, other.id, { name: 'Still not seen' })
    await update(all, id, { name: 'Secret' })
    const later = await account(all, { name: 'Next', ownerId: own.userId })
    const left = changed(await live.next())
    expect(left).toEqual({
      ...nothing,
      id: eventId,
      type: 'account.left_sight',
      cursor: expect.stringMatching(/^\d+$/) as string,
      occurredAt: platform.now.toISOString(),
      object: 'ACCOUNT',
      recordId: id,
    })
    expect(changed(await live.next())).toMatchObject({ type: 'account.created', recordId: later.id })
    const seen = changed(await whole.next()) as { changedFields: string[] }
    expect(seen).toMatchObject({ type: 'account.updated', recordId: id, actorId: all.userId })
    expect(seen.changedFields.toSorted()).toEqual(['name', 'ownerId'])
  })

  it('does so for a filter only if what was seen before met it, and for assignees of cases', async () => {
    const all = await platform.member()
    const own = await platform.member({ visibility: 'OWN' })
    const [kept, others] = [
      await account(all, { name: 'Kept', industry: 'Trade', ownerId: own.userId }),
      await account(all, { name: 'Others', industry: 'Mining', ownerId: own.userId }),
    ]
    const filter = ', filter: [{ field: "industry", operator: EQUALS, value: "Trade" }]'
    const after = await latest(all)
    const live = await subscribe(platform, own, changes('ACCOUNT', filter), { after })
    await update(all, others.id, { ownerId: all.userId, industry: 'Trade' })
    await update(all, kept.id, { ownerId: all.userId, industry: 'Mining' })
    expect(changed(await live.next())).toMatchObject({ ...nothing, type: 'account.left_sight', recordId: kept.id })

    const { id } = await supportCase(all, { subject: 'Printer' })
    const cases = await subscribe(platform, own, changes('CASE'), { after: await latest(all) })
    for (const assignedToId of [own.userId, all.userId])
      expect((await all.rest.caseAssign!({ id, body: { assignedToId } })).status).toBe(200)
    const types: unknown[] = []
    for (let payload: object | null = null; (payload as { type?: string } | null)?.type !== 'case.left_sight';) {
      payload = changed(await cases.next())
      expect(payload).toMatchObject({ recordId: id })
      types.push((payload as { type: string }).type)
    }
    expect(types.filter((type) => type === 'case.left_sight')).toHaveLength(1)
  })
})

it('does not tell the id of a record that the subscriber never saw: a query of its event is NOT_FOUND', async () => {
  const all = await platform.member()
  const own = await platform.member({ visibility: 'OWN' })
  const { id } = await account(all, { name: 'Never seen' })
  const cursor = await latest(all)
  const { body } = await own.graphql(
    'query ($id: ID!, $cursor: String!) { recordChange(object: ACCOUNT, id: $id, cursor: $cursor) { type } }',
    { id, cursor },
  )
  expect([body.data.recordChange, body.errors[0].extensions.code]).toEqual([null, 'NOT_FOUND'])
})

/** The position of the latest event. */
async function latest({ organizationId }: Member): Promise<string> {
  await platform.query('select kernel.assign_event_positions(10000)')
  const [row] = await platform.query<{ position: string }>(
    'select coalesce(max(position), 0)::text as position from kernel.event_log where organization_id = $1',
    [organizationId],
  )
  return row!.position
}

describe('a subscription of a session', () => {
  it('lives on through the renewal of the token: the connection is closed with 4403, and the client connects again', async () => {
    const member = await platform.member()
    let { accessToken } = await newSession(platform, member)
    const closed = Promise.withResolvers<CloseEvent>()
    const client = createClient({
      url: `${platform.url.replace('http', 'ws')}/v1/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: () => ({ Authorization: `Bearer ${accessToken}` }),
      on: { closed: (event) => closed.resolve(event as CloseEvent) },
    })
    onTestFinished(() => void client.dispose())
    const variables = { after: await latest(member) }
    const events = client.iterate({ query: changes('ACCOUNT'), variables })
    const next = async (): Promise<object> => {
      const { value } = (await events.next()) as { value: Payload }
      variables.after = (changed(value) as { cursor: string }).cursor
      return changed(value)
    }
    const { id } = await account(member, { name: 'Before' })
    expect(await next()).toMatchObject({ type: 'account.created', recordId: id })
    platform.advanceClock(16 * 60_000)
    ;({ accessToken } = await newSession(platform, member))
    const { code, reason } = await closed.promise
    expect([code, reason]).toEqual([4403, 'TOKEN_EXPIRED'])
    await update(member, id, { name: 'After' })
    expect(await next()).toMatchObject({ type: 'account.updated', recordId: id, account: { name: 'After' } })
  })
})
