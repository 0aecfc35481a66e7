import { createHash } from 'node:crypto'
import { depthMax, requireDepth } from '../../kernel/automation/depth.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { readOne, requireRecord } from '../../kernel/record/read.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { notAnswered, unrestricted } from '../../kernel/request.ts'
import { ExtendedType, shapeOfType } from '../extended-type.ts'
import { apiNamePattern, payloadBytesMax } from '../function/bounds.ts'
import type { FunctionContext } from '../function/function.context.ts'
import { prepareRun, type PreparedRun } from '../function/prepare.ts'
import { recordInvocation } from '../function/record-invocation.ts'
import { run, type FunctionOutcome } from '../function/run.ts'
import { problemOfValue } from './bounded-schema.ts'
import { callUrl } from './call-url.ts'
import { customAction } from './custom-action.record.ts'
import type { CustomAction } from './custom-action.ts'
import { failed, type ActionOutcome } from './outcome.ts'

export interface ActionStart {
  /** Id or apiName. */
  readonly key: string
  readonly recordId?: string | null
  readonly input?: unknown
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
  const recordId = start.recordId?.toLowerCase() ?? null
  const input = checkedInput(start.input)
  const { action, ended } = await transactionWithExternalCalls(ctx, async (inner) => {
    const action = await requireAction(inner, start.key)
    requireRunnable(inner, action)
    const objectType = await typeOfRecord(inner, action, recordId)
    const problem = problemOfValue(action.inputSchema, 'input.input', input)
    if (problem) throw invalid(problem)
    const body = { action: action.apiName, recordId, objectType, input }
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

function checkedInput(given: unknown): object {
  const input = given ?? {}
  const problem = (code: string, rule: string) =>
    invalid({ path: 'input.input', code, message: `input.input must ${rule}.` })
  if (!isJsonObject(input)) throw problem('WRONG_TYPE', 'be an object')
  if (Buffer.byteLength(JSON.stringify(input)) > payloadBytesMax)
    throw problem('TOO_LONG', `have at most ${payloadBytesMax} bytes as JSON`)
  return input
}

/** Profiles hide nothing of an action from those who may run it. */
async function requireAction(ctx: FunctionContext, key: string): Promise<CustomAction> {
  const id = isId(key) ? key.toLowerCase() : await idNamed(ctx, key)
  if (id === null) throw notFound('The custom action')
  return requireRecord(unrestricted(ctx), customAction, id)
}

async function idNamed({ db, caller }: FunctionContext, key: string): Promise<string | null> {
  const [row] = apiNamePattern.test(key)
    ? await db.query<{ id: string }>(
        'select id from extensions.custom_action where organization_id = $1 and api_name = $2 and deleted_at is null',
        [caller.organizationId, key],
      )
    : []
  return row?.id ?? null
}

function requireRunnable(ctx: FunctionContext, { isActive, allowManual, kind }: CustomAction): void {
  if (kind === 'WRITE') requireWritableRole(ctx)
  if (!isActive) throw refusalInSituation('The action is turned off.')
  if (!allowManual && ctx.caller.origin === undefined)
    throw refusalInSituation('The action is for automations only, because allowManual is false.')
}

/** The record type of the record, which the caller must see; null without a record. */
async function typeOfRecord(
  ctx: FunctionContext,
  { objectTypes }: CustomAction,
  recordId: string | null,
): Promise<ExtendedType | null> {
  if (recordId === null) {
    if (objectTypes.length === 0) return null
    const message = `input.recordId must be the id of a record of the type ${objectTypes.join(' or ')}.`
    throw invalid({ path: 'input.recordId', code: 'REQUIRED', message })
  }
  // Those of the action first, which it nearly always is.
  for (const type of new Set([...objectTypes, ...(Object.keys(ExtendedType) as ExtendedType[])]))
    if (await readOne(notAnswered(ctx), shapeOfType(type), recordId)) {
      if (objectTypes.length === 0 || objectTypes.includes(type)) return type
      throw refusalInSituation(`The action is for records of the type ${objectTypes.join(' or ')}.`)
    }
  throw notFound('The record')
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
