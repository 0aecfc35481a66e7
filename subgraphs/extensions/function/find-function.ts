import type { Sql } from '../../kernel/database/sql.ts'
import { notFound } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { apiNamePattern } from './bounds.ts'
import { serverlessFunction } from './function.record.ts'
import type { ServerlessFunction } from './function.ts'

export const functionNotFound = () => notFound('The serverless function')

/** The id of the function with this id or apiName, which may not exist. */
export async function idOfFunction({ db, caller }: RequestContext, key: string): Promise<string> {
  if (isId(key)) return key.toLowerCase()
  const [row] = apiNamePattern.test(key)
    ? await db.query<{ id: string }>(
        'select id from extensions.function where organization_id = $1 and api_name = $2 and deleted_at is null',
        [caller.organizationId, key],
      )
    : []
  if (!row) throw functionNotFound()
  return row.id
}

/** The function with this id or apiName; 404 without it. */
export const requireFunction = async (ctx: RequestContext, key: string): Promise<ServerlessFunction> =>
  requireRecord(ctx, serverlessFunction, await idOfFunction(ctx, key))

/** Makes other changes of the function wait until the transaction ends. */
export async function lockFunction({ db, caller }: RequestContext, id: string): Promise<void> {
  await db.query('select 1 from extensions.function where organization_id = $1 and id = $2 for update', [
    caller.organizationId,
    id,
  ])
}

/** The function that a definition names by its apiName; null if there is none. */
export async function findNamedFunction(
  sql: Sql,
  organizationId: string,
  apiName: string,
): Promise<{ readonly id: string; readonly isActive: boolean } | null> {
  const [row] = await sql.query<{ id: string; isActive: boolean }>(
    `select id, is_active as "isActive" from extensions.function
     where organization_id = $1 and api_name = $2 and deleted_at is null`,
    [organizationId, apiName],
  )
  return row ?? null
}
