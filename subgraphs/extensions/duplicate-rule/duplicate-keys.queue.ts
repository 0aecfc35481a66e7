import { requireCurrentDefinitions, withCurrentExtensions } from '../../kernel/extension/current-extensions.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { inBatches, inTurns } from '../../kernel/queue/batches.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import { forgetKeys, indexKeys } from '../../kernel/record/duplicates/key-rows.ts'
import { TenantPredicate } from '../../kernel/record/predicate.ts'
import { change } from '../../kernel/record/records-of.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { duplicateKeys } from './duplicate-rule.migrations.ts'
import { duplicateRule } from './duplicate-rule.record.ts'

const { table } = duplicateKeys

/** Records whose keys one transaction writes, and rows that it removes: well under a second. */
const batchSize = 1_000

interface KeysItem extends QueuedItem {
  readonly ruleId: string
  readonly object: string
  readonly fields: readonly string[]
}

/** Another attempt has the lease, or the item has ended. */
class LeaseLost extends Error {}

/** Locks the item, and returns the last record whose keys were written. */
async function cursorOf({ db, caller }: RequestContext, { id, token }: Leased<KeysItem>): Promise<string | null> {
  const [row] = await db.query<{ cursor: string | null }>(
    `select cursor from ${table} where organization_id = $1 and id = $2 and lease_token = $3 for update`,
    [caller.organizationId, id, token],
  )
  if (!row) throw new LeaseLost()
  return row.cursor
}

/**
 * Writes the keys of some records with the latest rules of their type; after the last ones it removes the keys that no rule has any more. False when
 * nothing is left. A process that dies has done a batch with its progress, or not.
 */
async function batchIn(ctx: RequestContext, item: Leased<KeysItem>): Promise<boolean> {
  const { organizationId } = ctx.caller
  const cursor = await cursorOf(ctx, item)
  await requireCurrentDefinitions(ctx)
  const builtIn = recordTypeIn(ctx, item.object)
  const shape = builtIn && shapeFor(ctx, builtIn)
  const ids = shape?.duplicates ? await idsAfter(ctx, shape, cursor) : []
  if (ids.length > 0) {
    await indexKeys(ctx, shape!, ids)
    await ctx.db.query(`update ${table} set cursor = $3, attempts = 1 where organization_id = $1 and id = $2`, [
      organizationId,
      item.id,
      ids.at(-1),
    ])
    return true
  }
  const inUse = new Set(shape?.duplicates?.matchers.map(({ keyField }) => keyField))
  const unused = item.fields.filter((field) => !inUse.has(field))
  return forgetKeys(ctx, item.object, unused, batchSize)
}

async function idsAfter(
  ctx: RequestContext,
  shape: NonNullable<ReturnType<typeof recordTypeIn>>,
  cursor: string | null,
): Promise<string[]> {
  const predicate = new TenantPredicate(ctx.caller)
  const after = cursor === null ? 'true' : `t.id > ${predicate.values.add(cursor)}`
  const rows = await ctx.db.query<{ id: string }>(
    `select t.id from ${shape.table} t where ${predicate.all(shape, 't')} and ${after} order by t.id limit ${batchSize}`,
    predicate.values.list,
  )
  return rows.map(({ id }) => id)
}

/** The rule compares all records, unless a later change of it waits to be carried out. */
async function finish(ctx: RequestContext, item: Leased<KeysItem>): Promise<void> {
  const [rule] = await ctx.db.query(
    `select from extensions.duplicate_rule where organization_id = $1 and id = $2 and deleted_at is null and state = 'BUILDING'`,
    [item.organization, item.ruleId],
  )
  if (!rule) return
  await change(ctx, duplicateRule, item.ruleId, async ({ state }, { db }) => {
    const [waiting] = await db.query(
      `select from ${table} where organization_id = $1 and rule_id = $2 and state = 'QUEUED' and id <> $3 limit 1`,
      [item.organization, item.ruleId, item.id],
    )
    const isReady = state === 'BUILDING' && !waiting
    return { operation: 'UPDATE', values: {}, ...(isReady && { implied: { state: 'READY' as const } }) }
  })
}

async function build(services: Services, item: Leased<KeysItem>, signal: AbortSignal): Promise<Outcome> {
  try {
    return await inBatches(signal, async () => {
      await services.extensions.load(item.organization!)
      const ctx = systemContext(services, item.organization!)
      const hasMore = await withCurrentExtensions(ctx, (current) =>
        inTransaction(current, (inner) => batchIn(inner, item)),
      )
      if (!hasMore) await finish(ctx, item)
      return hasMore
    })
  } catch (error) {
    if (error instanceof LeaseLost) return { end: 'RECORDED' }
    throw error
  }
}

/** Keys of older records: one rule of an organization at a time, the organizations in turn. */
export const duplicateKeyQueue: Queue<KeysItem> = {
  ...inTurns(),
  ...duplicateKeys,
  columns: 'rule_id as "ruleId", object, fields',
  attempt: build,
}

export const forgetDuplicateKeys: Job = {
  name: 'duplicateRules.forgetKeys',
  cron: '58 4 * * *',
  run: (services) => deleteFinishedItems(duplicateKeyQueue, services),
}
