import { requireActingScopes } from '../../../kernel/acting-scopes.ts'
import { executeAction } from '../../action/execute-action.ts'
import { actionNameProblems } from '../../action/named-action.ts'
import { apiNamePattern } from '../../function/bounds.ts'
import { ElementFailure, faultConnector, settings, type ElementType } from './element-type.ts'
import { idSchema } from './record-element.ts'

const scopes = (): readonly string[] => ['INVOKE_FUNCTIONS']

/** The action is called while no transaction is open, once for each execution of the element. */
export const action: ElementType = {
  type: 'ACTION',
  schema: settings(
    {
      actionApiName: { type: 'string', pattern: apiNamePattern.source },
      recordId: { anyOf: [idSchema, { type: 'null' }] },
      input: {},
    },
    ['actionApiName'],
  ),
  hasEffect: true,
  connectors: faultConnector,
  scopes,
  problems: ({ ctx, config, path }) =>
    actionNameProblems(ctx, String(config['actionApiName']), `${path}.actionApiName`),
  async run({ ctx, config, input, key, origin }) {
    requireActingScopes(ctx.caller, scopes())
    const { recordId } = input
    const caller = { ...ctx.caller, origin, depth: ctx.caller.depth ?? 0 }
    const { output, error } = await executeAction(
      { ...ctx, caller },
      {
        key: String(config['actionApiName']),
        recordId: typeof recordId === 'string' && recordId !== '' ? recordId : null,
        input: input['input'],
        idempotencyKey: key(),
        isOnce: true,
      },
    )
    if (error) throw new ElementFailure(error.code, error.message)
    return { output }
  },
}
