import { setTimeout as delay } from 'node:timers/promises'
import { signatureHeaders } from '../../events/public.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { AuthenticatedAnswer } from '../../kernel/outbound/named-credentials.ts'
import { OutboundError } from '../../kernel/outbound/outbound.ts'
import type { Ports, Services } from '../../kernel/request.ts'
import { jsonDepth } from '../../kernel/sandbox/json-depth.ts'
import { maskedJson, secretMask } from '../../kernel/sandbox/mask-secrets.ts'
import { openSigningSecrets } from '../../kernel/secrets/signing-secret.ts'
import { payloadBytesMax } from '../function/bounds.ts'
import { depthHeader } from '../../kernel/automation/depth.ts'
import { actionSecretPlace } from './action-secret.ts'
import type { CustomAction } from './custom-action.ts'
import { failed, type ActionOutcome } from './outcome.ts'

const outputDepthMax = 64
const firstPauseMs = 200

interface ActionRequest {
  readonly organizationId: string
  readonly action: Pick<
    CustomAction,
    | 'id'
    | 'url'
    | 'sealedSecret'
    | 'sealedPreviousSecret'
    | 'previousSecretExpiresAt'
    | 'kind'
    | 'idempotent'
    | 'maxRetries'
    | 'timeoutMs'
    | 'managedBy'
  >
  readonly body: object
  /** The same for all attempts of a run, and for its repetitions. */
  readonly key: string
  /** The depth of what the request may start in turn. */
  readonly depth: number
}

/** Sends an action to its URL, signed, with the credential that lies over it. It is repeated only where that has no second effect. */
export async function callUrl(
  { credentials, vault, clock }: Pick<Ports, 'credentials' | 'vault'> & Pick<Services, 'clock'>,
  { organizationId, action, body, key, depth }: ActionRequest,
): Promise<ActionOutcome> {
  const endsAt = performance.now() + action.timeoutMs
  const retries = action.kind === 'READ' || action.idempotent ? action.maxRetries : 0
  const bytes = Buffer.from(JSON.stringify(body))
  const secrets = await openSigningSecrets(vault, actionSecretPlace, { ...action, organizationId }, clock.now())
  const request = () => ({
    method: 'POST' as const,
    url: action.url!,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': key,
      'user-agent': 'crm-actions',
      [depthHeader]: String(depth),
      ...signatureHeaders({ eventId: `action_${key}`, body: bytes, now: clock.now() }, secrets),
    },
    body: bytes,
    answerBytesMax: payloadBytesMax,
  })
  for (let attempt = 0; ; attempt++) {
    const timeoutMs = Math.max(1, Math.ceil(endsAt - performance.now()))
    const { outcome, mayRepeat } = await attempted(() =>
      credentials.send({ organizationId, managedBy: action.managedBy }, { ...request(), timeoutMs }),
    )
    const pauseMs = firstPauseMs * 2 ** attempt
    if (!mayRepeat || attempt >= retries || performance.now() + pauseMs >= endsAt) return outcome
    await delay(pauseMs)
  }
}

async function attempted(send: () => Promise<AuthenticatedAnswer>) {
  let answer: AuthenticatedAnswer
  try {
    answer = await send()
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { outcome: failed('NO_ANSWER', error.message), mayRepeat: error.reason !== 'ADDRESS_REFUSED' }
  }
  const { status } = answer
  if (status >= 200 && status < 300) return { outcome: outputOf(answer), mayRepeat: false }
  const outcome = failed('STATUS', `The receiver answered with status ${status}.`)
  return { outcome, mayRepeat: status === 429 || status >= 500 }
}

function outputOf({ body, authentication }: AuthenticatedAnswer): ActionOutcome {
  const text = body.toString('utf8')
  const problem = failed('NOT_JSON', 'The receiver answered with something else than a JSON object.')
  if (jsonDepth(text) > outputDepthMax)
    return failed('NOT_JSON', `The output must be nested at most ${outputDepthMax} levels deep.`)
  try {
    const output: unknown = JSON.parse(text)
    if (!isJsonObject(output)) return problem
    const mask = secretMask(authentication?.secrets ?? {})
    return { status: 'SUCCEEDED', output: maskedJson(output, mask), error: null }
  } catch {
    return problem
  }
}
