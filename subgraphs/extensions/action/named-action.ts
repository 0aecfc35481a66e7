import type { FieldProblem } from '../../kernel/errors.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { apiNameProblems } from '../api-name.ts'

const actions = { table: 'extensions.custom_action', noun: 'custom action' }

/** The problem of a name that no action has. */
export const actionNameProblems = (ctx: RequestContext, apiName: string, path: string): Promise<FieldProblem[]> =>
  apiNameProblems(ctx, actions, apiName, path)
