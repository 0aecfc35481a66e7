import { activeUsers, auditRecord } from '../../identity/public.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { functionsMax } from './bounds.ts'
import { functionEvents } from './function.events.ts'
import { eventTypeProblems, settingsProblems } from './function.rules.ts'
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
  invariants: settingsProblems,
  checks: eventTypeProblems,
  serializedRules: [fewFunctions],
})
