import { requireActingScopes } from '../../../kernel/acting-scopes.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { scopesOfNamedAction } from '../../action/mapping.rules.ts'
import { actionNameProblems } from '../../action/named-action.ts'
import { runAction } from '../../action/run-action.ts'
import { isExtendedType } from '../../extended-type.ts'
import { idSchema } from './record-values.ts'
import { failed, settings, type StepOutcome, type StepRun, type StepType } from './step-type.ts'

/** The record that the settings name, or that of the run, if actions are for its type. */
function recordIdOf({ config, input, record }: StepRun): string | null {
  if (config['recordId'] === undefined) return record && isExtendedType(record.object.name) ? record.id : null
  const given = input['recordId']
  return typeof given === 'string' && given !== '' ? given : null
}

async function run(step: StepRun): Promise<StepOutcome> {
  const { services, caller, config, input, depth, key } = step
  try {
    const { output, error } = await runAction(services, {
      organizationId: caller.organizationId,
      apiName: String(config['actionApiName']),
      recordId: recordIdOf(step),
      input: input['input'],
      caller,
      depth: depth + 1,
      idempotencyKey: key,
    })
    return error ? failed(error.code, error.message) : { output }
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal
    const { status, code, message, extensions } = refusal
    if (status !== 429 && status !== 503) return failed(code, message)
    return { notBegun: message, afterMs: 1_000 * Number(extensions['retryAfter'] ?? 5) }
  }
}

export const customAction: StepType = {
  type: 'CUSTOM_ACTION',
  schema: settings(
    {
      actionApiName: { type: 'string', pattern: '^[a-z][a-z0-9_]{1,47}$' },
      recordId: { anyOf: [idSchema, { type: 'null' }] },
      input: {},
      idempotent: { type: 'boolean' },
    },
    ['actionApiName'],
  ),
  scopes: () => ['INVOKE_FUNCTIONS'],
  isRepeatable: ({ idempotent }) => idempotent === true,
  async problems({ ctx, config, path }) {
    const name = String(config['actionApiName'])
    requireActingScopes(ctx.caller, await scopesOfNamedAction(ctx, name))
    return actionNameProblems(ctx, name, `${path}.actionApiName`)
  },
  run,
}
