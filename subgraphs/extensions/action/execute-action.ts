import { createHash } from 'node:crypto'
import { depthMax, depthStartedBy, requireDepth } from '../../kernel/automation/depth.ts'
import { Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { findNamedFunction } from '../function/find-function.ts'
import type { ActionContext } from '../function/function.context.ts'
import { prepareRun, type PreparedRun } from '../function/prepare.ts'
import { recordInvocation } from '../function/record-invocation.ts'
import { run, type FunctionOutcome } from '../function/run.ts'
import { problemOfValue } from './bounded-schema.ts'
import { callUrl } from './call-url.ts'
import { findCall, inputOf, type ActionCall } from './checked-call.ts'
import { claimRun, releaseRun } from './claim-run.ts'
import type { CustomAction } from './custom-action.ts'
import { failed, type ActionOutcome } from './outcome.ts'
import { writeOutput } from './write-output.ts'

export interface ActionStart extends ActionCall {
  /** How many automations have started one another up to the run; absent: one more than those of the caller. */
  readonly depth?: number
  /** The same for all attempts of one cause; absent: that of the request, or a new one. */
  readonly idempotencyKey?: string
  /** A run with this key begins once, also for a caller without a key of the request. */
  readonly isOnce?: true
}

/** What a run did: the answer of a URL, or a run of a function that is to be logged. */
type Ended = { readonly outcome: ActionOutcome } | { readonly prepared: PreparedRun; readonly ran: FunctionOutcome }

/**
 * Runs an action as the caller, who must see the record. What the action does happens while no transaction is open. Refusals change and send
 * nothing; a run that fails is an outcome.
 */
export async function executeAction(ctx: ActionContext, start: ActionStart): Promise<ActionOutcome> {
  const { caller } = ctx
  const depth = start.depth ?? depthStartedBy(caller)
  requireDepth(depth)
  const outcome = await transactionWithExternalCalls(ctx, async (inner) => {
    const found = await findCall(inner, start)
    const { action, recordId, objectType, given } = found
    const about = { action: action.apiName, recordId, objectType }
    // What begins once is the same run when the work runs again, also with values that are new each time: the record may have changed meanwhile.
    const name = (start.isOnce ? start.idempotencyKey : null) ?? JSON.stringify({ ...about, input: given })
    const what = inner.externalCalls!.numbered(`action ${name}`)
    const key = idempotencyKeyOf(inner, start, what)
    const ended = await externalCall(inner, what, async () => {
      const body = { ...about, input: await inputOf(inner, found) }
      const call = await preparedCall(inner, action, body, depth, key)
      return inner.idempotency || start.isOnce ? () => calledOnce(inner, action, key, call) : call
    })
    if ('prepared' in ended) await recordInvocation(inner, ended.prepared, ended.ran)
    const outcome = outcomeOf(ended)
    if (outcome instanceof Refusal) return outcome
    const isRepeatable = start.idempotencyKey !== undefined || inner.idempotency !== null
    return writeOutput(inner, found, fitting(action, outcome), isRepeatable ? key : null)
  })
  if (outcome instanceof Refusal) throw outcome
  return outcome
}

/** One mutation may run several actions with one key of its request, so their own keys also depend on what is run, and for which time. */
const idempotencyKeyOf = (
  { idempotency, caller }: ActionContext,
  { idempotencyKey }: ActionStart,
  what: string,
): string => {
  if (idempotencyKey !== undefined) return idempotencyKey
  if (!idempotency) return newId()
  return createHash('sha256').update(`${caller.credentialId} ${idempotency.key} ${what}`).digest('base64url')
}

/** Makes the call of a request with an idempotency key at most once at a time, and after a killed process again only if the action may be repeated. */
async function calledOnce(
  { caller: { organizationId }, clock, tenants }: ActionContext,
  action: CustomAction,
  key: string,
  call: () => Promise<Ended>,
): Promise<Ended> {
  const isRepeatable = action.kind === 'READ' || action.idempotent
  const claim = { db: tenants.of(organizationId), organizationId, key, isRepeatable, now: clock.now() }
  if (!(await claimRun(claim))) {
    const message = 'The process that ran the action has ended. It may have had its effect, so it is not repeated.'
    return { outcome: failed('INTERRUPTED', message) }
  }
  try {
    const ended = await call()
    if ('ran' in ended && ended.ran.status === 'THROTTLED') await releaseRun(claim)
    return ended
  } catch (error) {
    // What is refused has not begun.
    if (error instanceof Refusal) await releaseRun(claim)
    throw error
  }
}

async function preparedCall(
  ctx: ActionContext,
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
  const found = await findNamedFunction(ctx.db, organizationId, action.function)
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

/** The refusal of a run that has not begun is no outcome; its place in the log is kept. */
function outcomeOf(ended: Ended): ActionOutcome | Refusal {
  if ('outcome' in ended) return ended.outcome
  const { status, output, error, retryAfter } = ended.ran
  if (status === 'THROTTLED') {
    const message = 'Too many functions of your organization run, or have run in this minute.'
    return new Refusal('FUNCTION_THROTTLED', message, { retryAfter: retryAfter ?? 1 })
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
