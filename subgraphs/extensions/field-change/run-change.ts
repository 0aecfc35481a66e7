import { setTimeout as rest } from 'node:timers/promises'
import { requireCurrentDefinitions, withCurrentExtensions } from '../../kernel/extension/current-extensions.ts'
import { noUserId } from '../../kernel/context.ts'
import { Refusal } from '../../kernel/errors.ts'
import type { Leased, Outcome, QueuedItem } from '../../kernel/queue/queue.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { allColumnNames } from '../../kernel/record/read.ts'
import { change } from '../../kernel/record/records-of.ts'
import { selectList } from '../../kernel/record/selection.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import type { CustomFieldChange } from '../custom-field/custom-field.enumerations.ts'
import { customField } from '../custom-field/custom-field.record.ts'
import type { CustomField } from '../custom-field/custom-field.ts'
import { shapeOfEntity } from '../custom-field/field-entity.ts'
import { fieldChangeNamed, type FailedValue, type FieldChange, type RunningChange } from './field-change.ts'
import { fieldChangeTable } from './field-change.migrations.ts'

const { table } = fieldChangeTable

export interface ChangeItem extends QueuedItem {
  readonly fieldId: string
}

/** A turn begins no further batch after this time, so that the changes of other organizations have theirs. */
export const turnMs = 10_000
const waitMs = 1_000
const failuresMaxDefault = 100
/** Attempts in a row that made no progress, of which each ended its process or failed. */
export const attemptsMax = 12
/** A change that is repeated until it has happened waits so long after these attempts. */
const repeatedAfterMs = 900_000
/** Records of the smallest batch. */
const batchSizeMin = 5

/** The turn records its outcome itself, in the transaction of its effect. */
const recorded: Outcome = { end: 'RECORDED' }
const nextTurn = (afterMs = 0): Outcome => ({ retry: '', isWait: true, afterMs })

/** Another attempt has the lease, or the change has ended. */
class LeaseLost extends Error {}

interface StoredChange extends Record<string, unknown> {
  readonly kind: CustomFieldChange
  readonly parameters: object
  readonly requestedById: string | null
  readonly cursor: string | null
  readonly total: number | null
  readonly processed: number
  readonly failures: readonly FailedValue[]
  /** An earlier change of the field has not ended. */
  readonly isWaiting: boolean
  readonly hasOthers: boolean
}

/** Carries out a change of a field, batch after batch, until its turn is over. It rests after each batch as long as that took. */
export async function runChange(services: Services, item: Leased<ChangeItem>, signal: AbortSignal): Promise<Outcome> {
  const endMs = performance.now() + turnMs
  let hasProgress = false
  try {
    // Attempts that ended their process are not repeated for ever.
    if (item.attempts > attemptsMax && item.lostToken !== null) return await interrupted(services, item)
    for (;;) {
      const beganMs = performance.now()
      const step = await nextBatch(services, item)
      if (step === 'WAIT') return nextTurn(waitMs)
      if (step !== 'MORE') {
        await end(services, item, step === 'DONE' ? null : 'Values of records do not allow the change.')
        return recorded
      }
      hasProgress = true
      if (signal.aborted || performance.now() >= endMs) return nextTurn()
      await rest(performance.now() - beganMs, undefined, { signal }).catch(() => undefined)
    }
  } catch (error) {
    if (error instanceof LeaseLost) return recorded
    if (hasProgress || item.attempts < attemptsMax) throw error
    services.log.error({ err: error, fieldId: item.fieldId }, 'a change of a custom field has failed')
    return interrupted(services, item)
  }
}

/** Batches that took too long may succeed with fewer records. */
const batchSizeOf = ({ batchSize }: FieldChange, { attempts }: ChangeItem): number =>
  Math.max(Math.min(batchSize, batchSizeMin), Math.floor(batchSize / 10 ** (attempts - 1)))

async function interrupted(services: Services, item: Leased<ChangeItem>): Promise<Outcome> {
  if (await isRepeated(services, item)) return nextTurn(repeatedAfterMs)
  await end(services, item, 'The change was interrupted repeatedly.')
  return recorded
}

async function isRepeated(services: Services, item: Leased<ChangeItem>): Promise<boolean> {
  const ctx = await contextOf(services, item.organization!)
  const field = await fieldOf(ctx, item.fieldId)
  if (!field || field.deletedAt !== null) return false
  const { kind } = await inTransaction(ctx, (inner) => requireLease(inner, item))
  return fieldChangeNamed(kind).isRepeated?.(field) ?? false
}

async function contextOf(services: Services, organizationId: string): Promise<RequestContext> {
  await services.extensions.load(organizationId)
  return systemContext(services, organizationId)
}

type Step = 'WAIT' | 'MORE' | 'DONE' | 'FAILED'

async function nextBatch(services: Services, item: Leased<ChangeItem>): Promise<Step> {
  const ctx = await contextOf(services, item.organization!)
  const step = await withCurrentExtensions(ctx, (current) => inTransaction(current, (inner) => batchIn(inner, item)))
  if (step === 'MORE') await showProgress(ctx, item)
  return step
}

async function batchIn(ctx: RequestContext, item: Leased<ChangeItem>): Promise<Step> {
  const stored = await requireLease(ctx, item)
  if (stored.isWaiting) return 'WAIT'
  await requireCurrentDefinitions(ctx)
  const field = await fieldOf(ctx, item.fieldId)
  // It was removed by hand.
  if (!field) return 'DONE'
  const kind = fieldChangeNamed(stored.kind)
  const failuresMax = kind.failuresMax ?? failuresMaxDefault
  const shape = shapeOfEntity(ctx, kind.entityOf?.(field) ?? field.entity)
  const running = runningChange(item, stored, field)
  if (await kind.isOver?.(ctx, running)) return 'DONE'
  const total = stored.total ?? (await countOf(ctx, shape))
  const ids = await idsAfter(ctx, shape, stored.cursor, batchSizeOf(kind, item))
  if (ids.length === 0) return stored.failures.length > 0 ? 'FAILED' : 'DONE'
  const failed = await kind.batch(ctx, { ...running, shape, ids })
  const failures = [...stored.failures, ...failed].slice(0, failuresMax)
  await ctx.db.query(
    `update ${table} set cursor = $3, processed = processed + $4, total = $5, failures = $6, attempts = 1
     where organization_id = $1 and id = $2`,
    [ctx.caller.organizationId, item.id, ids.at(-1)!, ids.length, total, JSON.stringify(failures)],
  )
  return failures.length === failuresMax ? 'FAILED' : 'MORE'
}

const runningChange = (
  { id }: ChangeItem,
  { parameters, requestedById }: StoredChange,
  field: CustomField,
): RunningChange => ({ id, field, parameters, requestedById })

/** Locks the change; throws unless this attempt still has its lease. */
async function requireLease(
  { db, caller }: RequestContext,
  { id, fieldId, token }: Leased<ChangeItem>,
): Promise<StoredChange> {
  const [stored] = await db.query<StoredChange>(
    `select kind, parameters, requested_by_id as "requestedById", cursor, total, processed, failures,
       exists (select from ${table} o where ${others('o')} and o.id < c.id) as "isWaiting",
       exists (select from ${table} o where ${others('o')} and o.id <> c.id) as "hasOthers"
     from ${table} c
     where c.organization_id = $1 and c.id = $2 and c.lease_token = $4 and c.state = 'QUEUED' for update of c`,
    [caller.organizationId, id, fieldId, token],
  )
  if (!stored) throw new LeaseLost()
  return stored
}

/** The open changes of the field `$3`. */
const others = (alias: string): string =>
  `${alias}.organization_id = $1 and ${alias}.field_id = $3 and ${alias}.state = 'QUEUED'`

async function fieldOf({ db, caller }: RequestContext, id: string): Promise<CustomField | null> {
  const [field] = await db.query<CustomField & Record<string, unknown>>(
    `select ${selectList(customField, allColumnNames(customField), 't', null)} from ${customField.table} t
     where t.organization_id = $1 and t.id = $2`,
    [caller.organizationId, id],
  )
  return field ?? null
}

/** Also deleted records, and details whose master is deleted: they can be restored. */
async function countOf({ db, caller }: RequestContext, shape: RecordShape): Promise<number> {
  const predicate = new TenantPredicate(caller)
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from ${shape.table} t where ${predicate.all(shape, 't')}`,
    predicate.values.list,
  )
  return row!.count
}

async function idsAfter(
  { db, caller }: RequestContext,
  shape: RecordShape,
  cursor: string | null,
  size: number,
): Promise<string[]> {
  const predicate = new TenantPredicate(caller)
  const after = cursor === null ? '' : ` and t.id > ${predicate.values.add(cursor)}`
  const rows = await db.query<{ id: string }>(
    `select t.id from ${shape.table} t where ${predicate.all(shape, 't')}${after}
     order by t.organization_id, t.id limit ${size}`,
    predicate.values.list,
  )
  return rows.map(({ id }) => id)
}

/** For people only: outside of the transaction of the batch, so that no batch waits for a change of the definition. */
async function showProgress({ db, caller }: RequestContext, { id, fieldId }: ChangeItem): Promise<void> {
  await db.query(
    `update ${customField.table} f set progress = jsonb_build_object('change', c.kind, 'processed', c.processed, 'total', c.total,
       'failures', jsonb_array_length(c.failures), 'message', null)
     from ${table} c where c.organization_id = $1 and c.id = $2 and c.state = 'QUEUED'
       and f.organization_id = $1 and f.id = $3 and f.state <> 'READY'`,
    [caller.organizationId, id, fieldId],
  )
}

/** Ends the change with what the definition is then; `message` says why it has failed. */
async function end(services: Services, item: Leased<ChangeItem>, message: string | null): Promise<void> {
  const system = await contextOf(services, item.organization!)
  const write = (reason: string | null): Promise<void> =>
    inTransaction(system, async (inner) => {
      const stored = await requireLease(inner, item)
      const field = await fieldOf(inner, item.fieldId)
      const caller = { ...inner.caller, userId: stored.requestedById ?? noUserId }
      if (field) await settleDefinition({ ...inner, caller }, item, stored, field, reason)
      await inner.db.query(
        `update ${table} set state = $3, is_due = false, lease_token = null, finished_at = statement_timestamp(), last_error = $4
         where organization_id = $1 and id = $2`,
        [inner.caller.organizationId, item.id, reason === null ? 'DONE' : 'FAILED', reason],
      )
    })
  try {
    await write(message)
  } catch (error) {
    // What the definition would become is not allowed, because of what was changed meanwhile.
    if (!(error instanceof Refusal) || message !== null) throw error
    await write(error.message)
  }
}

async function settleDefinition(
  ctx: RequestContext,
  item: Leased<ChangeItem>,
  stored: StoredChange,
  field: CustomField,
  message: string | null,
): Promise<void> {
  const kind = fieldChangeNamed(stored.kind)
  if (kind.isAfterwards) return
  const running = runningChange(item, stored, field)
  const isFailed = message !== null
  const settle = isFailed ? kind.fail : kind.finish
  const settled = settle ? await settle(ctx, running) : {}
  if (settled === null) return
  // What would follow was begun together with what has failed.
  if (isFailed) await cancelOthers(ctx, item)
  const { processed, total, failures } = stored
  const failure = { change: stored.kind, processed, total, failures: failures.length, message }
  const implied: Partial<CustomField> = {
    ...settled,
    state: !isFailed && stored.hasOthers ? 'BUILDING' : 'READY',
    progress: isFailed ? failure : null,
  }
  const isDeleted = field.deletedAt !== null
  await change(ctx, customField, field.id, () => ({ operation: 'UPDATE', values: {}, implied }), { deleted: isDeleted })
}

async function cancelOthers({ db, caller }: RequestContext, { id, fieldId }: ChangeItem): Promise<void> {
  await db.query(
    `update ${table} set state = 'CANCELLED', is_due = false, lease_token = null, finished_at = statement_timestamp()
     where organization_id = $1 and field_id = $3 and id <> $2 and state = 'QUEUED'`,
    [caller.organizationId, id, fieldId],
  )
}
