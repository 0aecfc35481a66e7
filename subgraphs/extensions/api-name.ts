import type { FieldProblem } from '../kernel/errors.ts'
import type { RequestContext } from '../kernel/request.ts'
import { apiNamePattern } from './function/bounds.ts'

/** The problem of an apiName that nothing in the table has. What has it stays locked until the transaction ends, so that it is not deleted meanwhile. */
export async function apiNameProblems(
  { db, caller }: RequestContext,
  { table, noun }: { readonly table: string; readonly noun: string },
  apiName: string,
  path: string,
): Promise<FieldProblem[]> {
  const found = apiNamePattern.test(apiName)
    ? await db.query(
        `select 1 from ${table} where organization_id = $1 and api_name = $2 and deleted_at is null for share`,
        [caller.organizationId, apiName],
      )
    : []
  if (found.length > 0) return []
  return [{ path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the apiName of a ${noun} of the organization.` }]
}
