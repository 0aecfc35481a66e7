import { deliveryQueue } from '../../subgraphs/events/delivery/delivery-queue.ts'
import { webhookConsumer } from '../../subgraphs/events/delivery/webhook-consumer.ts'
import { consumeNext } from '../../subgraphs/kernel/outbox/consume-events.ts'
import { ageQueueItems, drain } from '../../subgraphs/kernel/queue/queue.fixture.ts'
import type { Services } from '../../subgraphs/kernel/request.ts'

/** Compares all committed events of the organization with its webhooks. */
export async function fanOut(services: Services, organizationId: string): Promise<void> {
  await services.database.query('select kernel.assign_event_positions(10000)')
  while (await consumeNext(services, webhookConsumer, organizationId));
}

/** Sends everything that is due, as one worker does. */
export async function deliver(services: Services, organizationId: string): Promise<void> {
  await fanOut(services, organizationId)
  await drain(deliveryQueue, services)
}

/** As if `ms` had passed for the queue. */
export const pass = (services: Services, ms: number): Promise<void> => ageQueueItems(services, deliveryQueue.table, ms)
