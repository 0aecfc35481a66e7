import type { Sql } from '../../kernel/database/sql.ts'
import { notQuietFor, type EventBatch, type EventConsumer } from '../../kernel/outbox/event-consumer.ts'
import type { LoggedEvent } from '../../kernel/outbox/event-feed.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import type { Services } from '../../kernel/request.ts'
import { isTurnOver, nextTurn } from '../../kernel/work/turn.ts'
import { payloadOf, visibleEvent, type EnvelopeContext, type VisibleEvent } from '../envelope/envelope.ts'
import { noParents, parentsOf } from '../envelope/visibility.ts'
import { debounce } from './debounce.ts'
import { bodyBytesMax, fittingText, newBody, reducedBodyBytesMax, type Body } from './delivery-body.ts'
import { isUpdate, namesType, wants } from './matches.ts'
import { queueDeliveries, type NewDelivery } from './new-delivery.ts'
import { readSubscriptions, unsubscribe, withOwners, type ActiveSubscription } from './subscriptions.ts'

/** Queues the deliveries of each event, in the transaction that stores the position of the event. */
export const webhookConsumer: EventConsumer = {
  name: 'webhooks',
  batch: 50,
  gatherMs: 0,
  subscribers: { table: 'events.webhook_subscriber', channel: 'webhook_subscribers' },
  condition: notQuietFor('DELIVERIES'),
  async types(sql, organizationId) {
    const subscriptions = await readSubscriptions(sql, organizationId)
    if (subscriptions.length === 0) await unsubscribe(sql, organizationId)
    const types = new Set(subscriptions.flatMap(({ events }) => events))
    return [...types].some((type) => type.endsWith('.*')) ? 'ALL' : [...types]
  },
  async consume(services, sql, batch) {
    const { organizationId } = batch
    const { storedBytes } = services
    const bytesMax = storedBytes.isUsedUp(organizationId) ? reducedBodyBytesMax : bodyBytesMax
    const subscriptions = await withOwners(sql, organizationId, await readSubscriptions(sql, organizationId))
    const deliveries = await deliveriesOf(services, sql, batch, subscriptions, bytesMax)
    const { queued, bytes } = await debounce(sql, organizationId, deliveries, bytesMax)
    await queueDeliveries(sql, queued)
    await storedBytes.count(organizationId, bytes + bytesOfBodies(queued))
  },
}

/** Deliveries share bodies, and each is stored once. */
export const bytesOfBodies = (deliveries: readonly NewDelivery[]): number =>
  [...new Set(deliveries.map(({ body }) => body))].reduce((sum, { bytes }) => sum + bytes, 0)

/** The deliveries of events to these webhooks, by what their owners see. */
export async function deliveriesOf(
  services: Services,
  sql: Sql,
  { organizationId, events }: EventBatch,
  subscriptions: readonly ActiveSubscription[],
  bytesMax: number,
): Promise<NewDelivery[]> {
  const wanted = events.filter(({ type }) => subscriptions.some((each) => namesType(each.events, type)))
  if (wanted.length === 0) return []
  const seesAll = subscriptions.every(({ owner }) => owner.ownerIds === null)
  const shapes = services.shapes.shapesOf(organizationId)
  const context: EnvelopeContext = {
    shapes,
    parents: seesAll ? noParents : await parentsOf(sql, organizationId, wanted, shapes),
  }
  const deliveries: NewDelivery[] = []
  for (const event of wanted) {
    const views = new OwnersViews(event, context, bytesMax)
    for (const subscription of subscriptions) {
      if (isTurnOver()) await nextTurn(organizationId)
      const delivery = deliveryOf(event, subscription, views, context.shapes)
      if (delivery) deliveries.push(delivery)
    }
  }
  return deliveries
}

/** An event as the owners of webhooks see it. Webhooks of the same owner share it, and webhooks whose bodies are the same text share the body. */
class OwnersViews {
  readonly #events = new Map<string, VisibleEvent | null>()
  readonly #bodies = new Map<string, Body>()

  constructor(
    private readonly event: LoggedEvent,
    private readonly context: EnvelopeContext,
    private readonly bytesMax: number,
  ) {}

  eventFor({ ownerId, owner }: ActiveSubscription): VisibleEvent | null {
    let seen = this.#events.get(ownerId)
    if (seen === undefined) this.#events.set(ownerId, (seen = visibleEvent(owner, this.event, this.context)))
    return seen
  }

  bodyFor({ ownerId, payloadVersion }: ActiveSubscription, seen: VisibleEvent): Body {
    const key = `${ownerId}:${payloadVersion}`
    let body = this.#bodies.get(key)
    if (body === undefined) {
      const text = fittingText(payloadOf(seen, payloadVersion), this.bytesMax)
      body = [...this.#bodies.values()].find((other) => other.text === text) ?? newBody(text)
      this.#bodies.set(key, body)
    }
    return body
  }
}

function deliveryOf(
  { id, position, type, version, recordId, depth }: LoggedEvent,
  subscription: ActiveSubscription,
  views: OwnersViews,
  shapes: OrganizationShapes | null,
): NewDelivery | null {
  if (position <= subscription.startPosition || subscription.earlierEventIds.includes(id)) return null
  if (!namesType(subscription.events, type)) return null
  const seen = views.eventFor(subscription)
  if (!seen || !wants(subscription, seen, shapes)) return null
  const { debounceSeconds, retryAttempts, retryDelaySeconds } = subscription
  return {
    organizationId: seen.organizationId,
    webhookId: subscription.id,
    eventId: id,
    eventType: type,
    eventVersion: version,
    body: views.bodyFor(subscription, seen),
    attemptsMax: 1 + retryAttempts,
    retryDelaySeconds,
    depth,
    ...(debounceSeconds > 0 && isUpdate(seen) && { debounced: { recordId, seconds: debounceSeconds } }),
  }
}
