import { LRUCache } from 'lru-cache'
import type { ConditionFields } from '../../kernel/condition/condition-fields.ts'
import { compileStoredConditions, type Conditions } from '../../kernel/condition/conditions.ts'
import type { GivenConditions } from '../../kernel/condition/parse-conditions.ts'
import { customFieldKey } from '../../kernel/record/custom-field-column.ts'
import { eventSourceIn } from '../../kernel/record/custom-object.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { OrganizationShapes } from '../../kernel/record/shape-source.ts'
import { customEventObject, type VisibleEvent } from '../envelope/envelope.ts'
import { fieldsOfEvents } from '../webhook/event-fields.ts'
import type { ActiveSubscription } from './subscriptions.ts'

type Fields = Readonly<Record<string, unknown>>

const objectOf = (type: string): string => type.slice(0, type.lastIndexOf('.'))

/** Whether a list of event types has this one: by its name, or all of its object (`order.*`). */
export const namesType = (events: readonly string[], type: string): boolean =>
  events.includes(type) || events.includes(`${objectOf(type)}.*`)

/** Whether the webhook wants the event, as its owner sees it: by `fields`, `conditions` and `skipOwn`. */
export function wants(
  { ownerId, owner, skipOwn, fields, conditions, logic }: ActiveSubscription,
  event: VisibleEvent,
  shapes: OrganizationShapes | null,
): boolean {
  // What an automation does in the name of the owner is news to the receiver of the owner's webhook.
  if (skipOwn && event.actorId === ownerId && event.depth === 0 && event.origin === null) return false
  const { record, previous, changedFields } = recordsOf(event)
  if (changedFields && fields.length > 0 && !fields.some((name) => hasChanged(name, changedFields, record, previous)))
    return false
  if (conditions.length === 0) return true
  const given: GivenConditions = { conditions, logic }
  return matcherOf(given, event.object, owner.fields, shapes)(record, previous, Date.parse(event.occurredAt))
}

interface Records {
  readonly record: Fields
  /** Null also if the recipient could not see the record before the change. */
  readonly previous: Fields | null
  /** Null if the event is no change of a record that existed before. */
  readonly changedFields: readonly string[] | null
}

/**
 * An event of a record has the record and, if it was changed, its previous version; the data of any other event is its record. The payload of
 * a custom event may have members of any name, also `record` and `previous`.
 */
function recordsOf({ object, data }: Pick<VisibleEvent, 'object' | 'data'>): Records {
  const isOfRecord = object !== customEventObject && typeof data['record'] === 'object' && data['record'] !== null
  if (!isOfRecord) return { record: data, previous: null, changedFields: null }
  const { record, previous = null, changedFields = null } = data as Partial<Records>
  return { record: record!, previous, changedFields }
}

/** Whether the event is a change of a record that existed before, and was visible before. */
export const isUpdate = (event: Pick<VisibleEvent, 'object' | 'data'>): boolean => recordsOf(event).previous !== null

function hasChanged(name: string, changedFields: readonly string[], record: Fields, previous: Fields | null): boolean {
  const key = customFieldKey(name)
  if (key === null) return changedFields.includes(name)
  const valueIn = (of: Fields | null): unknown => (of?.['customFields'] as Fields | null | undefined)?.[key] ?? null
  return !isSameValue(valueIn(record), valueIn(previous))
}

/** Conditions on custom events, whose payloads have members of any name. */
const anyField = (of: string): ConditionFields => ({ of, field: (name) => ({ name, kind: 'any' }) })

function fieldsOf(
  object: string,
  restrictions: ActiveSubscription['owner']['fields'],
  shapes: OrganizationShapes | null,
) {
  const source = eventSourceIn({ shapes }, object)
  return source ? fieldsOfEvents(source, { shapes }, { fields: restrictions }) : anyField(object)
}

const compiled = new LRUCache<string, { readonly matches: Conditions; readonly shapes: OrganizationShapes | null }>({
  max: 1_000,
})

/** Conditions are compiled once for an object, the restrictions of the owner and the definitions of the organization. */
function matcherOf(
  given: GivenConditions,
  object: string,
  restrictions: ActiveSubscription['owner']['fields'],
  shapes: OrganizationShapes | null,
): Conditions {
  const key = JSON.stringify([object, given, restrictions?.[object] ?? null])
  let found = compiled.get(key)
  if (found?.shapes !== shapes) {
    found = { matches: compileStoredConditions(given, fieldsOf(object, restrictions, shapes)), shapes }
    compiled.set(key, found)
  }
  return found!.matches
}
