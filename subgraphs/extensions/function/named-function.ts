import type { FieldProblem } from '../../kernel/errors.ts'
import type { SerializedRule, StoredRow } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { apiNamePattern } from './bounds.ts'

/** The problem of a name that no function has. The function stays locked until the transaction ends, so that it is not deleted meanwhile. */
export async function functionProblems(
  { db, caller }: RequestContext,
  apiName: string,
  path = 'function',
): Promise<FieldProblem[]> {
  const found = apiNamePattern.test(apiName)
    ? await db.query(
        'select 1 from extensions.function where organization_id = $1 and api_name = $2 and deleted_at is null for share',
        [caller.organizationId, apiName],
      )
    : []
  if (found.length > 0) return []
  return [
    { path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the apiName of a function of the organization.` },
  ]
}

interface FunctionUser extends StoredRow {
  readonly function: string | null
  readonly deletedAt: string | null
}

/** In the transaction of the change, so that the function is not deleted meanwhile. */
export const namedFunctionExists: SerializedRule<FunctionUser> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && next.function !== null && next.function !== previous?.function,
  enforce: (ctx, next) => functionProblems(ctx, next.function!),
}
