import { storableJson } from '../../kernel/json/storable-json.ts'
import { newestFirst, type NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { StoredUndoJob } from './stored-undo-job.ts'
import type { NotUndone, UndoneRecord } from './undo.types.ts'

/** Texts of refusals have at most so many characters in results. */
const messageMax = 1_000

/** Stores what was undone and what was not, behind the results that the job has. Returns their new number. */
export async function storeUndoResults(
  { db, caller }: RequestContext,
  { id, results }: StoredUndoJob,
  { undone, notUndone }: { undone: readonly UndoneRecord[]; notUndone: readonly NotUndone[] },
): Promise<number> {
  const stored = [
    ...undone.map((result) => ({ isUndone: true, result })),
    ...notUndone.map((one) => ({ isUndone: false, result: { ...one, message: one.message.slice(0, messageMax) } })),
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
  { id }: StoredUndoJob,
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
  return { ...page, data: page.data.map((row) => (row as unknown as { result: object }).result) }
}
