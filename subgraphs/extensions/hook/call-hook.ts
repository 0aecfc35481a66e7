import { signatureHeaders } from '../../events/public.ts'
import type { Services } from '../../kernel/request.ts'
import { newId } from '../../kernel/ids.ts'
import { OutboundError } from '../../kernel/outbound/outbound.ts'
import { Refusal } from '../../kernel/errors.ts'
import { maskedJson, secretMask } from '../../kernel/sandbox/mask-secrets.ts'
import { openSigningSecrets } from '../../kernel/secrets/signing-secret.ts'
import { depthHeader } from '../../kernel/automation/depth.ts'
import { runFunction } from '../function/run-function.ts'
import { HookFailure, parsedBody } from './answer.ts'
import { answerBytesMax } from './bounds.ts'
import { hookSecretPlace } from './hook-secret.ts'
import type { HookStates } from './hook-failures.ts'
import type { StoredHook } from './stored-hook.ts'

/** One call of a hook, for some records. */
export interface HookCall {
  readonly organizationId: string
  /** That of the hook. */
  readonly depth: number
  readonly timeoutMs: number
  /** The JSON of the request. */
  readonly body: string
}

/** The answer of a hook; throws a `HookFailure` without one. */
export const callHook = (services: Services, states: HookStates, hook: StoredHook, call: HookCall): Promise<unknown> =>
  hook.function === null ? callUrl(services, hook, call) : callFunction(services, states, hook.function, call)

async function callFunction(
  services: Services,
  { functions }: HookStates,
  apiName: string,
  { organizationId, depth, timeoutMs, body }: HookCall,
): Promise<unknown> {
  const found = functions.get(apiName)
  if (!found) throw new HookFailure(`The function ${apiName} does not exist.`)
  if (!found.isActive) throw new HookFailure(`The function ${apiName} is turned off.`)
  const input: unknown = JSON.parse(body)
  const start = { organizationId, functionId: found.id, trigger: 'HOOK', input, depth, timeoutMs } as const
  const ended = await runFunction(services, start).catch((error: unknown) => {
    if (error instanceof Refusal && error.code === 'PAYLOAD_TOO_LARGE') throw new HookFailure(error.message)
    throw error
  })
  if (!ended) throw new HookFailure(`The function ${apiName} has no version that is deployed.`)
  const { status, error, output, retryAfter } = ended
  if (status === 'SUCCEEDED') return output
  const message = `The function ended with ${status}${error ? `: ${error.message}` : '.'}`
  throw new HookFailure(message, status === 'THROTTLED' ? { isCounted: false, retryAfter: retryAfter ?? 1 } : {})
}

async function callUrl(services: Services, hook: StoredHook, call: HookCall): Promise<unknown> {
  const { credentials, vault, clock } = services
  const { organizationId, depth, timeoutMs } = call
  const body = Buffer.from(call.body)
  const secrets = await openSigningSecrets(vault, hookSecretPlace, { ...hook, organizationId }, clock.now())
  const signature = signatureHeaders({ eventId: `hook_${newId()}`, body, now: clock.now() }, secrets)
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'application/json',
    'User-Agent': 'crm-hooks',
    [depthHeader]: String(depth + 1),
    ...signature,
  }
  try {
    const request = {
      method: 'POST',
      url: hook.url!,
      headers,
      body,
      timeoutMs,
      answerBytesMax,
      keepAlive: true,
    } as const
    const answer = await credentials.send({ organizationId, managedBy: hook.managedBy }, request)
    if (answer.status >= 200 && answer.status < 300)
      return maskedJson(parsedBody(answer.body), secretMask(answer.authentication?.secrets ?? {}))
    const isRedirect = answer.status >= 300 && answer.status < 400
    throw new HookFailure(
      `The address answered with ${isRedirect ? 'the redirect' : 'status'} ${answer.status}${isRedirect ? '; redirects are not followed' : ''}.`,
    )
  } catch (error) {
    // The credential that lies over the address may be turned off, or lack its secret.
    if (error instanceof OutboundError || error instanceof Refusal) throw new HookFailure(error.message)
    throw error
  }
}
