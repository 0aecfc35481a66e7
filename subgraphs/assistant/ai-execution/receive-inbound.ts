import { createHash, randomBytes } from 'node:crypto'
import { activeOrganizationName, findActingUser } from '../../identity/public.ts'
import { depthOfSigned } from '../../kernel/automation/depth.ts'
import { userStateRefusal } from '../../kernel/credentials/public.ts'
import { secondsOf } from '../../kernel/counters/counters.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isSignedBody } from '../../kernel/payment/webhook-signature.ts'
import { checkJson } from '../../kernel/record/scalars.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { asSystem, inTransaction, type RequestContext } from '../../kernel/request.ts'
import type { Condition, ConditionLogic } from '../../kernel/condition/condition.ts'
import { openSigningSecrets } from '../../kernel/secrets/signing-secret.ts'
import { secretPlace } from '../ai-trigger/ai-trigger-secret.ts'
import type { AiInboundReceipt } from './ai-execution.types.ts'
import { fittingInput } from './fitting-input.ts'
import { sightOf } from './sight.ts'
import { startExecution } from './start-execution.ts'
import { inactiveOwner, matcherOf } from './trigger-consumer.ts'

interface Found extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
  readonly ownerId: string
  readonly status: string
  readonly eventType: string | null
  readonly conditions: readonly Condition[]
  readonly logic: ConditionLogic
  readonly rateLimitPerHour: number
  readonly sealedSecret: string
  readonly sealedPreviousSecret: string | null
  readonly previousSecretExpiresAt: string | null
}

export interface SignedRequest {
  readonly token: string
  /** `X-Service-Signature`, as deliveries of webhooks have it. */
  readonly signature: string
  readonly body: Buffer
}

type Context = RequestContext<'vault'>

/** Of an unknown address the signature is checked as well, with this secret, so that both take the same time. */
const noSecret = `whsec_${randomBytes(32).toString('base64')}`

const triggerOf = async ({ db }: Context, token: string): Promise<Found | null> => {
  const [found] = await db.query<Found>(
    `select organization_id as "organizationId", id, owner_id as "ownerId", status, event_type as "eventType", conditions, logic,
       rate_limit_per_hour as "rateLimitPerHour", sealed_secret as "sealedSecret", sealed_previous_secret as "sealedPreviousSecret",
       previous_secret_expires_at as "previousSecretExpiresAt"
     from assistant.ai_trigger where inbound_token = $1 and deleted_at is null`,
    [token],
  )
  return found ?? null
}

/** The time and body that were signed: the same for each signature of them, so that a request that is repeated starts nothing again. */
const requestKeyOf = (signature: string, body: Buffer): string => {
  const [, time = ''] = /(?:^|,)\s*t=(\d+)/.exec(signature) ?? []
  return createHash('sha256').update(`${time}.`).update(body).digest('base64url')
}

/** Starts the execution of an inbound request, once for each signed time and body. */
export async function receiveInbound(
  ctx: Context,
  { token, signature, body }: SignedRequest,
): Promise<AiInboundReceipt> {
  const now = ctx.clock.now()
  const found = await triggerOf(ctx, token)
  const inner = asSystem(ctx, found?.organizationId ?? '')
  const isActive = found !== null && (await activeOrganizationName(inner)) !== null
  const secrets = isActive ? await openSigningSecrets(inner.vault, secretPlace, found, now) : [noSecret]
  const isSigned = secrets.filter((secret) => isSignedBody(secret, signature, body, now)).length > 0
  if (!isActive) throw notFound('The AI workflow')
  if (!isSigned) {
    const message =
      'Send X-Service-Signature: t=<seconds>,v1=<HMAC-SHA256 of "<t>.<body>" by the secret, in hex>, at most 300 s old.'
    throw new Refusal('UNAUTHENTICATED', message)
  }
  const data = payloadOf(body)
  if (found.status !== 'ACTIVE') throw refusalInSituation('The AI workflow is paused.')
  const depth = depthOfSigned(ctx.caller)
  const { organizationId, eventType } = found
  const owner = await findActingUser(inner.db, organizationId, found.ownerId)
  const whole = { type: eventType, occurredAt: now.toISOString(), data }
  const isActing = owner !== null && userStateRefusal(owner) === null && ['OWNER', 'ADMIN'].includes(owner.role)
  const isMet = owner !== null && matcherOf(found, owner, inner.shapes)(whole)
  const unmet = {
    status: 'SKIPPED',
    code: 'CONDITIONS_NOT_MET',
    message: 'The request does not meet the conditions.',
  } as const
  const refused = !isActing ? inactiveOwner : isMet ? null : unmet
  const started = await inTransaction(inner, ({ db }) =>
    startExecution(
      db,
      {
        organizationId,
        trigger: found,
        requestKey: requestKeyOf(signature, body),
        eventId: null,
        eventType,
        depth,
        input: fittingInput(whole),
        sight: owner && sightOf(owner),
        refused,
      },
      now,
    ),
  )
  if (started) return { executionId: started.id, status: started.status }
  const retryAfter = secondsOf(3_600_000 - (now.getTime() % 3_600_000))
  const message = `The AI workflow begins at most ${found.rateLimitPerHour} executions in an hour; retry in ${retryAfter} s.`
  throw new Refusal('MODEL_RATE_LIMITED', message, { retryAfter })
}

/** The body, or the data of an event that a webhook has delivered. */
function payloadOf(body: Buffer): Record<string, unknown> {
  let payload: unknown
  try {
    payload = JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_JSON', 'The body must be JSON.')
  }
  checkPayload(payload)
  if (isJsonObject(payload)) {
    const { data } = payload
    return isJsonObject(data) && isJsonObject(data['record']) ? data : payload
  }
  throw new Refusal('INVALID_JSON', 'The body must be a JSON object.')
}

/** What a database cannot store, and what is nested too deeply. */
function checkPayload(payload: unknown): void {
  try {
    checkJson(payload)
  } catch (error) {
    throw new Refusal('INVALID_JSON', (error as Error).message)
  }
}
