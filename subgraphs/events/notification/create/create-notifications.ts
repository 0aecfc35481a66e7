import { userNames, type Recipient } from '../../../identity/public.ts'
import type { Sql } from '../../../kernel/database/sql.ts'
import { notQuietFor, type EventBatch, type EventConsumer } from '../../../kernel/outbox/event-consumer.ts'
import { systemContext, type Services } from '../../../kernel/request.ts'
import { mayNotify, notifyingTypes } from '../catalog/catalog.ts'
import { wantedChannels } from '../preferences/preferences.rules.ts'
import { preferencesOf } from '../preferences/stored-preferences.ts'
import { usersWithDevices } from '../push/devices.ts'
import { queuePushes } from '../push/queue-pushes.ts'
import { mailNotifications } from '../mail/mail-notifications.ts'
import { actorsOf, candidatesOf, withRecipients, withSql, type Candidate } from './candidates.ts'
import { compose } from './compose.ts'
import { planOf } from './delivery-plan.ts'
import { collectiveDraft, singleDraft, type Draft } from './draft.ts'
import { announce, insertNotifications, raiseCollective, removeOldest } from './notification-rows.ts'
import { recentOf, singlesMax, type Recent } from './recent.ts'
import { visiblePairs } from './visibility.ts'

const hourMs = 3_600_000

/** Creates notifications from the event log. */
export const notificationConsumer: EventConsumer = {
  name: 'notification',
  batch: 500,
  // Nobody waits for a notification as for an answer, and one transaction for several events costs less.
  gatherMs: 200,
  types: () => Promise.resolve(notifyingTypes),
  // Most records are created by their owner.
  condition: `(${mayNotify}) and ${notQuietFor('DELIVERIES')}`,
  consume: createNotifications,
}

type Pair = { readonly candidate: Candidate; readonly recipient: Recipient }

async function createNotifications(
  services: Services,
  sql: Sql,
  { organizationId, events }: EventBatch,
): Promise<void> {
  const ctx = withSql(systemContext(services, organizationId), sql)
  const found = await candidatesOf(ctx, events)
  if (found.length === 0) return
  const { candidates, recipients } = await withRecipients(sql, organizationId, found)
  const pairs = await visiblePairs(services, sql, candidates, recipients)
  if (pairs.length === 0) return
  const drafts = await insertNotifications(sql, organizationId, await draftsOf(services, sql, organizationId, pairs))
  await mailNotifications(
    ctx,
    drafts.filter(({ row }) => row.email === 'SENT'),
  )
  await queuePushes(
    sql,
    organizationId,
    drafts.filter(({ row }) => row.push === 'PENDING'),
  )
  const userIds = [...new Set(pairs.map(({ recipient }) => recipient.id))]
  await removeOldest(sql, organizationId, userIds)
  await announce(sql, organizationId, userIds)
}

/** The notifications to insert. Those that exceed the number for one kind are counted in one that stands for them. */
async function draftsOf(
  services: Services,
  sql: Sql,
  organizationId: string,
  pairs: readonly Pair[],
): Promise<Draft[]> {
  const now = services.clock.now()
  const userIds = [...new Set(pairs.map(({ recipient }) => recipient.id))]
  const preferences = await preferencesOf(sql, organizationId, userIds)
  const recent = await recentOf(sql, organizationId, userIds, new Date(now.getTime() - hourMs))
  const names = await userNames(sql, organizationId, actorsOf(pairs.map(({ candidate }) => candidate)))
  const devices = services.settings.vapid ? await usersWithDevices(sql, organizationId, userIds) : new Set<string>()
  const exceeding = new Map<string, { readonly pair: Pair; count: number }>()
  const singles = pairs.flatMap((pair): Draft[] => {
    const { candidate, recipient } = pair
    const { kind, event } = candidate
    const got = recent.get(recipient.id)!
    const situation = {
      now,
      occurredAt: event.occurredAt,
      preferences: preferences.get(recipient.id) ?? {},
      recipient,
      hasDevice: devices.has(recipient.id),
      singleMails: got.singleMails,
      pushes: got.pushes,
    }
    const number = (got.byKey.get(kind.key) ?? 0) + 1
    if (number > singlesMax) {
      if (wantedChannels(situation.preferences, kind).inApp) countExceeding(exceeding, pair)
      return []
    }
    const plan = planOf(kind, situation)
    if (!plan) return []
    got.byKey.set(kind.key, number)
    got.singleMails += plan.email === 'SENT' ? 1 : 0
    got.pushes += plan.push === 'PENDING' ? 1 : 0
    return [singleDraft(candidate, recipient, compose(candidate, recipient, names), plan, now)]
  })
  return [...singles, ...(await collectives(sql, organizationId, exceeding, recent, now))]
}

function countExceeding(exceeding: Map<string, { readonly pair: Pair; count: number }>, pair: Pair): void {
  const key = `${pair.recipient.id} ${pair.candidate.kind.key}`
  const counted = exceeding.get(key)
  if (counted) counted.count++
  else exceeding.set(key, { pair, count: 1 })
}

/** Adds to the notification that stands for further ones, or creates it. */
async function collectives(
  sql: Sql,
  organizationId: string,
  exceeding: ReadonlyMap<string, { readonly pair: Pair; readonly count: number }>,
  recent: ReadonlyMap<string, Recent>,
  now: Date,
): Promise<Draft[]> {
  const drafts: Draft[] = []
  for (const { pair, count } of exceeding.values()) {
    const { candidate, recipient } = pair
    const existing = recent.get(recipient.id)!.collectiveByKey.get(candidate.kind.key)
    if (existing === undefined || !(await raiseCollective(sql, organizationId, existing, candidate.kind, count)))
      drafts.push(collectiveDraft(candidate, recipient, count, now))
  }
  return drafts
}
