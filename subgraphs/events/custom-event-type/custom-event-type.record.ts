import { activeUsers, auditRecord } from '../../identity/public.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { waitsForDeployments } from '../../kernel/extension/definition-lock.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { isSameValue } from '../../kernel/record/same-value.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { customEventTypeEvents } from './custom-event-type.events.ts'
import { apiNamePattern, apiNameText, CustomEventType } from './custom-event-type.ts'
import { SchemaCheck } from './payload-schema.ts'

/** The catalog of an organization has all of them. */
export const customEventTypesMax = 100
export const schemaVersionsMax = 100

/** The latest version of the schema that an API name ever had, also of a deleted type; 0 for a new name. */
async function latestVersion({ db, caller }: RequestContext, apiName: string): Promise<number> {
  const [row] = await db.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from events.custom_event_schema where organization_id = $1 and api_name = $2',
    [caller.organizationId, apiName],
  )
  return row!.version
}

const fewTypes: SerializedRule<CustomEventType> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from events.custom_event_type where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < customEventTypesMax) return []
    const message = `An organization must have at most ${customEventTypesMax} custom event types; delete one first.`
    return [{ path: 'apiName', code: 'TOO_MANY', message }]
  },
}

/** Keeps every version of a schema, because events of it remain when the type changes or is deleted. */
const keptSchema: SerializedRule<CustomEventType> = {
  concerns: (_ctx, next, previous) => next.schemaVersion !== previous?.schemaVersion,
  async enforce({ db }, { organizationId, apiName, schemaVersion, label, description, schema, updatedAt }) {
    await db.query(
      `insert into events.custom_event_schema (organization_id, api_name, version, label, description, schema, created_at)
       values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
      [organizationId, apiName, schemaVersion, label, description, JSON.stringify(schema), updatedAt],
      'WRITE',
    )
    return []
  },
}

function typeProblems(next: CustomEventType, previous: CustomEventType | null): FieldProblem[] {
  const problems: FieldProblem[] = []
  if (!apiNamePattern.test(next.apiName))
    problems.push({ path: 'apiName', code: 'WRONG_FORMAT', message: `apiName must be ${apiNameText}.` })
  if (!previous || !isSameValue(previous.schema, next.schema)) problems.push(...new SchemaCheck(next.schema).problems)
  return problems
}

export const customEventType: RecordDefinition<CustomEventType> = defineRecord(CustomEventType, {
  object: 'custom_event_type',
  table: 'events.custom_event_type',
  visibleBy: [],
  searchable: ['apiName', 'label'],
  references: { ownerId: activeUsers },
  unique: { custom_event_type_api_name: 'apiName' },
  events: customEventTypeEvents,
  audit: auditRecord('custom_event_type', ({ apiName, label, description, schema, schemaVersion, publishAccess }) => ({
    apiName,
    label,
    description,
    schema,
    schemaVersion,
    publishAccess,
  })),
  async decide(ctx, given, previous) {
    if (previous && (given.schema === undefined || isSameValue(given.schema, previous.schema))) return {}
    const apiName = previous?.apiName ?? given.apiName
    if (typeof apiName !== 'string' || !apiNamePattern.test(apiName)) return {}
    const schemaVersion = (await latestVersion(ctx, apiName)) + 1
    if (schemaVersion <= schemaVersionsMax) return { implied: { schemaVersion } }
    const message = `A custom event type must have at most ${schemaVersionsMax} versions of its schema; use another apiName.`
    throw invalid({ path: 'schema', code: 'TOO_MANY', message })
  },
  invariants: typeProblems,
  serializedRules: [waitsForDeployments, fewTypes, keptSchema],
})
