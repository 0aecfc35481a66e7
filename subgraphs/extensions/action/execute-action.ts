import { createHash } from 'node:crypto'
import { depthMax, requireDepth } from '../../kernel/automation/depth.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { FunctionContext } from '../function/function.context.ts'
import { prepareRun, type PreparedRun } from '../function/prepare.ts'
import { recordInvocation } from '../function/record-invocation.ts'
import { run, type FunctionOutcome } from '../function/run.ts'
import { problemOfValue } from './bounded-schema.ts'
import { callUrl } from './call-url.ts'
import { checkedCall, type ActionCall } from './checked-call.ts'
import type { CustomAction } from './custom-action.ts'
import { failed, type ActionOutcome } from './outcome.ts'

export interface ActionStart extends ActionCall {
  /** How many automations have started one another up to the run; absent: one more than those of the caller. */
  readonly depth?: number
  /** The same for all attempts of one cause; absent: that of the request, or a new one. */
  readonly idempotencyKey?: string
}

/** What a run did: the answer of a URL, or a run of a function that is to be logged. */
type Ended = { readonly outcome: ActionOutcome } | { readonly prepared: PreparedRun; readonly ran: FunctionOutcome }

/**
 * Runs an action as the caller, who must see the record. What the action does happens while no transaction is open. Refusals change and send
 * nothing; a run that fails is an outcome.
 */
export async function executeAction(ctx: FunctionContext, start: ActionStart): Promise<ActionOutcome> {
  const { caller } = ctx
  const depth = start.depth ?? (caller.depth === undefined ? 0 : caller.depth + 1)
  requireDepth(depth)
  const { action, ended } = await transactionWithExternalCalls(ctx, async (inner) => {
    const { action, ...given } = await checkedCall(inner, start)
    const body = { action: action.apiName, ...given }
    const ended = await externalCall(inner, 'action', () =>
      preparedCall(inner, action, body, depth, keyOf(inner, start)),
    )
    if ('prepared' in ended) await recordInvocation(inner, ended.prepared, ended.ran)
    return { action, ended }
  })
  return fitting(action, outcomeOf(ended))
}

const keyOf = ({ idempotency, caller }: FunctionContext, { idempotencyKey }: ActionStart): string => {
  if (idempotencyKey !== undefined) return idempotencyKey
  if (!idempotency) return newId()
  return createHash('sha256').update(`${caller.credentialId} ${idempotency.key}`).digest('base64url')
}

async function preparedCall(
  ctx: FunctionContext,
  action: CustomAction,
  body: object,
  depth: number,
  key: string,
): Promise<() => Promise<Ended>> {
  const { caller, clock, vault, sandbox, outbound, credentials, graph, rest, counters } = ctx
  const { organizationId } = caller
  if (action.function === null) {
    const request = { organizationId, action, body, key, depth: Math.min(depth + 1, depthMax + 1) }
    return async () => ({ outcome: await callUrl({ credentials, vault, clock }, request) })
  }
  const [found] = await ctx.db.query<{ id: string; isActive: boolean }>(
    `select id, is_active as "isActive" from extensions.function
     where organization_id = $1 and api_name = $2 and deleted_at is null`,
    [organizationId, action.function],
  )
  if (!found?.isActive) throw refusalInSituation('The function of the action is turned off.')
  const prepared = await prepareRun(ctx.db, clock.now(), {
    organizationId,
    functionId: found.id,
    trigger: 'ACTION',
    input: body,
    depth,
    effectKey: key,
    timeoutMs: action.timeoutMs,
  })
  if (!prepared) throw refusalInSituation('The function of the action has no version that is deployed.')
  const ports = { vault, sandbox, outbound, credentials, graph, rest, counters, clock }
  return async () => ({ prepared, ran: await run(ports, prepared) })
}

function outcomeOf(ended: Ended): ActionOutcome {
  if ('outcome' in ended) return ended.outcome
  const { status, output, error, retryAfter } = ended.ran
  if (status === 'THROTTLED') {
    const message = 'Too many functions of your organization run, or have run in this minute.'
    throw new Refusal('FUNCTION_THROTTLED', message, { retryAfter: retryAfter ?? 1 })
  }
  if (status === 'SUCCEEDED') return { status, output, error: null }
  return failed('FUNCTION_FAILED', error?.message ?? `The function ended with ${status}.`)
}

/** An output that does not fit its schema is none. */
function fitting({ outputSchema }: CustomAction, outcome: ActionOutcome): ActionOutcome {
  if (outcome.status === 'FAILED') return outcome
  const problem = problemOfValue(outputSchema, 'output', outcome.output)
  return problem ? failed('OUTPUT_INVALID', problem.message) : outcome
}
