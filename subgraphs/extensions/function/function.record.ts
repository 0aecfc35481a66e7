import { activeUsers, auditRecord } from '../../identity/public.ts'
import { waitsForDeployments } from '../../kernel/extension/definition-lock.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { registerUse } from '../used-by.ts'
import { functionsMax } from './bounds.ts'
import { functionEvents } from './function.events.ts'
import { eventTypeProblems, settingsProblems, startingObjects } from './function.rules.ts'
import { ServerlessFunction } from './function.ts'

const fewFunctions: SerializedRule<ServerlessFunction> = {
  concerns: (_ctx, _next, previous) => previous === null,
  async enforce({ db, caller }) {
    const [row] = await db.query<{ count: number }>(
      'select count(*)::int as count from extensions.function where organization_id = $1 and deleted_at is null',
      [caller.organizationId],
    )
    if (row!.count < functionsMax) return []
    const message = `An organization must have at most ${functionsMax} functions; delete one first.`
    return [{ path: 'apiName', code: 'TOO_MANY', message }]
  },
}

/** The settings. Neither secrets nor sources are in the audit log. */
const audited = (one: ServerlessFunction) => ({
  apiName: one.apiName,
  name: one.name,
  description: one.description,
  envVars: Object.keys(one.envVars),
  timeoutMs: one.timeoutMs,
  memoryMb: one.memoryMb,
  allowedHosts: one.allowedHosts,
  runAsUserId: one.runAsUserId,
  runAsAdmin: one.runAsAdmin,
  scopes: one.scopes,
  httpEnabled: one.httpEnabled,
  eventTypes: one.eventTypes,
  schedule: one.schedule,
  isActive: one.isActive,
  deployedVersionId: one.deployedVersionId,
})

export const serverlessFunction: RecordDefinition<ServerlessFunction> = defineRecord(ServerlessFunction, {
  object: 'serverless_function',
  table: 'extensions.function_with_state',
  storedIn: 'extensions.function',
  visibleBy: [],
  searchable: ['apiName', 'name'],
  references: { runAsUserId: activeUsers },
  unique: { function_api_name: 'apiName' },
  events: functionEvents,
  isAdministrative: true,
  audit: auditRecord('serverless_function', audited),
  localColumns: ['runAsUserId'],
  invariants: settingsProblems,
  checks: eventTypeProblems,
  serializedRules: [waitsForDeployments, fewFunctions, namedObjectsExist<ServerlessFunction>(startingObjects)],
})

registerUse({
  used: 'custom_object',
  user: 'serverless_function',
  sql: `select f.id, f.api_name as name from extensions.function f
    join extensions.custom_object o on o.organization_id = f.organization_id and f.event_types && array(
      select 'custom_object.' || o.name || '.' || verb from unnest('{created,updated,deleted,restored}'::text[]) verb)
    where o.organization_id = $1 and o.id = $2 and f.deleted_at is null order by f.api_name, f.id`,
})
