import { mayDoMore } from '../context.ts'
import type { Row } from '../database/sql.ts'
import type { DryRunEvent, DryRunReport, NotExecuted } from '../dry-run.ts'
import { TriedFiles } from '../file/tried-files.ts'
import { ExternalCalls } from '../outbound/external-calls.ts'
import { customFieldKey, customFieldsName } from '../record/custom-field-column.ts'
import { eventSourceIn } from '../record/custom-object.ts'
import { isRecordShape, type RecordShape } from '../record/definition.ts'
import type { TrackedObject } from '../record/event-types.ts'
import { fieldRules } from '../record/field-security.ts'
import { mayReadType } from '../record/may-read-type.ts'
import { TenantPredicate } from '../record/predicate.ts'
import { shapeFor } from '../record/shape-source.ts'
import { requestContext, type RequestContext } from '../request.ts'
import { dryRunPorts } from './dry-run-ports.ts'
import type { SubgraphResult } from './endpoint.ts'
import type { KeyedRequest } from './idempotency.ts'
import { refused, RolledBack, rollBackUnlessWhole } from './whole-answer.ts'

/** The most events that are told. */
const eventsMax = 500

/**
 * Runs a mutation in one transaction that is always rolled back: the answer is as it would be, with the events that would have been written. Hooks
 * are called if the dry run says so, as in `runWithExternalCalls`; every other call to the outside is refused.
 */
export async function runDry(
  { services, ports, request }: Omit<KeyedRequest, 'kinds'>,
  run: (ctx: RequestContext) => Promise<SubgraphResult>,
): Promise<SubgraphResult> {
  const context = { ...request.context, idempotency: null }
  const { organizationId } = context.caller
  const externalCalls = new ExternalCalls()
  /** Of the mutations that this one makes through the graph. They are tried between the rounds, once. */
  const nested: DryRunReport[] = []
  const files = ports.files ? new TriedFiles(ports.files.options) : null
  const allPorts = dryRunPorts(ports, { files, tell: (report) => void nested.push(report) })
  for (;;) {
    externalCalls.beginRound()
    const notExecuted: NotExecuted[] = []
    try {
      await services.vault.load(organizationId)
      return await services.tenants.of(organizationId, context).transaction(async (db) => {
        await files?.insertWritten(db)
        const options = { ports: allPorts, db, externalCalls, notExecuted }
        const ctx = requestContext(context, services, options)
        const answer = await run(ctx)
        rollBackUnlessWhole(answer, externalCalls, context)
        await db.query('set constraints all immediate')
        const reports = [...nested, { events: await eventsOf(ctx), notExecuted }]
        const dryRun = {
          events: reports.flatMap(({ events }) => events).slice(0, eventsMax),
          notExecuted: reports.flatMap((report) => report.notExecuted),
        }
        throw new RolledBack({ ...answer, dryRun })
      })
    } catch (error) {
      if (await externalCalls.callRegistered()) continue
      if (error instanceof RolledBack) return error.answer
      return refused(error)
    }
  }
}

interface WrittenEvent extends Row {
  readonly type: string
  readonly object: string
  readonly recordId: string
  readonly changedFields: readonly string[] | null
}

/** The events of the open transaction, in their order, of the records that the caller sees in it. */
export async function eventsOf(ctx: RequestContext): Promise<DryRunEvent[]> {
  const { caller, db, operationId, requestId } = ctx
  const written = await db.query<WrittenEvent>(
    `select e.type, e.object, e.record_id as "recordId",
       case when jsonb_typeof(e.data -> 'changedFields') = 'array' then e.data -> 'changedFields' end as "changedFields"
     from kernel.event_pending p
       join kernel.event e on e.organization_id = p.organization_id and e.id = p.event_id and e.occurred_at = p.occurred_at
     where p.organization_id = $1 and e.operation_id = $2
     order by p.sequence limit ${eventsMax}`,
    [caller.organizationId, operationId ?? requestId],
  )
  const told: DryRunEvent[] = []
  const seen = await seenRecords(ctx, written)
  for (const { type, object, recordId, changedFields } of written) {
    const source = eventSourceIn(ctx, object)
    if (!source || !seen.get(object)?.has(recordId)) continue
    const shown = changedFields && isRecordShape(source) ? readable(ctx, source, changedFields) : changedFields
    if (shown?.length === 0 && changedFields!.length > 0) continue
    told.push({ type, object, recordId, changedFields: shown })
  }
  return told
}

/** The names without those that the profile of the caller hides. */
function readable(ctx: RequestContext, source: RecordShape, names: readonly string[]): readonly string[] {
  const rules = fieldRules(ctx.caller, shapeFor(ctx, source))
  if (!rules) return names
  return names.filter(
    (name) => !rules.hidden.has(name) && !(customFieldKey(name) !== null && rules.hidden.has(customFieldsName)),
  )
}

/** The ids of the records of these events that the caller sees in the transaction, by record type. */
async function seenRecords(ctx: RequestContext, events: readonly WrittenEvent[]) {
  const seen = new Map<string, ReadonlySet<string>>()
  for (const [object, group] of Map.groupBy(events, (event) => event.object)) {
    const ids = [...new Set(group.map(({ recordId }) => recordId))]
    const source = eventSourceIn(ctx, object)
    if (source) seen.set(object, await seenOf(ctx, source, ids))
  }
  return seen
}

async function seenOf(
  ctx: RequestContext,
  source: TrackedObject,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const { caller, db } = ctx
  // Only owners and admins get the events of what is no record.
  if (source.isAdministrative || !isRecordShape(source))
    return mayDoMore(caller.role, 'MANAGER') ? new Set(ids) : new Set()
  if (!mayReadType(caller, source)) return new Set()
  const shape = shapeFor(ctx, source)
  const predicate = new TenantPredicate(caller)
  const visible = predicate.visible(shape, 't')
  const rows = await db.query<{ id: string }>(
    `select t.id from ${shape.table} t where ${visible} and t.id = any(${predicate.values.add(ids)}::uuid[])`,
    predicate.values.list,
  )
  return new Set(rows.map(({ id }) => id))
}
