import type { Values } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { positionedEvents, positionsOf } from './operation-events.ts'
import type { RecordPlan } from './record-plan.ts'
import type { StoredUndoJob } from './stored-undo-job.ts'

/** Positions of the log that one transaction looks at. */
const positionsAtOnce = 20_000
/** Events of the records of one transaction, unless a single record has more. */
const eventsMax = 2_000

/** A record that a job undoes. */
export interface UndoItem {
  /** The position of its first event. */
  readonly number: number
  readonly object: string
  readonly recordId: string
  /** The positions of its events, in their order. */
  readonly positions: readonly (number | string)[]
  readonly isCreated: boolean | null
}

export interface Listed {
  readonly checkpoint: number
  readonly listThrough: number
}

/**
 * Lists records whose events come after those that were listed, each with the positions of its events. They are those in the log when the first of them are
 * listed. WAIT while some events wait for their positions, null if there are no events.
 */
export async function listItems(
  ctx: RequestContext,
  { id, selection, checkpoint, listThrough }: StoredUndoJob,
): Promise<Listed | 'WAIT' | null> {
  const { organizationId } = ctx.caller
  let [after, last] = [checkpoint, listThrough]
  if (after === null || last === null) {
    const found = await positionsOf(ctx, selection)
    if (found.isWaiting) return 'WAIT'
    if (found.first === null || found.last === null) return null
    after = found.first - 1
    last = found.last
  }
  const through = Math.min(after + positionsAtOnce, last)
  const { sql, values } = positionedEvents(organizationId, selection, { after, through })
  await ctx.db.query(
    `insert into records.undo_item as item (organization_id, job_id, record_id, object, number, positions)
     select $1, $${values.length + 1}, record_id, object, min(position), array_agg(position order by position) from (${sql}) e group by record_id, object
     on conflict (organization_id, job_id, record_id, object) do update set positions = item.positions || excluded.positions`,
    [...values, id],
    'WRITE',
  )
  return { checkpoint: through, listThrough: last }
}

/** The next records of the phase of a job, those first that came last: at most `limit`, and fewer if they have many events. */
export async function nextItems(
  { db, caller }: RequestContext,
  { id, phase, checkpoint }: StoredUndoJob,
  limit: number,
): Promise<UndoItem[]> {
  const ofPhase = { LIST: 'false', COMPARE: 'true', OTHERS: 'not is_created', CREATED: 'is_created' }[phase]
  const rows = await db.query<UndoItem & Record<string, unknown>>(
    `select number::float8 as number, object, record_id as "recordId", is_created as "isCreated", positions
     from (
       select *, sum(cardinality(positions)) over (order by number desc) as events, row_number() over (order by number desc) as place
       from (
         select * from records.undo_item where organization_id = $1 and job_id = $2 and ($3::bigint is null or number < $3::bigint) and ${ofPhase}
         order by number desc limit $4
       ) next
     ) counted where events <= ${eventsMax} or place = 1 order by number desc`,
    [caller.organizationId, id, checkpoint, limit],
    'WRITE',
  )
  return rows
}

/** Stores which records are undone, and which of them were created. The others are not seen. */
export async function markItems(
  { db, caller }: RequestContext,
  { id }: StoredUndoJob,
  plans: readonly RecordPlan[],
): Promise<void> {
  await db.query(
    `update records.undo_item item set is_created = seen.is_created
     from unnest($3::uuid[], $4::text[], $5::boolean[]) seen(record_id, object, is_created)
     where item.organization_id = $1 and item.job_id = $2 and item.record_id = seen.record_id and item.object = seen.object`,
    [
      caller.organizationId,
      id,
      plans.map(({ recordId }) => recordId),
      plans.map(({ object }) => object),
      plans.map(({ isCreated }) => isCreated),
    ],
    'WRITE',
  )
}

/** SQL condition that the record `t` is one of the operation: before anything is undone any of them, then one that it created. */
export const isItem =
  ({ caller }: RequestContext, { id, phase }: StoredUndoJob) =>
  (values: Values): string =>
    `exists (select from records.undo_item i where i.organization_id = ${values.add(caller.organizationId)} and i.job_id = ${values.add(id)}
       and i.record_id = t.id${phase === 'COMPARE' ? '' : ' and i.is_created'})`
