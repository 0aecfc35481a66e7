import { activeUsers, auditRecord } from '../../identity/public.ts'
import { fieldsOfShape } from '../../kernel/condition/condition-fields.ts'
import { conditionProblems } from '../../kernel/condition/conditions.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { waitsForDeployments } from '../../kernel/extension/definition-lock.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { extendedTypeProblems, isExtendedType, latestShapeOfType, unknownObject } from '../extended-type.ts'
import { fewPerType, uniqueNamePerType } from '../few-per-type.ts'
import { namedFunctionExists } from '../function/named-function.ts'
import { operationsProblems } from '../save-operation.ts'
import { registerUse } from '../used-by.ts'
import { triggersMax } from './bounds.ts'
import { triggerEvents } from './trigger.events.ts'
import { AfterSaveTrigger } from './trigger.ts'

const table = 'extensions.after_save_trigger'

/** The conditions must fit the record type. */
async function settingsProblems(
  ctx: RequestContext,
  { objectType, operations, conditions, logic }: AfterSaveTrigger,
): Promise<FieldProblem[]> {
  if (!isExtendedType(objectType)) return extendedTypeProblems('objectType', objectType)
  const shape = await latestShapeOfType(ctx, objectType)
  if (!shape) return [unknownObject('objectType')]
  const fields = fieldsOfShape(shape, null)
  return [...operationsProblems(operations), ...conditionProblems({ conditions, logic }, fields)]
}

export const afterSaveTrigger: RecordDefinition<AfterSaveTrigger> = defineRecord(AfterSaveTrigger, {
  object: 'after_save_trigger',
  table,
  visibleBy: [],
  searchable: ['name', 'description'],
  references: { ownerId: activeUsers },
  unique: { after_save_trigger_name: 'name' },
  events: triggerEvents,
  isAdministrative: true,
  audit: auditRecord(
    'after_save_trigger',
    ({
      objectType,
      name,
      description,
      isActive,
      operations,
      conditions,
      logic,
      function: apiName,
      timeoutMs,
      position,
    }) => ({
      objectType,
      name,
      description,
      isActive,
      operations,
      conditions,
      logic,
      function: apiName,
      timeoutMs,
      position,
    }),
  ),
  checks: (ctx, next) => (next.deletedAt ? Promise.resolve([]) : settingsProblems(ctx, next)),
  serializedRules: [
    waitsForDeployments,
    namedObjectsExist(({ objectType }) => [['objectType', objectType]]),
    uniqueNamePerType(table, () => afterSaveTrigger),
    fewPerType(table, 'triggers', triggersMax),
    namedFunctionExists,
  ],
})

registerUse({
  used: 'serverless_function',
  user: 'after_save_trigger',
  sql: `select t.id, t.name from ${table} t
    join extensions.function f on f.organization_id = t.organization_id and f.api_name = t.function
    where f.organization_id = $1 and f.id = $2 and t.deleted_at is null order by t.created_at, t.id`,
})

registerUse({
  used: 'custom_object',
  user: 'after_save_trigger',
  sql: `select t.id, t.name from ${table} t
    join extensions.custom_object o on o.organization_id = t.organization_id and 'custom:' || o.name = t.object_type
    where o.organization_id = $1 and o.id = $2 and t.deleted_at is null order by t.created_at, t.id`,
})
