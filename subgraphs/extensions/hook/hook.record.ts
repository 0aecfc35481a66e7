import { activeUsers, auditRecord } from '../../identity/public.ts'
import type { FieldProblem } from '../../kernel/errors.ts'
import { defineRecord, type RecordDefinition, type SerializedRule } from '../../kernel/record/definition.ts'
import { fewPerType, published, uniqueNamePerType } from '../few-per-type.ts'
import { functionProblems } from '../function/named-function.ts'
import { registerUse } from '../used-by.ts'
import { hooksMax } from './bounds.ts'
import { hookEvents } from './hook.events.ts'
import { BeforeSaveHook } from './hook.ts'

const table = 'extensions.before_save_hook'

function settingsProblems({ operations, url, function: apiName, deletedAt }: BeforeSaveHook): FieldProblem[] {
  if (deletedAt) return []
  const problems: FieldProblem[] = []
  if (operations.length === 0)
    problems.push({ path: 'operations', code: 'EMPTY', message: 'operations must have at least one operation.' })
  if (new Set(operations).size < operations.length)
    problems.push({ path: 'operations', code: 'NOT_UNIQUE', message: 'operations must not repeat an operation.' })
  if (url === null && apiName === null)
    problems.push({ path: 'url', code: 'REQUIRED', message: 'A hook must have either url or function.' })
  if (url !== null && apiName !== null)
    problems.push({ path: 'function', code: 'NOT_TOGETHER', message: 'url and function must not be given together.' })
  return problems
}

/** In the transaction of the change, so that the function is not deleted meanwhile. */
const functionExists: SerializedRule<BeforeSaveHook> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && next.function !== null && next.function !== previous?.function,
  enforce: (ctx, next) => functionProblems(ctx, next.function!),
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
    }),
  ),
  invariants: settingsProblems,
  serializedRules: [
    published,
    uniqueNamePerType(table, () => beforeSaveHook),
    fewPerType(table, 'hooks', hooksMax),
    functionExists,
  ],
})

registerUse({
  used: 'serverless_function',
  user: 'before_save_hook',
  sql: `select h.id, h.name from ${table} h
    join extensions.function f on f.organization_id = h.organization_id and f.api_name = h.function
    where f.organization_id = $1 and f.id = $2 and h.deleted_at is null order by h.created_at, h.id`,
})
