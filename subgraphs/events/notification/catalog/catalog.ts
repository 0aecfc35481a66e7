import { sqlLiteral } from '../../../kernel/record/custom-field-column.ts'
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

/** Only users whom the record of the event names get it, and never the user who acted. */
const isForOthers = ({ others, named, about, isForActor }: NotificationKind): boolean =>
  !others && !named && !about && !isForActor

/** SQL on a row `e` of the event log: false if the event, of a type that only names users in its record, names nobody but the user who acted. */
export const mayNotify: string = (() => {
  const types = notifyingTypes.filter((type) => kindsOf(type).every(isForOthers))
  const fields = new Set(types.flatMap((type) => kindsOf(type).flatMap(({ to }) => to)))
  const named = [...fields].map((field) => `e.data->'record'->>${sqlLiteral(field)} <> coalesce(e.actor_id::text, '')`)
  return [`e.type <> all(array[${types.map(sqlLiteral).join(', ')}])`, ...named].join(' or ')
})()
