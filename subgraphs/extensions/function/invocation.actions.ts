import { createHash } from 'node:crypto'
import { seesLess } from '../../identity/public.ts'
import { invalid, notFound, Refusal } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { depthStartedBy, requireDepth } from '../../kernel/automation/depth.ts'
import { externalCall, transactionWithExternalCalls } from '../../kernel/outbound/external-call.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { requireAdministrator } from '../../kernel/require.ts'
import { payloadBytesMax } from './bounds.ts'
import { functionNotFound, requireFunction } from './find-function.ts'
import type { FunctionContext } from './function.context.ts'
import type { FunctionLanguage } from './function.enumerations.ts'
import { requireRightToProgram } from './function.rules.ts'
import type { ServerlessFunction } from './function.ts'
import type { FunctionError, InvocationListArgs, ServerlessFunctionInvocation } from './invocation.ts'
import { newestFirst } from '../../kernel/record/newest-first.ts'
import { prepareRun, type FunctionStart, type PreparedRun } from './prepare.ts'
import { recordInvocation } from './record-invocation.ts'
import { run, type FunctionOutcome } from './run.ts'
import { compiled } from './version.actions.ts'

function checkedInput(input: unknown): object {
  const given = input ?? {}
  const problem = (code: string, message: string) => invalid({ path: 'input.input', code, message })
  if (!isJsonObject(given)) throw problem('WRONG_TYPE', 'input.input must be an object.')
  if (Buffer.byteLength(JSON.stringify(given)) > payloadBytesMax)
    throw problem('TOO_LONG', `input.input must have at most ${payloadBytesMax} bytes as JSON.`)
  return given
}

interface Ended {
  readonly prepared: PreparedRun
  readonly outcome: FunctionOutcome
}

interface CallerStart {
  readonly found: ServerlessFunction
  readonly start: Omit<FunctionStart, 'organizationId' | 'functionId'>
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/**
 * Runs a function while no transaction is open, and logs the invocation in the transaction of the answer. `decide` checks that it may run, once: an
 * invocation that has ended is answered and logged, whatever became of the function meanwhile. With an idempotency key, a repeated request whose
 * first answer was lost runs it again, but what it writes has the same keys. One mutation may run several: `what` says which function runs with
 * what, and equal ones are numbered, so that each runs once.
 */
async function runForCaller(
  ctx: FunctionContext,
  what: readonly unknown[],
  decide: () => Promise<CallerStart>,
): Promise<Ended> {
  const { caller, clock, idempotency, externalCalls } = ctx
  const { organizationId, credentialId } = caller
  const callKey = externalCalls!.numbered(`run ${digestOf(JSON.stringify(what))}`)
  const effectKey = idempotency && digestOf(`${credentialId} ${idempotency.key} ${callKey}`)
  const ended = await externalCall(ctx, callKey, async () => {
    const { found, start } = await decide()
    const whole = { ...start, functionId: found.id, organizationId, ...(effectKey !== null && { effectKey }) }
    const prepared = await prepareRun(ctx.db, clock.now(), whole)
    if (!prepared) throw refusalInSituation(`The function ${found.apiName} has no version to run.`)
    const { vault, sandbox, outbound, credentials, graph, rest, counters } = ctx
    return async () => ({
      prepared,
      outcome: await run({ vault, sandbox, outbound, credentials, graph, rest, counters, clock }, prepared),
    })
  })
  await recordInvocation(ctx, ended.prepared, ended.outcome)
  return ended
}

/** The answer of an invocation; 429 if it did not run. It is thrown after the transaction, in which the refusal is logged. */
function answerOf({ prepared, outcome }: Ended) {
  const { status, output, error, logs, droppedLogs, durationMs, cpuMs, memoryMb, retryAfter } = outcome
  if (status === 'THROTTLED') {
    const message = 'Too many functions of your organization run, or have run in this minute.'
    throw new Refusal('FUNCTION_THROTTLED', message, { retryAfter: retryAfter ?? 1 })
  }
  return {
    invocationId: prepared.invocationId,
    status,
    output,
    error,
    logs,
    droppedLogs,
    durationMs: Math.round(durationMs),
    cpuMs: Math.round(cpuMs),
    memoryMb: Math.round(memoryMb),
  }
}

/** AI workflows run functions as actions: also those that clients cannot call. What an automation invokes is deeper than itself, whatever it states. */
export async function invokeFunction(ctx: FunctionContext, key: string, depthOfClient: number, input: unknown) {
  requireWritableRole(ctx)
  const isAction = ctx.caller.origin?.kind === 'AI_TRIGGER'
  const depth = Math.max(depthStartedBy(ctx.caller), isAction ? 0 : depthOfClient)
  requireDepth(depth)
  const given = checkedInput(input)
  const ended = await transactionWithExternalCalls(ctx, (inner) =>
    runForCaller(inner, [key, given], async () => {
      const found = await requireFunction(inner, key)
      if (!found.httpEnabled && !isAction) throw functionNotFound()
      if (!found.isActive) throw refusalInSituation('The function is turned off.')
      if (!found.deployedVersionId) throw refusalInSituation('The function has no version that is deployed.')
      return { found, start: { trigger: isAction ? 'ACTION' : 'HTTP', input: given, depth } }
    }),
  )
  return answerOf(ended)
}

export interface FunctionTest {
  readonly input?: unknown
  readonly source?: string | null
  readonly language?: FunctionLanguage | null
  readonly versionId?: string | null
}

export async function testFunction(ctx: FunctionContext, key: string, test: FunctionTest) {
  requireAdministrator(ctx)
  const depth = depthStartedBy(ctx.caller)
  requireDepth(depth)
  const { source, language, versionId } = test
  const input = checkedInput(test.input)
  if (source != null && versionId != null)
    throw invalid({
      path: 'input.versionId',
      code: 'NOT_TOGETHER',
      message: 'input.versionId must not be given with input.source.',
    })
  const ended = await transactionWithExternalCalls(ctx, (inner) =>
    runForCaller(inner, [key, input, source, language, versionId], async () => {
      const found = await requireFunction(inner, key)
      await requireRightToProgram(inner, found)
      const program = source == null ? null : await compiled(inner, source, language ?? found.language)
      if (versionId != null) await requireVersion(inner, found.id, versionId)
      const version = versionId == null ? {} : { versionId }
      return { found, start: { trigger: 'TEST', input, depth, ...version, ...(program && { program }) } }
    }),
  )
  return answerOf(ended)
}

async function requireVersion({ db, caller }: RequestContext, functionId: string, id: string): Promise<void> {
  const [row] = await db.query(
    'select 1 from extensions.function_version where organization_id = $1 and function_id = $2 and id = $3',
    [caller.organizationId, functionId, id],
  )
  if (row) return
  const message = 'input.versionId must be the id of a version of the function.'
  throw invalid({ path: 'input.versionId', code: 'UNKNOWN_REFERENCE', message })
}

const summary = `i.id, i.function_id as "functionId", i.version_id as "versionId", i.trigger, i.status, i.error,
  i.dropped_logs as "droppedLogs", i.depth, i.count, 'evt_' || i.event_id::text as "eventId", i.duration_ms as "durationMs",
  i.cpu_ms as "cpuMs", i.memory_mb as "memoryMb", i.started_at as "startedAt", i.run_as_user_id as "runAsUserId"`
const kept = `extensions.function_invocation i
  where i.organization_id = $1 and i.function_id = $2 and i.started_at > $3::timestamptz - interval '30 days'`

export async function readInvocations(
  ctx: RequestContext,
  key: string,
  { status, trigger, ...args }: InvocationListArgs,
  info: SelectionInfo,
) {
  requireAdministrator(ctx)
  const { id } = await requireFunction(ctx, key)
  const values: unknown[] = [ctx.caller.organizationId, id, ctx.clock.now().toISOString()]
  const where = Object.entries({ status, trigger }).flatMap(([column, value]) =>
    value == null ? [] : [` and i.${column} = $${values.push(value)}`],
  )
  const list = {
    select: summary,
    from: kept + where.join(''),
    values,
    key: { sql: 'i.id', type: 'uuid', of: (row: { [name: string]: unknown }) => row['id'] },
  } as const
  const page = await newestFirst(ctx, list, args, info)
  return { ...page, data: page.data.map((row) => withSeenError(ctx, row as unknown as StoredSummary)) }
}

interface StoredSummary extends Record<string, unknown> {
  readonly error: FunctionError | null
  readonly runAsUserId: string | null
}

interface StoredInvocation extends StoredSummary {
  readonly input: string | null
  readonly output: string | null
  readonly logs: readonly unknown[]
}

/** What an invocation got and did is what the user as whom it acted sees: others get it only if they see everything. */
const maySee = ({ caller }: RequestContext, { runAsUserId }: StoredSummary): boolean =>
  !seesLess(caller) || caller.userId === runAsUserId

const hiddenError: FunctionError = {
  name: 'Error',
  message: 'The text is shown to those who see all records and fields, and to the user as whom the function acted.',
  stack: null,
}

const withSeenError = <T extends StoredSummary>(ctx: RequestContext, row: T): T =>
  row.error === null || maySee(ctx, row) ? row : { ...row, error: hiddenError }

export async function readInvocation(
  ctx: RequestContext,
  key: string,
  invocationId: string,
): Promise<ServerlessFunctionInvocation> {
  requireAdministrator(ctx)
  const { id } = await requireFunction(ctx, key)
  const [row] = isId(invocationId)
    ? await ctx.db.query<StoredInvocation>(`select ${summary}, i.input, i.output, i.logs from ${kept} and i.id = $4`, [
        ctx.caller.organizationId,
        id,
        ctx.clock.now().toISOString(),
        invocationId,
      ])
    : []
  if (!row) throw notFound('The invocation')
  const { input, output, ...others } = withSeenError(ctx, row)
  if (!maySee(ctx, row))
    return { ...others, input: null, output: null, logs: [] } as unknown as ServerlessFunctionInvocation
  const parsed = (text: string | null): unknown => (text === null ? null : parseJsonExactly(text))
  return { ...others, input: parsed(input), output: parsed(output) } as unknown as ServerlessFunctionInvocation
}
