import type { FieldProblem } from '../../kernel/errors.ts'
import type { SerializedRule, StoredRow } from '../../kernel/record/definition.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { apiNameProblems } from '../api-name.ts'

const functions = { table: 'extensions.function', noun: 'function' }

/** The problem of a name that no function has. */
export const functionProblems = (ctx: RequestContext, apiName: string, path = 'function'): Promise<FieldProblem[]> =>
  apiNameProblems(ctx, functions, apiName, path)

interface FunctionUser extends StoredRow {
  readonly function: string | null
  readonly deletedAt: string | null
}

/** In the transaction of the change, so that the function is not deleted meanwhile. */
export const namedFunctionExists: SerializedRule<FunctionUser> = {
  concerns: (_ctx, next, previous) => !next.deletedAt && next.function !== null && next.function !== previous?.function,
  enforce: (ctx, next) => functionProblems(ctx, next.function!),
}
