import { createHash } from 'node:crypto'
import { storableJson, storableText } from '../../kernel/json/storable-json.ts'
import { insertRow, writeChange } from '../../kernel/record/write-change.ts'
import type { TrackedObject } from '../../kernel/record/event-types.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { functionFailures, type FailedInvocation } from './failure.events.ts'
import type { PreparedRun } from './prepare.ts'
import type { FunctionOutcome } from './run.ts'

/** An invocation that succeeds, or fails while further attempts follow, has no event. */
const silent: TrackedObject<FailedInvocation> = { object: functionFailures.object }

/** The same id for all invocations of a function that were refused in one second. */
function idOfSecond(functionId: string, startedAt: string): string {
  const time = Math.floor(Date.parse(startedAt) / 1000) * 1000
  const digest = createHash('sha256').update(`${functionId} ${time}`).digest('hex')
  const hex = `${time.toString(16).padStart(12, '0')}7${digest.slice(0, 3)}8${digest.slice(3, 18)}`
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const jsonText = (value: unknown): string | null => (value == null ? null : JSON.stringify(value))

/** Writes the invocation to the log; a failure after which no further attempt follows is announced by the same statement. */
export async function recordInvocation(
  ctx: RequestContext,
  prepared: PreparedRun,
  { input, status, output, error, logs, droppedLogs, durationMs, cpuMs, memoryMb }: FunctionOutcome,
): Promise<void> {
  const { start, settings, startedAt, versionId } = prepared
  const { organizationId, functionId, trigger, depth, eventId = null, attempt = 1, isLastAttempt = false } = start
  const isThrottled = status === 'THROTTLED'
  const id = isThrottled ? idOfSecond(functionId, startedAt) : prepared.invocationId
  const row = {
    organization_id: organizationId,
    id,
    function_id: functionId,
    version_id: versionId,
    trigger,
    status,
    // An event has its content, and many throttled invocations are one row.
    input: eventId === null && !isThrottled ? jsonText(input) : null,
    output: jsonText(output),
    error: error && storableJson(error),
    logs: storableJson(logs),
    dropped_logs: droppedLogs,
    depth,
    event_id: eventId,
    attempt,
    duration_ms: Math.round(durationMs),
    cpu_ms: Math.round(cpuMs),
    memory_mb: Math.round(memoryMb),
    started_at: startedAt,
    run_as_user_id: settings.runAsUserId,
  }
  const next: FailedInvocation = {
    id,
    organizationId,
    functionId,
    apiName: settings.apiName,
    ownerId: settings.updatedById,
    versionId,
    trigger,
    status,
    error: error && storableText(`${error.name}: ${error.message}`),
    eventId: eventId && `evt_${eventId}`,
    startedAt,
  }
  // What was throttled did not run, and is attempted again.
  const isAnnounced = isLastAttempt && status !== 'SUCCEEDED' && !isThrottled
  const repeated = 'on conflict (organization_id, id) do update set count = function_invocation.count + 1'
  await writeChange(
    ctx,
    isAnnounced ? functionFailures : silent,
    { operation: 'CREATE', previous: null, next },
    (values) => insertRow(values, 'extensions.function_invocation', row, isThrottled ? repeated : ''),
  )
}
