import { createHash, randomBytes } from 'node:crypto'
import { activeOrganizationName } from '../../identity/public.ts'
import { depthOfSigned } from '../../kernel/automation/depth.ts'
import { compileStoredConditions } from '../../kernel/condition/conditions.ts'
import { notFound, Refusal } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { isSignedBody } from '../../kernel/payment/webhook-signature.ts'
import { checkJson } from '../../kernel/record/scalars.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { asSystem, inTransaction, loadDataKeys } from '../../kernel/request.ts'
import { stepDataMax } from './bounds.ts'
import { anyFields } from './condition-scope.ts'
import type { WorkflowHookReceipt } from './run.types.ts'
import { activeColumns } from './start-by-event.ts'
import { startRun } from './start-run.ts'
import type { WorkflowContext } from './workflow.context.ts'
import { runTable } from './workflow.migrations.ts'
import { secretPlace } from './workflow-secret.ts'
import type { Workflow } from './workflow.ts'

export interface SignedRequest {
  readonly token: string
  /** `X-Service-Signature`, as deliveries of webhooks have it. */
  readonly signature: string
  readonly body: Buffer
}

type Found = Workflow & Record<string, unknown> & { readonly sealedSecret: string }

/** Of an unknown address the signature is checked as well, with this secret, so that both take the same time. */
const noSecret = `whsec_${randomBytes(32).toString('base64')}`

const workflowOf = async ({ db }: WorkflowContext, token: string): Promise<Found | null> => {
  const [found] = await db.query<Found>(
    `select organization_id as "organizationId", status, sealed_secret as "sealedSecret", ${activeColumns}
     from extensions.workflow where hook_token = $1 and trigger_type = 'WEBHOOK' and deleted_at is null`,
    [token],
  )
  return found ?? null
}

/** The time and body that were signed: the same for each signature of them, so that a request that is repeated starts nothing again. */
const requestKeyOf = (signature: string, body: Buffer): string => {
  const [, time = ''] = /(?:^|,)\s*t=(\d+)/.exec(signature) ?? []
  return `request:${createHash('sha256').update(`${time}.`).update(body).digest('base64url')}`
}

function payloadOf(body: Buffer): Record<string, unknown> {
  let payload: unknown
  try {
    payload = JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_JSON', 'The body must be JSON.')
  }
  try {
    checkJson(payload)
  } catch (error) {
    throw new Refusal('INVALID_JSON', (error as Error).message)
  }
  if (!isJsonObject(payload)) throw new Refusal('INVALID_JSON', 'The body must be a JSON object.')
  if (JSON.stringify(payload).length > stepDataMax)
    throw new Refusal('PAYLOAD_TOO_LARGE', `The body must have at most ${stepDataMax} characters.`)
  return payload
}

/** Starts the run of a signed request, once for each signed time and body. */
export async function receiveHook(
  ctx: WorkflowContext,
  { token, signature, body }: SignedRequest,
): Promise<WorkflowHookReceipt> {
  const now = ctx.clock.now()
  const found = await workflowOf(ctx, token)
  const inner = asSystem(ctx, found?.organizationId ?? '')
  const isActive = found !== null && (await activeOrganizationName(inner)) !== null
  let secret = noSecret
  if (isActive) {
    await loadDataKeys(inner, found.sealedSecret)
    secret = inner.vault.open(found.organizationId, secretPlace(found.organizationId, found.id), found.sealedSecret)
  }
  const isSigned = isSignedBody(secret, signature, body, now)
  if (!isActive) throw notFound('The workflow')
  if (!isSigned) {
    const message =
      'Send X-Service-Signature: t=<seconds>,v1=<HMAC-SHA256 of "<t>.<body>" by the secret, in hex>, at most 300 s old.'
    throw new Refusal('UNAUTHENTICATED', message)
  }
  const input = payloadOf(body)
  if (found.status !== 'ACTIVE') throw refusalInSituation('The workflow is PAUSED.', { allowed: ['ACTIVE'] })
  const { conditions, logic } = found
  const isMet = compileStoredConditions({ conditions, logic }, anyFields('the input'))(input, null, now.getTime())
  if (!isMet) return { runId: null }
  const depth = depthOfSigned(ctx.caller)
  const startKey = requestKeyOf(signature, body)
  return inTransaction(inner, async (own) => {
    const started = { workflow: found, triggerType: 'WEBHOOK', input, depth, startKey } as const
    return { runId: (await startRun(own, started)) ?? (await runOf(own, found, startKey)) }
  })
}

async function runOf({ db }: WorkflowContext, { organizationId, id }: Found, startKey: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `select id from ${runTable.table} where organization_id = $1 and workflow_id = $2 and start_key = $3`,
    [organizationId, id, startKey],
  )
  return row?.id ?? null
}
