import { storableJson } from '../../kernel/json/storable-json.ts'
import { recordTypeIn } from '../../kernel/record/custom-object.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { mayReadType } from '../../kernel/record/may-read-type.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { statesOf } from '../../kernel/record/read.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { StoredUndoJob } from './stored-undo-job.ts'
import { notUndoneStoredMax } from './undo-job.migrations.ts'
import type { NotUndone, UndoneRecord } from './undo.types.ts'

/** Texts of refusals have at most so many characters in results. */
const messageMax = 1_000

/**
 * Stores what was undone and what was not, behind the results that the job has. Returns their new number. What is beyond the results of what stays that a job may have is counted
 * only.
 */
export async function storeUndoResults(
  { db, caller }: RequestContext,
  { id, results, recordsUndone }: StoredUndoJob,
  { undone, notUndone }: { undone: readonly UndoneRecord[]; notUndone: readonly NotUndone[] },
): Promise<number> {
  // Each record that was undone has one result.
  const room = Math.max(0, notUndoneStoredMax - (results - recordsUndone))
  const stored = [
    ...undone.map((result) => ({ isUndone: true, result })),
    ...notUndone
      .slice(0, room)
      .map((one) => ({ isUndone: false, result: { ...one, message: one.message.slice(0, messageMax) } })),
  ]
  if (stored.length > 0)
    await db.query(
      `insert into records.undo_result (organization_id, job_id, is_undone, number, result)
       select $1, $2, (item ->> 'isUndone')::boolean, $3 + place, item -> 'result' from jsonb_array_elements($4::jsonb) with ordinality r(item, place)`,
      [caller.organizationId, id, results, storableJson(stored)],
      'WRITE',
    )
  return results + stored.length
}

/** A page of the results of one kind. */
export async function readUndoResults(
  ctx: RequestContext,
  { id, createdById }: StoredUndoJob,
  isUndone: boolean,
  args: NewestFirstArgs,
  info: SelectionInfo,
) {
  const page = await newestFirst(
    ctx,
    {
      select: 'r.number, r.result',
      from: 'records.undo_result r where r.organization_id = $1 and r.job_id = $2 and r.is_undone = $3',
      values: [ctx.caller.organizationId, id, isUndone],
      key: { sql: 'r.number', type: 'integer', of: ({ number }) => number },
    },
    args,
    info,
  )
  const results = page.data.map((row) => (row as unknown as { result: Result }).result)
  return { ...page, data: await shownResults(ctx, createdById, results) }
}

type Result = UndoneRecord | NotUndone

/** The results of records that the caller sees now, without what the caller does not see of them. */
async function shownResults(ctx: RequestContext, createdById: string, results: readonly Result[]): Promise<Result[]> {
  const seen = new Map<string, RecordShape>()
  for (const [object, group] of Map.groupBy(results, (result) => result.object)) {
    const type = recordTypeIn(ctx, object)
    if (!type || !mayReadType(ctx.caller, type)) continue
    const shape = shapeFor(ctx, type)
    const ids = [...new Set(group.map(({ recordId }) => recordId))]
    for (const id of (await statesOf(ctx, shape, ids)).keys()) seen.set(`${object} ${id}`, shape)
  }
  const isOwn = createdById === ctx.caller.userId
  return results.flatMap((result) => {
    const shape = seen.get(`${result.object} ${result.recordId}`)
    return shape ? [withoutHidden(ctx, shape, result, isOwn)] : []
  })
}

function withoutHidden({ caller }: RequestContext, shape: RecordShape, result: Result, isOwn: boolean): Result {
  const isShown = (field: string): boolean => !isHidden(caller, shape, field)
  if ('fields' in result) return { ...result, fields: result.fields.filter(isShown) }
  if (result.field !== null && !isShown(result.field))
    return { ...result, field: null, message: 'It concerns a field that you do not see.' }
  // The text of a rule was meant for the user of the job.
  const isTold = isOwn || caller.fields === null || result.reason !== 'REFUSED'
  return isTold ? result : { ...result, message: 'The change was refused.' }
}
