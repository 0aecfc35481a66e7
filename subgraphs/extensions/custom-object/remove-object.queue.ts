import { publishDefinitions } from '../../kernel/extension/current-extensions.ts'
import { newId } from '../../kernel/ids.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { inBatches, inTurns } from '../../kernel/queue/batches.ts'
import { deleteFinishedItems } from '../../kernel/queue/delete-finished-items.ts'
import type { Leased, Outcome, Queue, QueuedItem } from '../../kernel/queue/queue.ts'
import { customObject as typeOf } from '../../kernel/record/custom-object.ts'
import { fieldHistoryTable } from '../../kernel/record/derived/field-history.ts'
import { forgetRollup } from '../../kernel/record/rollup/build-rollup.ts'
import { valueTable } from '../../kernel/record/value-index/value-column.ts'
import { inTransaction, systemContext, type RequestContext, type Services } from '../../kernel/request.ts'
import { objectRemoval } from './custom-object.migrations.ts'

/** Days for which a deleted object can be restored, with its records. */
const keptDays = 30
const dayMs = 86_400_000
const objectsMax = 1_000
/** Records that one transaction removes. */
const batchSize = 5_000

interface RemovalItem extends QueuedItem {
  readonly objectId: string
}

/** The name of an object that is being removed; null once it is gone. */
async function nameOf({ db, caller }: RequestContext, id: string): Promise<string | null> {
  const [row] = await db.query<{ name: string }>(
    `select name from extensions.custom_object where organization_id = $1 and id = $2 and removal_started_at is not null for update`,
    [caller.organizationId, id],
  )
  return row?.name ?? null
}

const rollupsOf = ({ db, caller }: RequestContext, type: string): Promise<{ id: string }[]> =>
  db.query<{ id: string }>(
    `select id from extensions.field_definition where organization_id = $1 and entity = $2 and rollup_config is not null order by id`,
    [caller.organizationId, type],
  )

/**
 * Removes some of the records, with what was derived from them; after the last ones the fields and the object. Receivers were told that the object was
 * deleted, so there are no events. A process that dies has removed a batch or not, and the next one finds what is left.
 */
async function removeBatch(ctx: RequestContext, { objectId }: RemovalItem): Promise<boolean> {
  const { db, caller } = ctx
  const { organizationId } = caller
  const name = await nameOf(ctx, objectId)
  if (name === null) return false
  const type = typeOf(name)
  const removed = await db.query<{ id: string }>(
    `delete from extensions.custom_record where organization_id = $1 and object = $2 and id = any(array(
       select id from extensions.custom_record where organization_id = $1 and object = $2 limit ${batchSize})) returning id`,
    [organizationId, name],
    'WRITE',
  )
  const ids = removed.map(({ id }) => id)
  for (const table of [valueTable, 'kernel.search_entry', fieldHistoryTable])
    await db.query(
      `delete from ${table} where organization_id = $1 and object = $2 and record_id = any($3::uuid[])`,
      [organizationId, type, ids],
      'WRITE',
    )
  for (const { id } of await rollupsOf(ctx, type)) await forgetRollup(ctx, id, ids)
  if (ids.length === batchSize) return true
  await publishDefinitions(ctx)
  for (const { id } of await rollupsOf(ctx, type)) await forgetRollup(ctx, id)
  // The removal of a field that has begun ends on its own.
  await db.query(
    `delete from extensions.field_definition where organization_id = $1 and entity = $2 and state <> 'DELETING'`,
    [organizationId, type],
    'WRITE',
  )
  await db.query(
    'delete from extensions.custom_object where organization_id = $1 and id = $2',
    [organizationId, objectId],
    'WRITE',
  )
  return false
}

async function remove(services: Services, item: Leased<RemovalItem>, signal: AbortSignal): Promise<Outcome> {
  const ctx = systemContext(services, item.organization!)
  return inBatches(signal, () => inTransaction(ctx, (inner) => removeBatch(inner, item)))
}

/** Objects whose records are removed: one of an organization at a time, the organizations in turn. */
export const objectRemovalQueue: Queue<RemovalItem> = {
  ...inTurns(),
  lanes: { fresh: 1, retry: 1 },
  ...objectRemoval,
  columns: 'object_id as "objectId"',
  attempt: remove,
}

/** Begins the removal of objects that were deleted 30 days ago. The new version refuses a restoration that has read the object before. */
export const removeDeletedObjects: Job = {
  name: 'customObjects.removeDeleted',
  cron: '25 * * * *',
  async run({ database, clock }) {
    const now = clock.now()
    const before = new Date(now.getTime() - keptDays * dayMs).toISOString()
    const due = await database.query<{ organizationId: string; id: string }>(
      `select organization_id as "organizationId", id from extensions.custom_object
       where deleted_at < $1 and removal_started_at is null order by deleted_at limit ${objectsMax}`,
      [before],
    )
    for (const { organizationId, id } of due)
      await database.query(
        `with marked as (
           update extensions.custom_object set removal_started_at = $5, version = version + 1
           where organization_id = $1 and id = $2 and deleted_at < $3 and removal_started_at is null returning 1)
         insert into ${objectRemoval.table} (organization_id, id, object_id) select $1, $4, $2 from marked`,
        [organizationId, id, before, newId(), now.toISOString()],
      )
  },
}

export const forgetObjectRemovals: Job = {
  name: 'customObjects.forgetRemovals',
  cron: '45 4 * * *',
  run: (services) => deleteFinishedItems(objectRemovalQueue, services),
}
