import { customEventType } from '../events/custom-event-type/custom-event-type.record.ts'
import type { CustomEventType } from '../events/custom-event-type/custom-event-type.ts'
import { customEventObject } from '../events/public.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { insertEvents, type EventRow } from '../kernel/outbox/event.ts'
import { insertRecords, type GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, iso } from './calendar.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

interface DemoEventType {
  readonly apiName: string
  readonly label: string
  readonly description: string
  readonly publishAccess: CustomEventType['publishAccess']
  readonly schema: CustomEventType['schema']
  readonly payload: (random: Random) => Readonly<Record<string, unknown>>
}

const eventTypes: readonly DemoEventType[] = [
  {
    apiName: 'device_offline',
    label: 'Device offline',
    description: 'A device at a customer has not reported for longer than agreed.',
    publishAccess: 'MEMBERS',
    schema: {
      type: 'object',
      required: ['deviceId', 'minutes'],
      properties: {
        deviceId: {
          type: 'string',
          description: 'Serial number.',
          pattern: '^[A-Z]{2}-[0-9]{4}$',
          examples: ['TR-4410'],
        },
        minutes: { type: 'integer', description: 'Minutes since the last report.', minimum: 1 },
        cause: { type: ['string', 'null'], enum: ['POWER', 'NETWORK', null] },
      },
    },
    payload: (random) => ({
      deviceId: random.digits('TR-####'),
      minutes: random.whole(20, 300),
      cause: random.pick(['POWER', 'NETWORK', null]),
    }),
  },
  {
    apiName: 'contract_signed',
    label: 'Contract signed',
    description: 'Both sides have signed a contract in the signature service.',
    publishAccess: 'ADMINS',
    schema: {
      type: 'object',
      required: ['contractNumber', 'signedOn', 'value'],
      properties: {
        contractNumber: { type: 'string', maxLength: 20 },
        signedOn: { type: 'string', format: 'date' },
        value: { type: 'number', description: 'Value of the contract in its currency.', minimum: 0 },
        isRenewal: { type: 'boolean' },
      },
    },
    payload: (random) => ({
      contractNumber: random.digits('C-2026-####'),
      signedOn: '2026-10-30',
      value: random.whole(10, 400) * 500,
      isRenewal: random.chance(0.4),
    }),
  },
]

const publishedEach = 12
const typesCreatedDays = 120
/** Events are kept for 30 days. */
const publishedDays = 20

/** The custom event types of an organization, and events that were published of each. */
export function demoEventTypes(input: GeneratorInput) {
  const random = new Random(`custom events ${input.profile.code}`)
  const administrator = input.users.find(({ role }) => role === 'OWNER' || role === 'ADMIN')!
  const createdMs = input.midnightMs - typesCreatedDays * dayMs
  const types: GeneratedRecord<CustomEventType>[] = []
  const events: EventRow[] = []
  for (const { payload, ...columns } of eventTypes) {
    const values = {
      ...commonFields(input, random, createdMs, administrator.id),
      ...columns,
      ownerId: administrator.id,
      schemaVersion: 1,
    }
    types.push({ values, actorId: administrator.id, eventId: random.id(createdMs) })
    for (let index = 0; index < publishedEach; index++) {
      const atMs = input.midnightMs - Math.floor((publishedDays * dayMs * (publishedEach - index)) / publishedEach)
      events.push({
        id: random.id(atMs),
        organizationId: input.organizationId,
        type: `custom.${columns.apiName}`,
        version: 1,
        object: customEventObject,
        recordId: values.id,
        occurredAt: iso(atMs),
        actorId: administrator.id,
        data: payload(random),
      })
    }
  }
  return { types, events }
}

/** Inserts the types with the version of their schema that is kept, and the published events. */
export async function insertEventTypes(sql: Sql, { types, events }: ReturnType<typeof demoEventTypes>): Promise<void> {
  await insertRecords(sql, customEventType, types)
  await sql.query(
    `insert into events.custom_event_schema (organization_id, api_name, version, label, description, schema, created_at)
     select organization_id, api_name, schema_version, label, description, schema, created_at
     from events.custom_event_type where id = any($1::uuid[])`,
    [types.map(({ values }) => values.id)],
  )
  await insertEvents(sql, events)
}
