import { transientError } from '../../../kernel/database/transient-error.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { takenMeanwhile } from '../../../kernel/record/upsert/upsert.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import type { RowProblem } from '../read-file.ts'
import type { Found } from './find-records.ts'
import { RowRefused, type Loading, type RowResult } from './loading.ts'
import type { LoadRow } from './prepare-rows.ts'
import { concernsJob, keptProblem, problemOf } from './row-problem.ts'
import { remember, withReferences, writeRow, type Targets } from './write-row.ts'

/** What the rows of a chunk name, read for all of them together. */
export interface Named {
  readonly references: ReadonlyMap<string, Found>
  readonly targets: Targets
}

/** Writes rows one by one, each in a savepoint of its own. */
export async function writeEach(
  ctx: RequestContext,
  loading: Loading,
  rows: readonly LoadRow[],
  named: Named,
): Promise<RowResult[]> {
  const results: RowResult[] = []
  for (const row of rows) results.push(await resultOf(ctx, loading, row, named))
  return results
}

/** What becomes of a row, which is written in a savepoint of its own, or collected. */
export async function resultOf(
  ctx: RequestContext,
  loading: Loading,
  loaded: LoadRow,
  named: Named,
): Promise<RowResult> {
  const { references, targets } = named
  const { row, key, problem } = loaded
  try {
    if (problem) return { row, problem: keptProblem(problem) }
    const resolved = withReferences(loaded, references)
    const written = ctx.collected
      ? await writeRow(ctx, loading, resolved, targets)
      : await inTransaction(ctx, (inner) => writeRow(inner, loading, resolved, targets))
    if (key !== null) remember(targets, key, written)
    return { row, ...written }
  } catch (error) {
    if (findsTaken(ctx, loading, loaded, targets, error)) return resultOf(ctx, loading, loaded, named)
    return { row, problem: keptProblem(rowProblemOf(ctx, error, row)) }
  }
}

/** Whether an UPSERT finds the record of a row now: another transaction has given its key to one. */
function findsTaken(
  { collected }: RequestContext,
  { job, key: by }: Loading,
  { key }: LoadRow,
  targets: Targets,
  error: unknown,
): boolean {
  if (collected || job.operation !== 'UPSERT' || !by?.field || key === null) return false
  const id = takenMeanwhile(error, by.field)
  if (id === null || targets.live.has(targets.forms.get(key)!)) return false
  remember(targets, key, { id, action: 'UPDATED' })
  return true
}

function rowProblemOf(ctx: RequestContext, error: unknown, row: number): RowProblem {
  if (error instanceof RowRefused) return error.problem
  if (error instanceof Refusal) {
    // Rows whose hooks are still to be called wait for each other, so that these are called together; nothing of this round is kept.
    if (concernsJob(error) && !ctx.externalCalls?.isWaiting) throw error
    return problemOf(error)
  }
  // Rows that are written together are written one by one after a failure that nobody foresaw.
  if (ctx.collected || transientError(error)) throw error
  ctx.log.error({ err: error, row }, 'a row of a bulk job could not be processed')
  return { code: 'INTERNAL', field: null, message: 'The row could not be processed.' }
}
