import { activeUsers, auditRecord } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { defineRecord, type RecordDefinition } from '../../kernel/record/definition.ts'
import { namedObjectsExist } from '../custom-object/named-objects.ts'
import { extendedTypeProblems } from '../extended-type.ts'
import { fewPerType, published, uniqueNamePerType } from '../few-per-type.ts'
import { namedFunctionExists } from '../function/named-function.ts'
import { operationsProblems } from '../save-operation.ts'
import { registerUse } from '../used-by.ts'
import { hooksMax } from './bounds.ts'
import { hookEvents } from './hook.events.ts'
import { BeforeSaveHook } from './hook.ts'

const table = 'extensions.before_save_hook'

function settingsProblems({
  objectType,
  operations,
  url,
  function: apiName,
  deletedAt,
}: BeforeSaveHook): FieldProblem[] {
  if (deletedAt) return []
  const problems = [...extendedTypeProblems('objectType', objectType), ...operationsProblems(operations)]
  if (url === null && apiName === null)
    problems.push({ path: 'url', code: 'REQUIRED', message: 'A hook must have either url or function.' })
  if (url !== null && apiName !== null)
    problems.push({ path: 'function', code: 'NOT_TOGETHER', message: 'url and function must not be given together.' })
  return problems
}

export const beforeSaveHook: RecordDefinition<BeforeSaveHook> = defineRecord(BeforeSaveHook, {
  object: 'before_save_hook',
  table: 'extensions.before_save_hook_with_state',
  storedIn: table,
  visibleBy: [],
  searchable: ['name', 'description'],
  references: { ownerId: activeUsers },
  unique: { before_save_hook_name: 'name' },
  events: hookEvents,
  localColumns: ['sealedSecret', 'sealedPreviousSecret', 'previousSecretExpiresAt'],
  isAdministrative: true,
  audit: auditRecord(
    'before_save_hook',
    ({
      objectType,
      name,
      description,
      isActive,
      operations,
      url,
      function: apiName,
      timeoutMs,
      failureMode,
      position,
      previousSecretExpiresAt,
    }) => ({
      objectType,
      name,
      description,
      isActive,
      operations,
      url,
      function: apiName,
      timeoutMs,
      failureMode,
      position,
      previousSecretExpiresAt,
    }),
  ),
  invariants: settingsProblems,
  serializedRules: [
    published,
    namedObjectsExist(({ objectType }) => [['objectType', objectType]]),
    uniqueNamePerType(table, () => beforeSaveHook),
    fewPerType(table, 'hooks', hooksMax),
    namedFunctionExists,
  ],
})

registerUse({
  used: 'serverless_function',
  user: 'before_save_hook',
  sql: `select h.id, h.name from ${table} h
    join extensions.function f on f.organization_id = h.organization_id and f.api_name = h.function
    where f.organization_id = $1 and f.id = $2 and h.deleted_at is null order by h.created_at, h.id`,
})

registerUse({
  used: 'custom_object',
  user: 'before_save_hook',
  sql: `select h.id, h.name from ${table} h
    join extensions.custom_object o on o.organization_id = h.organization_id and 'custom:' || o.name = h.object_type
    where o.organization_id = $1 and o.id = $2 and h.deleted_at is null order by h.created_at, h.id`,
})
