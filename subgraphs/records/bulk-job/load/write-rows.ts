import { transientError } from '../../../kernel/database/transient-error.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { CollectedWrites, isCollectable } from '../../../kernel/record/collected-writes.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { MustBeWritten } from '../../../kernel/record/collected.ts'
import { comparedKeysOf } from '../../../kernel/record/duplicates/compared-keys.ts'
import { isComparedTogether, lockKeysOfAll } from '../../../kernel/record/duplicates/refuse-duplicates.ts'
import { lockExternalIds } from '../../../kernel/record/external-id/lock-external-ids.ts'
import { withNamedOf } from '../../../kernel/record/lookup/check-lookups.ts'
import { withClearing } from '../../../kernel/record/lookup/deleted-targets.ts'
import { lockSerializedRules } from '../../../kernel/record/serialized-rules.ts'
import { shapeFor } from '../../../kernel/record/shape-source.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import { giveWay } from '../../../kernel/work/background-turn.ts'
import { wholeRecords, type Found } from './find-records.ts'
import type { Loading, RowResult } from './loading.ts'
import type { LoadRow } from './prepare-rows.ts'
import { lockDuplicates, lookUpKeys } from './look-up-keys.ts'
import { concernsJob } from './row-problem.ts'
import { resultOf, writeEach, type Named } from './row-result.ts'
import { referencedIds, targetsOf, withReferences, type Targets } from './write-row.ts'

/**
 * Writes rows in the open transaction, in the order of the file: a row that is refused does not affect the others. Throws what concerns all rows, such as
 * a hook that does not answer.
 */
export async function writeRows(
  given: RequestContext,
  loading: Loading,
  rows: readonly LoadRow[],
): Promise<RowResult[]> {
  const { definition } = loading
  const valid = rows.filter(({ problem }) => !problem)
  await lockSerializedRules(given, definition)
  const ctx = await withNamedOf(
    withClearing(given),
    definition,
    valid.map(({ created }) => created),
  )
  await lockExternalIds(
    ctx,
    definition,
    valid.map(({ created }) => created['externalId']),
  )
  const named = { references: await referencedIds(ctx, valid), targets: await targetsOf(ctx, loading, valid) }
  if (!comparedKeysOf(ctx, definition))
    await lockKeysOfAll(
      ctx,
      definition,
      [...named.targets.live.values()].flat(),
      resolvedRows(valid, named).map(({ created }) => created),
    )
  else await lockDuplicates(ctx, loading, resolvedRows(valid, named), named.targets)
  return isTogether(ctx, loading) ? writeTogether(ctx, loading, rows, named) : writeEach(ctx, loading, rows, named)
}

/** The rows whose references are known. */
const resolvedRows = (rows: readonly LoadRow[], { references }: Named): LoadRow[] =>
  rows.flatMap((row) => {
    try {
      return row.problem ? [] : withReferences(row, references)
    } catch {
      return []
    }
  })

/** Whether the rows of a chunk are written by few statements. */
export const isTogether = (ctx: RequestContext, loading: Loading): boolean =>
  isStandard(loading) && isCollectable(loading.definition) && isComparedTogether(ctx, shapeFor(ctx, loading.definition))

/** Whether the job makes standard writes only, so that the definition says all of their rules. */
function isStandard({ job: { operation, options }, loadable: { actions } }: Loading): boolean {
  if (operation === 'DELETE') return !actions.remove
  const isRestoring = operation === 'UPSERT' && options.matchDeleted === 'RESTORE'
  return !actions.create && !actions.update && !(isRestoring && actions.restore)
}

/** Whether hooks decide on the rows. */
export const asksHooks = ({ extensions, isWithoutHooks = false }: RequestContext, { definition }: Loading): boolean =>
  !isWithoutHooks && !!extensions?.hooksFor(definition)

/** Fewer rows are written one by one when they cannot be written together. */
const togetherMin = 40

/**
 * Writes rows together. When a statement fails for a reason that the decisions did not foresee, such as a value that another record has, the halves are
 * written, and few rows one by one.
 */
async function writeTogether(
  ctx: RequestContext,
  loading: Loading,
  rows: readonly LoadRow[],
  named: Named,
): Promise<RowResult[]> {
  const { references, targets } = named
  // What a failed try has written is taken back, so that later rows must not find it.
  const compared = comparedKeysOf(ctx, loading.definition)
  const comparedBefore = compared?.count ?? 0
  const numberedBefore = ctx.externalCalls?.numberedCount ?? 0
  const tried = { ...targets, live: new Map(targets.live), deleted: new Map(targets.deleted) }
  try {
    const results = await inTransaction(ctx, (inner) =>
      collectRows(inner, loading, rows, { references, targets: tried }),
    )
    replaceAll(targets.live, tried.live)
    replaceAll(targets.deleted, tried.deleted)
    return results
  } catch (error) {
    if ((error instanceof Refusal && concernsJob(error)) || transientError(error)) throw error
    compared?.forgetAfter(comparedBefore)
    ctx.externalCalls?.forgetAfter(numberedBefore)
    if (rows.length <= togetherMin) return writeEach(ctx, loading, rows, named)
    const middle = Math.ceil(rows.length / 2)
    const first = await writeTogether(ctx, loading, rows.slice(0, middle), named)
    return [...first, ...(await writeTogether(ctx, loading, rows.slice(middle), named))]
  }
}

function replaceAll(found: Found, by: Found): void {
  found.clear()
  for (const [name, ids] of by) found.set(name, ids)
}

async function collectRows(
  given: RequestContext,
  loading: Loading,
  rows: readonly LoadRow[],
  named: Named,
): Promise<RowResult[]> {
  const { definition } = loading
  const records = await wholeRecords(given, definition, [...ownTargets(rows, named.targets).values()].flat())
  if (!records) throw new Error('The records are too large to be read together.')
  const collected = new CollectedWrites(definition, records)
  const ctx = { ...given, collected }
  const resolved = resolvedRows(rows, named)
  await lookUpReferences(ctx, collected, definition, resolved)
  await lookUpKeys(ctx, loading, resolved, named.targets, records)
  const values = resolved.flatMap(({ created, changed }) => [created, changed])
  await collected.rules.lookUp(ctx, values)
  await definition.readsTogether?.(ctx, values)
  // A refused row takes back what was written since its savepoint, also rows before it: then all are written again, in smaller parts.
  const keeping = async (row: LoadRow): Promise<RowResult> => {
    const { written } = collected
    const result = await resultOf(ctx, loading, row, named)
    if ('problem' in result && collected.written > written) throw new Error('A refused row took back rows before it.')
    return result
  }
  const results: RowResult[] = []
  for (const row of rows) {
    await giveWay(ctx.caller.organizationId)
    const numbered = ctx.externalCalls?.numberedCount ?? 0
    const afterOthers = async (): Promise<RowResult> => {
      await collected.flush(ctx)
      ctx.externalCalls?.forgetAfter(numbered)
      return keeping(row)
    }
    try {
      const result = await keeping(row)
      // It may name a record that an earlier row creates.
      const isUnknown = 'problem' in result && result.problem.code === 'UNKNOWN_REFERENCE' && collected.hasPending
      results.push(isUnknown ? await afterOthers() : result)
    } catch (error) {
      if (!(error instanceof MustBeWritten)) throw error
      results.push(await afterOthers())
    }
  }
  await collected.flush(ctx)
  return results
}

/** The records that these rows name, which may be a part of those of the chunk. */
function ownTargets(rows: readonly LoadRow[], { live, forms }: Targets): Found {
  const own: Found = new Map()
  for (const { key } of rows) {
    const name = key === null ? undefined : forms.get(key)
    const ids = name === undefined ? undefined : live.get(name)
    if (ids) own.set(name!, ids)
  }
  return own
}

async function lookUpReferences(
  ctx: RequestContext,
  collected: CollectedWrites,
  { references = {} }: RecordShape,
  rows: readonly LoadRow[],
): Promise<void> {
  for (const [name, reference] of Object.entries(references)) {
    const ids = rows.flatMap(({ created }) => (isId(created[name]) ? [created[name].toLowerCase()] : []))
    if (reference && ids.length > 0) await collected.lookUp(ctx, reference, ids)
  }
}
