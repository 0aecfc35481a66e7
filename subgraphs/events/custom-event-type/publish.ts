import { LRUCache } from 'lru-cache'
import { invalid, notFound } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { eventInsert } from '../../kernel/outbox/event.ts'
import { Values } from '../../kernel/record/predicate.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { customEventObject, shownEventId } from '../envelope/envelope.ts'
import { apiNamePattern, type PublishAccess } from './custom-event-type.ts'
import { PayloadSchema } from './payload-schema.ts'
import type { PublishedEvent } from './published-event.ts'

export const payloadCharactersMax = 32_768

interface StoredType {
  readonly id: string
  readonly schemaVersion: number
  readonly publishAccess: PublishAccess
}

/** Compiled schemas by type and version, at most 16 MB of them: a compiled schema takes about 20 times its text. */
const schemas = new LRUCache<string, PayloadSchema>({ maxSize: 16_000_000 })

async function schemaOf(
  { db, caller }: RequestContext,
  apiName: string,
  { id, schemaVersion }: StoredType,
): Promise<PayloadSchema> {
  const key = `${caller.organizationId}:${id}:${schemaVersion}`
  const known = schemas.get(key)
  if (known) return known
  const [row] = await db.query<{ schema: Record<string, unknown> }>(
    'select schema from events.custom_event_schema where organization_id = $1 and api_name = $2 and version = $3',
    [caller.organizationId, apiName, schemaVersion],
  )
  const compiled = new PayloadSchema(row!.schema)
  schemas.set(key, compiled, { size: 1000 + 20 * JSON.stringify(row!.schema).length })
  return compiled
}

/** Writes one event row with the payload, if the payload fits the current schema of the type and the caller may publish it. */
export async function publishCustomEvent(
  ctx: RequestContext,
  apiName: string,
  payload: unknown,
): Promise<PublishedEvent> {
  requireWritableRole(ctx)
  if (!apiNamePattern.test(apiName)) throw notFound('The custom event type')
  const [type] = await ctx.db.query<StoredType>(
    `select id, schema_version as "schemaVersion", publish_access as "publishAccess" from events.custom_event_type
     where organization_id = $1 and api_name = $2 and deleted_at is null`,
    [ctx.caller.organizationId, apiName],
  )
  if (!type) throw notFound('The custom event type')
  if (type.publishAccess === 'ADMINS') requireAdministrator(ctx)
  if (!isJsonObject(payload))
    throw invalid({ path: 'data', code: 'WRONG_TYPE', message: 'data must be an object, the payload of the event.' })
  if (JSON.stringify(payload).length > payloadCharactersMax) {
    const message = `data must have at most ${payloadCharactersMax} characters as JSON.`
    throw invalid({ path: 'data', code: 'TOO_LONG', message })
  }
  const problems = (await schemaOf(ctx, apiName, type)).problemsOf(payload)
  if (problems.length > 0) throw invalid(...problems)

  const id = newId()
  const event = { id, type: `custom.${apiName}`, version: type.schemaVersion, object: customEventObject }
  const values = new Values()
  const occurredAt = ctx.clock.now().toISOString()
  await ctx.db.query(eventInsert(ctx, values, [{ ...event, recordId: type.id, data: payload }]), values.list, 'WRITE')
  return { id: shownEventId(id), type: event.type, version: event.version, occurredAt }
}
