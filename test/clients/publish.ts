import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Member } from '../platform.ts'

/** Creates a custom event type and publishes one event of it. Returns the type of the event. */
export async function publishOne(owner: Member): Promise<string> {
  const apiName = `t${newId().replaceAll('-', '')}`
  const schema = { type: 'object', properties: { level: { type: 'integer' } } }
  const created = await owner.rest.customEventTypeCreate!({ body: { apiName, label: 'Level', schema } })
  const published = await owner.rest.customEventPublish!({ apiName, body: { data: { level: 7 } } })
  if (created.status !== 201 || published.status !== 200)
    throw new Error(`The event must be published: ${created.status} ${published.status}.`)
  return `custom.${apiName}`
}

export const customEventsDocument =
  'subscription Published($types: [String!]) { customEvents(types: $types, after: "0") { type data } }'
