import { findNamedFunction } from '../../function/find-function.ts'
import { functionProblems } from '../../function/named-function.ts'
import { runFunction } from '../../function/run-function.ts'
import { depthMax } from '../../../kernel/automation/depth.ts'
import { failed, settings, type StepType } from './step-type.ts'

export const functionStep: StepType = {
  type: 'FUNCTION',
  schema: settings(
    {
      functionApiName: { type: 'string', pattern: '^[a-z][a-z0-9_]{1,47}$' },
      input: {},
      idempotent: { type: 'boolean' },
    },
    ['functionApiName'],
  ),
  scopes: () => ['INVOKE_FUNCTIONS'],
  isRepeatable: ({ idempotent }) => idempotent === true,
  problems: ({ ctx, config, path }) =>
    functionProblems(ctx, String(config['functionApiName']), `${path}.functionApiName`),
  async run({ services, caller: { organizationId }, input, config, depth, key, attempt }) {
    const found = await findNamedFunction(services.database, organizationId, String(config['functionApiName']))
    if (!found) return failed('UNKNOWN_FUNCTION', 'The function was deleted.')
    if (!found.isActive) return failed('INVALID_STATE', 'The function is turned off.')
    if (depth >= depthMax) return failed('DEPTH_EXCEEDED', `At most ${depthMax} automations may start one another.`)
    const started = {
      organizationId,
      functionId: found.id,
      trigger: 'WORKFLOW' as const,
      input: input['input'] ?? null,
    }
    const ended = await runFunction(services, { ...started, depth: depth + 1, attempt, effectKey: key })
    if (!ended) return failed('NO_VERSION', 'The function has no deployed version.')
    const { status, output, error, retryAfter } = ended
    if (status === 'THROTTLED') return { notBegun: 'The function was throttled.', afterMs: 1_000 * (retryAfter ?? 1) }
    return status === 'SUCCEEDED' ? { output: output ?? null } : failed(status, error?.message ?? status)
  },
}
