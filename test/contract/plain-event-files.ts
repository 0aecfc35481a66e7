import type { PlainEvents, PlainEventType, PlainKind } from '../../subgraphs/kernel/outbox/plain-events.ts'
import { dataSchema, type EventFile, type Json } from './event-file.ts'

const jsonTypeOf: Readonly<Record<PlainKind, Json>> = {
  id: { type: 'string' },
  text: { type: 'string' },
  boolean: { type: 'boolean' },
  timestamp: { type: 'string', format: 'date-time' },
  textList: { type: 'array', items: { type: 'string' } },
}

function schemaOf(kind: string): Json {
  const { type, ...rest } = jsonTypeOf[kind.replace('?', '') as PlainKind]
  return { type: kind.endsWith('?') ? [type, 'null'] : type, ...rest }
}

/** The actor is the signed-in user; null for operator commands. */
const sampleActor = '019a0c5e-7f00-7c1d-8f21-64d0a95be713'

const sampleOf = (object: string, { record, before }: PlainEventType): Json => ({
  object,
  id: record.id,
  record,
  previous: before ? { ...record, ...before } : null,
  changedFields: before ? Object.keys(before).filter((name) => name !== 'updatedAt') : null,
  actorId: sampleActor,
})

export function plainEventFiles({ object, properties, types }: PlainEvents): EventFile[] {
  const schemas = Object.fromEntries(Object.entries(properties).map(([name, kind]) => [name, schemaOf(kind)]))
  return Object.entries(types).map(([type, eventType]) => ({
    type,
    schema: dataSchema({ object, type, description: eventType.description, properties: schemas }),
    sample: sampleOf(object, eventType),
  }))
}
