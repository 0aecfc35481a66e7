import { fittingText, shownEventId, type VisibleEvent } from '../../events/public.ts'
import { fieldsOfShape } from '../../kernel/condition/condition-fields.ts'
import { compileStoredConditions } from '../../kernel/condition/conditions.ts'
import type { Caller } from '../../kernel/context.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import type { Leased, Outcome, QueuedItem } from '../../kernel/queue/queue.ts'
import type { Services } from '../../kernel/request.ts'
import { isExtendedType, shapeOfType } from '../extended-type.ts'
import { payloadBytesMax } from '../function/bounds.ts'
import { runFunction } from '../function/run-function.ts'
import { seenEvent } from '../subscription/event-input.ts'
import { turnMs } from './bounds.ts'
import { triggerRunTable } from './trigger.migrations.ts'
import type { AfterSaveTrigger } from './trigger.ts'

/** How a trigger of the change ended, and in which attempt. */
interface Ended {
  readonly status: 'SUCCEEDED' | 'FAILED' | 'SKIPPED'
  readonly attempt: number
}

export interface TriggerRun extends QueuedItem {
  readonly organizationId: string
  readonly eventId: string
  readonly eventPosition: number
  readonly depth: number
  readonly triggerIds: readonly string[]
  readonly outcomes: Readonly<Record<string, Ended>>
}

type Runnable = Pick<AfterSaveTrigger, 'id' | 'objectType' | 'conditions' | 'logic' | 'timeoutMs'> & {
  readonly functionId: string
}

/** Those that are active, by their position, with their functions. */
const runnable = (services: Services, { organizationId, triggerIds }: TriggerRun): Promise<Runnable[]> =>
  services.tenants.of(organizationId).query<Runnable & Record<string, unknown>>(
    `select t.id, t.object_type as "objectType", t.conditions, t.logic, t.timeout_ms as "timeoutMs", f.id as "functionId"
     from extensions.after_save_trigger t
     join extensions.function f on f.organization_id = t.organization_id and f.api_name = t.function
       and f.is_active and f.deleted_at is null
     where t.organization_id = $1 and t.id = any($2::uuid[]) and t.is_active and t.deleted_at is null
     order by t.position, t.created_at, t.id`,
    [organizationId, triggerIds],
  )

/**
 * Runs the triggers of one change by their position. What has succeeded is not run again; what failed is, in the next attempt. What must wait, for its turn or
 * because functions are throttled, uses up no attempt.
 */
export async function runTriggers(services: Services, run: Leased<TriggerRun>, isLast: boolean): Promise<Outcome> {
  const { attempts } = run
  const endsAt = performance.now() + turnMs
  const outcomes: Record<string, Ended> = { ...run.outcomes }
  const errors: string[] = []
  const result = () => ({ outcomes: JSON.stringify(outcomes) })
  const isOpen = ({ id }: Runnable): boolean => {
    const ended = outcomes[id]
    return !ended || (ended.status === 'FAILED' && ended.attempt < attempts)
  }
  const open = (await runnable(services, run)).filter(isOpen)
  for (const [index, trigger] of open.entries()) {
    if (performance.now() >= endsAt) return { retry: 'The next turn.', afterMs: 0, isWait: true, result: result() }
    const ended = await runTrigger(services, run, trigger, isLast)
    if ('waitMs' in ended) return { retry: ended.message, afterMs: ended.waitMs, isWait: true, result: result() }
    outcomes[trigger.id] = { status: ended.status, attempt: attempts }
    if (ended.message !== null) errors.push(ended.message)
    // A process that dies runs what has ended not again.
    if (index < open.length - 1 && !(await record(services, run, outcomes))) return { end: 'SKIPPED' }
  }
  const all = Object.values(outcomes)
  const hasFailed = all.some(({ status }) => status === 'FAILED')
  const error = errors[0]?.slice(0, 1_000) ?? 'A trigger has failed.'
  if (hasFailed) return isLast ? { end: 'FAILED', error, result: result() } : { retry: error, result: result() }
  return { end: all.some(({ status }) => status === 'SUCCEEDED') ? 'SUCCEEDED' : 'SKIPPED', result: result() }
}

/** False when another attempt has the lease by then. */
async function record(services: Services, run: Leased<TriggerRun>, outcomes: object): Promise<boolean> {
  const recorded = await services.tenants
    .of(run.organizationId)
    .query(
      `update ${triggerRunTable.table} set outcomes = $4 where organization_id = $1 and id = $2 and lease_token = $3 returning 1`,
      [run.organizationId, run.id, run.token, JSON.stringify(outcomes)],
      'WRITE',
    )
  return recorded.length > 0
}

type Attempt =
  | { readonly status: Ended['status']; readonly message: string | null }
  | { readonly waitMs: number; readonly message: string }

const skipped: Attempt = { status: 'SKIPPED', message: null }

async function runTrigger(
  services: Services,
  { organizationId, eventId, eventPosition, depth, attempts }: TriggerRun,
  trigger: Runnable,
  isLastAttempt: boolean,
): Promise<Attempt> {
  const { id, functionId, timeoutMs } = trigger
  const seen = await seenEvent(services, { organizationId, functionId, eventPosition, depth })
  if (!seen) return skipped
  const { caller, event } = seen
  if (caller && (!event || !isMet(services, trigger, caller, event))) return skipped
  const started = await runFunction(services, {
    organizationId,
    functionId,
    trigger: 'EVENT',
    // Nothing is shown to a user who may not act; the invocation fails, and its log says why.
    input: event ? inputOf(event) : {},
    depth,
    attempt: attempts,
    eventId,
    effectKey: `${eventId}:${id}`,
    isLastAttempt,
    timeoutMs,
  })
  if (!started) return skipped
  const { status, error, retryAfter } = started
  if (status === 'SUCCEEDED') return { status, message: null }
  const message = error?.message ?? status
  if (status === 'THROTTLED') return { waitMs: 1000 * (retryAfter ?? 1), message }
  return { status: 'FAILED', message }
}

/** Whether the change, as the user of the function sees it, meets the conditions. */
function isMet(services: Services, trigger: Runnable, caller: Caller, event: VisibleEvent): boolean {
  const { objectType, conditions, logic } = trigger
  if (conditions.length === 0) return true
  const shapes = services.shapes.shapesOf(event.organizationId)
  const shape = isExtendedType(objectType) ? shapeOfType({ shapes }, objectType) : null
  if (!shape) return false
  const fields = fieldsOfShape(shape, caller)
  const { record, previous } = event.data
  if (!isJsonObject(record)) return false
  const matches = compileStoredConditions({ conditions, logic }, fields)
  return matches(record, isJsonObject(previous) ? previous : null, Date.parse(event.occurredAt))
}

/** What the function gets; of a record that is too large, only its id. */
function inputOf({ id, position, object, data }: VisibleEvent): object {
  const { record, previous = null, changedFields = null } = data
  const whole = { record, previous, changedFields, id: data['id'] }
  const fitting = JSON.parse(fittingText({ data: whole }, payloadBytesMax - 1_000)) as { readonly data: typeof whole }
  const { id: _, ...rest } = fitting.data
  return { eventId: shownEventId(id), position, object, ...rest, previous: rest.previous ?? null }
}
