import { isId, newId } from '../../kernel/ids.ts'
import { withoutRowLimit } from '../../kernel/database/row-bytes.ts'
import { storableJson, storableText } from '../../kernel/json/storable-json.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { openDays } from '../flow/bounds.ts'
import type { Screen, Values } from '../flow/elements/element-type.ts'
import { turnTable } from '../flow/flow.migrations.ts'
import { requestedBy, type RequestedBy } from '../metadata/requested-by.ts'
import type { FlowInterviewStatus } from './interview.enumerations.ts'

/** A flow that is executed: the one of the interview, or a subflow of the frame before. */
export interface Frame {
  readonly flowId: string
  readonly flowVersion: number
  /** The element to execute, or whose screen or subflow it waits for; null: the flow has come to its end. */
  element: string | null
  variables: Values
  /** What elements have returned, by their names. */
  outputs: Values
  /** Where the loops are that have begun, by the names of their elements. */
  loops: Readonly<Record<string, { readonly items: readonly unknown[]; readonly index: number }>>
}

export interface InterviewState {
  readonly frames: readonly Frame[]
  /** Executed elements. It never becomes smaller, because it identifies what an element does. */
  readonly executed: number
}

/** A screen to which the user can go back, with the values of all variables at that time. */
export interface Snapshot {
  readonly frames: readonly Frame[]
  readonly element: string
  readonly screen: Screen
}

export interface StoredInterview extends Record<string, unknown> {
  readonly id: string
  readonly flowId: string
  readonly flowApiName: string
  readonly flowVersion: number
  readonly status: FlowInterviewStatus
  /** Lists are ordered by it: an id may follow from the key of a request, and then not from its time. */
  readonly listKey: string
  readonly startedById: string
  readonly requestedBy: RequestedBy
  readonly currentElement: string | null
  readonly screen: Screen | null
  readonly state: InterviewState | null
  readonly history: readonly Snapshot[]
  readonly variables: Values
  readonly outputs: Values | null
  /** Of the elements that have run. Only a credential with all of them is shown what they have found; null: unknown. */
  readonly actedScopes: readonly string[] | null
  readonly errorCode: string | null
  readonly errorMessage: string | null
  readonly errorElement: string | null
  readonly turnId: string | null
  readonly resumesAt: string | null
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly expiresAt: string
  readonly endedAt: string | null
}

export const openStatuses: readonly FlowInterviewStatus[] = ['RUNNING', 'WAITING_FOR_INPUT', 'PAUSED']
export const isOpen = ({ status }: Pick<StoredInterview, 'status'>): boolean => openStatuses.includes(status)
export const openCondition = `status in ('RUNNING', 'WAITING_FOR_INPUT', 'PAUSED')`

export const interviewColumns = `id, list_key as "listKey", flow_id as "flowId", flow_api_name as "flowApiName", flow_version as "flowVersion", status,
  started_by_id as "startedById", requested_by as "requestedBy", current_element as "currentElement", screen, state, history, variables, outputs,
  acted_scopes as "actedScopes", error_code as "errorCode", error_message as "errorMessage", error_element as "errorElement", turn_id as "turnId", resumes_at as "resumesAt",
  version, created_at as "createdAt", updated_at as "updatedAt", expires_at as "expiresAt", ended_at as "endedAt"`

/** An interview, locked until the transaction ends: its steps come one after another. It is read again after each external call. */
export async function lockedInterview({ db, caller }: RequestContext, id: string): Promise<StoredInterview | null> {
  const [row] = isId(id)
    ? await withoutRowLimit(db).query<StoredInterview>(
        `select ${interviewColumns} from extensions.flow_interview where organization_id = $1 and id = $2 for update`,
        [caller.organizationId, id.toLowerCase()],
        'WRITE',
      )
    : []
  return row ?? null
}

/** How an interview is after a step. */
export interface Step {
  readonly status: FlowInterviewStatus
  readonly currentElement: string | null
  readonly screen: Screen | null
  readonly state: InterviewState
  readonly history: readonly Snapshot[]
  readonly outputs: Values | null
  /** Absent: as before. */
  readonly actedScopes?: readonly string[] | null
  readonly error: { readonly code: string; readonly message: string; readonly element: string | null } | null
  /** RUNNING: when it goes on; null: at once. */
  readonly resumesAt: Date | null
}

const dayMs = 86_400_000

export const expiryAfter = (time: Date): Date => new Date(time.getTime() + openDays * dayMs)

/** Lets an interview go on by itself. Returns the id of the item of the queue. */
async function queueTurn(ctx: RequestContext, interview: StoredInterview, { resumesAt }: Step): Promise<string> {
  const id = newId()
  const delayMs = resumesAt ? Math.max(0, resumesAt.getTime() - ctx.clock.now().getTime()) : 0
  await ctx.db.query(
    `insert into ${turnTable.table} (organization_id, id, flow_id, interview_id, next_attempt_at, is_due)
     values ($1, $2, $3, $4, date_trunc('milliseconds', clock_timestamp()) + $5 * interval '1 millisecond', $5 = 0)`,
    [ctx.caller.organizationId, id, interview.flowId, interview.id, delayMs],
    'WRITE',
  )
  return id
}

/** Nobody waits for a turn that is not needed any more. One that has begun finds that the interview has changed. */
export const dropTurn = ({ db, caller }: RequestContext, turnId: string | null): Promise<unknown> =>
  turnId === null
    ? Promise.resolve()
    : db.query(
        `delete from ${turnTable.table} where organization_id = $1 and id = $2 and lease_token is null`,
        [caller.organizationId, turnId],
        'WRITE',
      )

/** The interview after a step, in the transaction of what its elements have done. */
export async function storeStep(
  ctx: RequestContext,
  interview: StoredInterview,
  step: Step,
  isNew = false,
): Promise<StoredInterview> {
  const now = ctx.clock.now()
  const open = isOpen(step)
  const turnId = step.status === 'RUNNING' ? await queueTurn(ctx, interview, step) : null
  const ended = open ? null : now.toISOString()
  const expiresAt = expiryAfter(step.resumesAt && step.resumesAt > now ? step.resumesAt : now).toISOString()
  const next: StoredInterview = {
    ...interview,
    status: step.status,
    requestedBy: requestedBy(ctx.caller),
    currentElement: step.currentElement,
    screen: step.screen,
    state: open ? step.state : null,
    history: open ? step.history : [],
    variables: step.state.frames[0]!.variables,
    outputs: step.outputs,
    actedScopes: step.actedScopes === undefined ? interview.actedScopes : step.actedScopes,
    errorCode: step.error?.code ?? null,
    errorMessage: step.error ? storableText(step.error.message) : null,
    errorElement: step.error?.element ?? null,
    turnId,
    resumesAt: step.resumesAt?.toISOString() ?? null,
    version: isNew ? 1 : interview.version + 1,
    updatedAt: now.toISOString(),
    expiresAt: open ? expiresAt : interview.expiresAt,
    endedAt: ended,
  }
  const json = (value: unknown): string | null => (value === null ? null : storableJson(value))
  const values = [
    ctx.caller.organizationId,
    next.id,
    next.status,
    json(next.requestedBy),
    next.currentElement,
    json(next.screen),
    json(next.state),
    json(next.history),
    json(next.variables),
    json(next.outputs),
    json(next.actedScopes),
    next.errorCode,
    next.errorMessage,
    next.errorElement,
    next.turnId,
    next.resumesAt,
    next.version,
    next.updatedAt,
    next.expiresAt,
    next.endedAt,
  ]
  const columns = `status, requested_by, current_element, screen, state, history, variables, outputs, acted_scopes, error_code, error_message, error_element,
    turn_id, resumes_at, version, updated_at, expires_at, ended_at`
  const given = '$3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20'
  if (isNew)
    await ctx.db.query(
      `insert into extensions.flow_interview (organization_id, id, ${columns}, flow_id, flow_api_name, flow_version, started_by_id, created_at, list_key)
       values ($1, $2, ${given}, $21, $22, $23, $24, $25, $26)`,
      [...values, next.flowId, next.flowApiName, next.flowVersion, next.startedById, next.createdAt, next.listKey],
      'WRITE',
    )
  else
    await ctx.db.query(
      `update extensions.flow_interview set (${columns}) = (${given}) where organization_id = $1 and id = $2`,
      values,
      'WRITE',
    )
  return next
}

/** What an interview loses when it ends. */
export const endedColumns = `screen = null, state = null, history = '[]', turn_id = null, resumes_at = null, version = version + 1`

/** Ends the open interviews of a flow, which is deleted. */
export async function cancelInterviewsOf({ db, caller, clock }: RequestContext, flowId: string): Promise<void> {
  await db.query(
    `with cancelled as (
       update extensions.flow_interview set status = 'CANCELLED', ${endedColumns}, current_element = null, updated_at = $3, ended_at = $3
       where organization_id = $1 and flow_id = $2 and ${openCondition} returning id
     )
     delete from ${turnTable.table} t using cancelled c
     where t.organization_id = $1 and t.interview_id = c.id and t.lease_token is null`,
    [caller.organizationId, flowId, clock.now().toISOString()],
    'WRITE',
  )
}
