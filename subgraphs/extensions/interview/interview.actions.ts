import { v5 } from 'uuid'
import { lockOf } from '../../kernel/database/locks.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import { nextIdFor, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { withClearing } from '../../kernel/record/lookup/deleted-targets.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { hasRole } from '../../kernel/require.ts'
import type { ActionContext } from '../function/function.context.ts'
import { openInterviewsMax } from '../flow/bounds.ts'
import { initialValues } from '../flow/elements/values.ts'
import { requestedBy } from '../metadata/requested-by.ts'
import { advance } from './advance.ts'
import { checkedAnswers, givenObject, screenWith } from './answers.ts'
import { historyWith, newFrame, withAnswers } from './frames.ts'
import { currentVersion, readVersion, type FlowVersion } from './flow-versions.ts'
import {
  dropTurn,
  isOpen,
  lockedInterview,
  openCondition,
  storeStep,
  type Step,
  type StoredInterview,
} from './interview-store.ts'
import type { FlowInterviewStatus } from './interview.enumerations.ts'
import { shownInterview, unknownInterview } from './interview.reads.ts'
import type { FlowInterview } from './interview.types.ts'
import { turnOf } from './turn.ts'

/** Starts of one user wait for each other, so that they do not count the same interviews. */
async function requireFewOpen({ db, caller }: RequestContext): Promise<void> {
  const user = `${caller.organizationId} ${caller.userId}`
  await db.query(`select pg_advisory_xact_lock(${lockOf('interviews')})`, [user], 'WRITE')
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from extensions.flow_interview where organization_id = $1 and started_by_id = $2 and ${openCondition}`,
    [caller.organizationId, caller.userId],
    'WRITE',
  )
  if (row!.count < openInterviewsMax) return
  throw new Refusal('LIMIT_REACHED', `A user has at most ${openInterviewsMax} open interviews; end one first.`)
}

/** Of the ids that follow from idempotency keys. It never changes. */
const idsNamespace = '9d3f0c5a-6c1e-4e0b-8a57-3f1b2c7de4a6'

/** The same when a request with an idempotency key is repeated because its process was killed: actions that had run do not run again. */
async function idOfStart(ctx: RequestContext): Promise<string> {
  const { caller, idempotency, externalCalls, db } = ctx
  if (!idempotency) return nextIdFor(ctx, 'interview')
  const start = externalCalls!.numbered(`interview ${caller.credentialId} ${idempotency.key}`)
  // A key can be used again when its answer has been forgotten, long before its interview is.
  for (let use = 0; ; use++) {
    const id = v5(`${start} ${use}`, idsNamespace)
    const found = await db.query('select 1 from extensions.flow_interview where organization_id = $1 and id = $2', [
      caller.organizationId,
      id,
    ])
    if (found.length === 0) return id
  }
}

async function startedNow(ctx: RequestContext, { flowId, apiName, number }: FlowVersion): Promise<StoredInterview> {
  const now = ctx.clock.now().toISOString()
  return {
    id: await idOfStart(ctx),
    listKey: newId(),
    flowId,
    flowApiName: apiName,
    flowVersion: number,
    status: 'RUNNING',
    startedById: ctx.caller.userId,
    requestedBy: requestedBy(ctx.caller),
    currentElement: null,
    screen: null,
    state: null,
    history: [],
    variables: {},
    outputs: null,
    actedScopes: [],
    errorCode: null,
    errorMessage: null,
    errorElement: null,
    turnId: null,
    resumesAt: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
    expiresAt: now,
    endedAt: null,
  }
}

/** Starts an interview, and executes its elements up to its first screen, wait or end. */
export function startInterview(ctx: ActionContext, apiName: string, given: unknown): Promise<FlowInterview> {
  requireWritableRole(ctx)
  const inputs = givenObject(given, 'input.inputs')
  const turn = turnOf(ctx, `start ${apiName}`)
  return transactionWithExternalCalls(withClearing(ctx), async (inner) => {
    const version = await currentVersion(inner, apiName)
    if (!version) throw notFound('The flow')
    if (version.status !== 'ACTIVE') throw refusalInSituation(`The flow is ${version.status}.`, { allowed: ['ACTIVE'] })
    const initial = initialValues(version.variables, inputs, 'input.inputs')
    if ('problems' in initial) throw invalid(...initial.problems)
    await requireFewOpen(inner)
    const interview = await startedNow(inner, version)
    const begin = { frames: [newFrame(version, initial.values)], executed: 0, history: [], turn, cause: inputs }
    return shownInterview(inner, await storeStep(inner, interview, await advance(inner, interview, begin), true))
  })
}

/** The interview of the caller, locked until the transaction ends; what others run is unknown. */
async function ownInterview(ctx: RequestContext, id: string): Promise<StoredInterview> {
  const interview = await lockedInterview(ctx, id)
  if (interview?.startedById !== ctx.caller.userId) throw unknownInterview()
  return interview
}

/** Refuses a step from a state that the caller did not see. The refusal has the interview as it is. */
function requireVersion(ctx: RequestContext, interview: StoredInterview, version: number): void {
  if (interview.version === version) return
  const message = 'The interview has gone on since.'
  const current = { currentVersion: interview.version, interview: shownInterview(ctx, interview) }
  throw new Refusal('VERSION_CONFLICT', message, current)
}

function requireStatus(ctx: RequestContext, interview: StoredInterview, ...allowed: FlowInterviewStatus[]): void {
  const { status, expiresAt } = interview
  const isExpired = isOpen(interview) && Date.parse(expiresAt) <= ctx.clock.now().getTime()
  if (!isExpired && allowed.includes(status)) return
  throw refusalInSituation(`The interview is ${isExpired ? 'EXPIRED' : status}.`, { allowed })
}

/** Answers the screen of an interview, and executes its elements up to the next one, a wait or the end. */
export function nextOfInterview(
  ctx: ActionContext,
  id: string,
  { version, values }: { readonly version: number; readonly values?: unknown },
): Promise<FlowInterview> {
  requireWritableRole(ctx)
  const turn = turnOf(ctx, `next ${id}`)
  return transactionWithExternalCalls(withClearing(ctx), async (inner) => {
    const interview = await ownInterview(inner, id)
    requireVersion(inner, interview, version)
    requireStatus(inner, interview, 'WAITING_FOR_INPUT')
    const { frames, executed } = interview.state!
    const { screen, currentElement, history } = interview
    const answers = await checkedAnswers(inner, interview, values)
    const { flowId, flowVersion } = frames.at(-1)!
    const { elements } = await readVersion(inner, flowId, flowVersion)
    const snapshot = { frames, element: currentElement!, screen: screenWith(screen!, answers) }
    const answered = {
      frames: withAnswers(frames, elements, answers),
      executed,
      history: historyWith(history, snapshot),
      turn,
      cause: answers,
    }
    return shownInterview(inner, await storeStep(inner, interview, await advance(inner, interview, answered)))
  })
}

/** An interview whose elements do nothing in this step. */
const unchanged = (interview: StoredInterview): Step => ({
  status: interview.status,
  currentElement: interview.currentElement,
  screen: interview.screen,
  state: interview.state!,
  history: interview.history,
  outputs: null,
  error: null,
  resumesAt: null,
})

/** Goes back to the screen before, with the values that all variables had there. Records stay as they are. */
export function backInInterview(ctx: RequestContext, id: string, version: number): Promise<FlowInterview> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const interview = await ownInterview(inner, id)
    requireVersion(inner, interview, version)
    requireStatus(inner, interview, 'WAITING_FOR_INPUT')
    const before = interview.history.at(-1)
    if (!before || !interview.screen!.allowBack)
      throw refusalInSituation('There is no screen to which the interview can go back.')
    const step: Step = {
      ...unchanged(interview),
      currentElement: before.element,
      screen: before.screen,
      state: { frames: before.frames, executed: interview.state!.executed },
      history: interview.history.slice(0, -1),
    }
    return shownInterview(inner, await storeStep(inner, interview, step))
  })
}

export function pauseInterview(ctx: RequestContext, id: string): Promise<FlowInterview> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const interview = await ownInterview(inner, id)
    requireStatus(inner, interview, 'WAITING_FOR_INPUT')
    if (!interview.screen!.allowPause) throw refusalInSituation('The interview cannot be paused at this screen.')
    return shownInterview(inner, await storeStep(inner, interview, { ...unchanged(interview), status: 'PAUSED' }))
  })
}

export function resumeInterview(ctx: RequestContext, id: string): Promise<FlowInterview> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const interview = await ownInterview(inner, id)
    requireStatus(inner, interview, 'PAUSED')
    const step: Step = { ...unchanged(interview), status: 'WAITING_FOR_INPUT' }
    return shownInterview(inner, await storeStep(inner, interview, step))
  })
}

/** Its user, and owners and admins. */
export function cancelInterview(ctx: RequestContext, id: string): Promise<FlowInterview> {
  requireWritableRole(ctx)
  return inTransaction(ctx, async (inner) => {
    const interview = await lockedInterview(inner, id)
    if (!interview || (interview.startedById !== inner.caller.userId && !hasRole(inner, ['OWNER', 'ADMIN'])))
      throw unknownInterview()
    requireStatus(inner, interview, 'RUNNING', 'WAITING_FOR_INPUT', 'PAUSED')
    await dropTurn(inner, interview.turnId)
    const step: Step = { ...unchanged(interview), status: 'CANCELLED', currentElement: null, screen: null }
    return shownInterview(inner, await storeStep(inner, interview, step))
  })
}
