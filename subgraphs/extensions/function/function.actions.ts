import { isOnlyTurnedOff } from '../../kernel/acting-scopes.ts'
import type { Row } from '../../kernel/database/sql.ts'
import { transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { newId } from '../../kernel/ids.ts'
import { programsOf } from '../../kernel/record/managed-by.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { change, recordsOf } from '../../kernel/record/records-of.ts'
import { readOne } from '../../kernel/record/read.ts'
import { save } from '../../kernel/record/save.ts'
import { lockSerializedRules } from '../../kernel/record/serialized-rules.ts'
import { selectedFields, selectList, type SelectionInfo } from '../../kernel/record/selection.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { withoutStorageRefusal } from '../../kernel/database/row-bytes.ts'
import { functionNotFound, idOfFunction, lockFunction, requireFunction } from './find-function.ts'
import { requireUnused } from '../used-by.ts'
import type { FunctionContext } from './function.context.ts'
import type { FunctionInput, ServerlessFunctionDeletion } from './function.inputs.ts'
import { serverlessFunction } from './function.record.ts'
import { requireRightToProgram } from './function.rules.ts'
import type { ServerlessFunction } from './function.ts'
import { compiled, writeVersion } from './version.actions.ts'

/** The functions of the organization, by apiName; there are at most 100. */
export async function readFunctions(ctx: RequestContext, info: SelectionInfo): Promise<Row[]> {
  requireAdministrator(ctx)
  const predicate = new TenantPredicate(ctx.caller)
  const columns = selectList(serverlessFunction, selectedFields(info), 't', null)
  const rows = await ctx.db.query(
    `select ${columns} from ${serverlessFunction.table} t where ${predicate.live(serverlessFunction, 't')} order by t.api_name`,
    predicate.values.list,
  )
  ctx.answered?.records(serverlessFunction, rows)
  return rows
}

/** A function as its administrators see it. */
export async function readFunction(ctx: RequestContext, key: string, info: SelectionInfo): Promise<Row> {
  requireAdministrator(ctx)
  const row = await readOne(ctx, serverlessFunction, await idOfFunction(ctx, key), selectedFields(info))
  if (!row) throw functionNotFound()
  return row
}

/** Creates a function; with a source, also its version 1, which is deployed. */
export async function createFunction(
  ctx: FunctionContext,
  { source, ...input }: FunctionInput & { readonly source?: string | null },
  besides: Partial<ServerlessFunction> = {},
): Promise<string> {
  await requireRightToProgram(ctx, input as Partial<ServerlessFunction>)
  return transactionWithExternalCalls(ctx, async (inner) => {
    const id = newId()
    const deployedVersionId = source == null ? null : newId()
    const implied: Partial<ServerlessFunction> = {
      ...besides,
      id,
      deployedVersionId,
      ...(input.runAsUserId === undefined && { runAsUserId: inner.caller.userId }),
    }
    // The settings are checked first, so that a source is compiled only where the function can be created.
    const { language } = await save(inner, serverlessFunction, {
      operation: 'CREATE',
      previous: null,
      values: input as Partial<ServerlessFunction>,
      implied,
    })
    if (source != null && deployedVersionId) {
      const program = await compiled(inner, source, language)
      await writeVersion(inner, id, { source, language, note: null }, program, deployedVersionId)
    }
    return id
  })
}

export async function updateFunction(
  ctx: RequestContext,
  key: string,
  input: FunctionInput,
  expectedVersion: number | null,
  besides: Partial<ServerlessFunction> = {},
): Promise<string> {
  requireAdministrator(ctx)
  const id = await idOfFunction(ctx, key)
  await change(
    ctx,
    serverlessFunction,
    id,
    async (previous, inner) => {
      const values = input as Partial<ServerlessFunction>
      if (!isOnlyTurnedOff(input)) await requireRightToProgram(inner, ...programsOf(inner, previous, values))
      return { operation: 'UPDATE', values, implied: besides }
    },
    { expectedVersion },
  )
  return id
}

/** Deletes a function with its versions, tests and secrets. */
export async function deleteFunction(
  ctx: RequestContext,
  key: string,
  expectedVersion: number | null,
): Promise<ServerlessFunctionDeletion> {
  requireAdministrator(ctx)
  return inTransaction({ ...ctx, db: withoutStorageRefusal(ctx.db) }, async (inner) => {
    const found = await requireFunction(inner, key)
    const { id, apiName } = found
    await lockSerializedRules(inner, serverlessFunction)
    await lockFunction(inner, id)
    await requireUnused(inner, 'serverless_function', id)
    await recordsOf(serverlessFunction).remove(inner, id, expectedVersion)
    for (const table of ['function_test', 'function_secret', 'function_version'])
      await inner.db.query(
        `delete from extensions.${table} where organization_id = $1 and function_id = $2`,
        [inner.caller.organizationId, id],
        'WRITE',
      )
    return { id, apiName, deleted: true }
  })
}
