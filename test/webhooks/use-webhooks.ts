import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { insertEvents } from '../../subgraphs/kernel/outbox/event.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { usePlatform, type Member, type Platform } from '../platform.ts'
import { deliver } from './deliver.ts'
import { Receiver } from './receiver.ts'

/** A platform with a receiver on the loopback interface; each test begins with an owner of a new organization and an empty queue. */
export interface WebhookTest {
  readonly platform: Platform
  readonly receiver: Receiver
  readonly owner: Member
}

export function useWebhooks(): WebhookTest {
  const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.0/8' })
  const used: { platform: Platform; receiver?: Receiver; owner?: Member } = { platform }
  beforeAll(async () => {
    used.receiver = await Receiver.start()
  })
  afterAll(() => used.receiver!.close())
  beforeEach(async () => {
    await platform.query('delete from events.delivery_queue')
    used.receiver!.take()
    used.receiver!.respond = (res) => void res.writeHead(204).end()
    used.owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  })
  return used as WebhookTest
}

export async function aWebhook({ receiver, owner }: WebhookTest, input: object = {}, by: Member = owner) {
  const body = { name: 'ERP', url: receiver.url, events: ['account.*'], ...input }
  const { status, body: created } = await by.rest.webhookCreate!({ body })
  expect([status, created.errors]).toEqual([201, undefined])
  return created as { readonly id: string; readonly secret: string }
}

export const deliverAll = ({ platform, owner }: WebhookTest): Promise<void> =>
  deliver(platform.services, owner.organizationId)

export const answering = ({ receiver }: WebhookTest, status: number): void => {
  receiver.respond = (res) => void res.writeHead(status).end()
}

/** The attempts of a webhook, oldest first. */
export const attemptsOf = ({ platform }: WebhookTest, webhookId: string) =>
  platform.query(
    `select attempt, status, error from events.delivery_shown where webhook_id = $1 order by created_at, id`,
    [webhookId],
  )

/** Gives a user a profile with these restrictions of accounts. */
export async function restrict(
  { platform }: WebhookTest,
  { organizationId, userId }: Member,
  account: Readonly<Record<string, 'HIDDEN' | 'READ'>>,
): Promise<void> {
  const ctx = systemContext(platform.services, organizationId)
  const { id } = await createProfile(ctx, { name: `Restricted ${Object.keys(account).join()}`, fields: { account } })
  await assignProfile(ctx, userId, id)
}

/** Events of accounts that do not exist, after all others; their ids as webhooks get them. */
export async function accountEvents(
  platform: Platform,
  { organizationId, userId: ownerId }: Member,
  count: number,
): Promise<string[]> {
  const occurredAt = platform.now.toISOString()
  const rows = Array.from({ length: count }, () => {
    const recordId = newId()
    const record = { id: recordId, name: 'Bulk', ownerId, version: 1 }
    const data = { object: 'account', id: recordId, record, previous: null, changedFields: null, actorId: null }
    const event = { type: 'account.created', version: 1, object: 'account', recordId, data }
    return { ...event, id: newId(), organizationId, occurredAt, actorId: null }
  })
  await insertEvents(platform.services.database, rows)
  await platform.query('select kernel.assign_event_positions(100000)')
  return rows.map(({ id }) => `evt_${id}`)
}
