import { envelopeOf, parentsOf, visibleEvent } from '../../events/public.ts'
import type { Caller } from '../../kernel/context.ts'
import { newId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { allColumnNames, readOne } from '../../kernel/record/read.ts'
import { requestContext, type Services } from '../../kernel/request.ts'
import { objectNamed, shapeIn, type WorkflowObject } from './objects.ts'
import type { StoredRun, StoredStep } from './run-store.ts'

type Values = Readonly<Record<string, unknown>>

/** The record as the user sees it at this moment; null if the user does not. The shapes of the organization must be loaded. */
export async function seenRecord(
  services: Services,
  caller: Caller,
  object: WorkflowObject,
  id: string,
  db = services.tenants.of(caller.organizationId),
): Promise<Values | null> {
  const shape = shapeIn(services.shapes.shapesOf(caller.organizationId), object)
  if (!shape) return null
  const ctx = requestContext({ caller, requestId: newId(), idempotency: null }, services, { db })
  const row = await readOne(ctx, shape, id, allColumnNames(shape))
  return row && shape.columns.shownOf(row)
}

interface Seen {
  readonly record: Values | null
  readonly previous: Values | null
  readonly trigger: Values
}

/** What a run is about, as its run-as user sees it at this moment: the record of the event while it is kept, otherwise the record as it is. */
async function seenOf(services: Services, caller: Caller, run: StoredRun): Promise<Seen> {
  const { organizationId, eventPosition, eventId, recordType, recordId, triggerType } = run
  const trigger = { type: triggerType, recordType, recordId, eventId: eventId && `evt_${eventId}` }
  const object = objectNamed(recordType)
  await services.shapes.load(organizationId)
  if (eventPosition !== null) {
    const [event] = await services.events.read(organizationId, {
      after: eventPosition - 1,
      limit: 1,
      upTo: eventPosition,
    })
    if (event) {
      const sql = services.tenants.of(organizationId)
      const shapes = services.shapes.shapesOf(organizationId)
      const parents = await parentsOf(sql, organizationId, [event], shapes)
      const seen = visibleEvent(caller, event, { shapes, parents })
      const data = seen ? envelopeOf(seen).data : {}
      const { record, previous } = data
      return {
        record: isJsonObject(record) ? record : null,
        previous: isJsonObject(previous) ? previous : null,
        trigger: { ...trigger, occurredAt: event.occurredAt },
      }
    }
  }
  const record = object && recordId !== null ? await seenRecord(services, caller, object, recordId) : null
  return { record, previous: null, trigger }
}

export interface RunScope extends Record<string, unknown> {
  readonly record: Values | null
  readonly previous: Values | null
  readonly steps: Record<string, { readonly status: string; readonly output: unknown }>
}

/** What outputs and conditions of steps may name. */
export async function scopeOf(
  services: Services,
  caller: Caller,
  run: StoredRun,
  done: readonly StoredStep[],
): Promise<RunScope> {
  const { record, previous, trigger } = await seenOf(services, caller, run)
  const steps = Object.create(null) as RunScope['steps']
  for (const { stepId, status, output } of done) if (status !== 'RUNNING') steps[stepId] = { status, output }
  return {
    record,
    previous,
    trigger,
    input: run.input ?? null,
    steps,
    run: { id: run.id },
    workflow: { id: run.workflowId, name: run.workflowName },
  }
}
