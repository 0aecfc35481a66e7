import type { Ports } from '../../kernel/request.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { maskedJson, secretMask } from '../../kernel/sandbox/mask-secrets.ts'
import type { SandboxResult } from '../../kernel/sandbox/sandbox.ts'
import { callsOf } from './calls.ts'
import type { functionPorts } from './function.context.ts'
import type { InvocationTrigger } from './function.enumerations.ts'
import { countCpu, secondsUntilAllowed } from './function-limits.ts'
import type { PreparedRun } from './prepare.ts'
import { secretPlace } from './secret.ts'

/** What an invocation did, as it is logged. */
export interface FunctionOutcome extends SandboxResult {
  /** The input, with values of secrets replaced. */
  readonly input: unknown
  /** THROTTLED: seconds after which it may run. */
  readonly retryAfter: number | null
}

export type FunctionServices = Pick<Ports, (typeof functionPorts)[number]> & { readonly clock: Clock }

/** Nobody waits for functions that are started so. The others may be what functions of a smaller depth wait for. */
const isQueued: ReadonlySet<InvocationTrigger> = new Set(['EVENT', 'SCHEDULE', 'WORKFLOW'])

const nothing = { output: null, error: null, logs: [], droppedLogs: 0, durationMs: 0, cpuMs: 0, memoryMb: 0 } as const
/** Functions that an app brought read what the organization set for it as a JSON text. */
const environmentOf = ({ envVars, appSettings }: PreparedRun['settings']): Readonly<Record<string, string>> =>
  appSettings === null ? envVars : { ...envVars, APP_SETTINGS: JSON.stringify(appSettings) }

const ended = (message: string): SandboxResult['error'] => ({ name: 'Error', message, stack: null })

/** Runs what was prepared. No transaction may be open, because it takes as long as the function wants, and writes in transactions of its own. */
export async function run(services: FunctionServices, prepared: PreparedRun): Promise<FunctionOutcome> {
  const { start, settings, program, caller, invocationId } = prepared
  const { organizationId, trigger, depth, attempt = 1, timeoutMs = Infinity } = start
  const retryAfter = await secondsUntilAllowed(services, organizationId)
  if (retryAfter !== null) {
    const message = 'The functions of the organization have used what they may use in a minute.'
    return { ...nothing, status: 'THROTTLED', error: ended(message), input: null, retryAfter }
  }
  const secrets = await openSecrets(services, prepared)
  const input = maskedJson(start.input, secretMask(secrets))
  if (!caller) {
    const error = ended('The user as whom the function acts is not active.')
    return { ...nothing, status: 'FAILED', error, input, retryAfter: null }
  }
  const limitMs = Math.min(settings.timeoutMs, timeoutMs)
  const { allowedHosts, managedBy } = settings
  const calling = {
    organizationId,
    invocationId,
    depth,
    allowedHosts,
    managedBy,
    effectKey: start.effectKey ?? invocationId,
  }
  const result = await services.sandbox.run({
    organizationId,
    program,
    input: start.input,
    env: environmentOf(settings),
    secrets,
    invocation: { id: invocationId, trigger, depth, attempt },
    level: isQueued.has(trigger) ? 0 : depth,
    timeoutMs: limitMs,
    memoryMb: settings.memoryMb,
    call: callsOf(services, calling, caller, limitMs),
  })
  await countCpu(services, organizationId, result.cpuMs)
  const isThrottled = result.status === 'THROTTLED'
  return { ...result, input, retryAfter: isThrottled ? 1 : null }
}

async function openSecrets(
  { vault }: Pick<FunctionServices, 'vault'>,
  { start: { organizationId, functionId }, sealedSecrets }: PreparedRun,
): Promise<Record<string, string>> {
  const secrets: Record<string, string> = {}
  for (const { name, sealed } of sealedSecrets) {
    await vault.load(organizationId, sealed)
    secrets[name] = vault.open(organizationId, secretPlace(organizationId, functionId, name), sealed)
  }
  return secrets
}
