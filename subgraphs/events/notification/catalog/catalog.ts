import { assignments } from './assignments.ts'
import { deals } from './deals.ts'
import type { NotificationKind } from './notification-kind.ts'
import { quotesAndOrders } from './quotes-and-orders.ts'
import { securityAndIntegrations } from './security-and-integrations.ts'
import { tasksAndCases } from './tasks-and-cases.ts'

/** Every kind of notification, by its key. */
export const catalog: ReadonlyMap<string, NotificationKind> = new Map(
  [...assignments, ...tasksAndCases, ...deals, ...quotesAndOrders, ...securityAndIntegrations].map((kind) => [
    kind.key,
    kind,
  ]),
)

const byType = new Map<string, NotificationKind[]>()
for (const kind of catalog.values()) {
  for (const type of kind.on) byType.set(type, [...(byType.get(type) ?? []), kind])
}

/** The kinds of notification that an event of this type may cause. */
export const kindsOf = (eventType: string): readonly NotificationKind[] => byType.get(eventType) ?? []

export const notifyingTypes: readonly string[] = [...byType.keys()].toSorted()
