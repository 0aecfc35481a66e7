import { lockOf } from '../../../kernel/database/locks.ts'
import { notFound } from '../../../kernel/errors.ts'
import { customFieldsName } from '../../../kernel/record/custom-field-column.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import type { DuplicateCandidate } from '../../../kernel/record/duplicates/find-duplicates.ts'
import { blockingCandidates } from '../../../kernel/record/duplicates/refuse-duplicates.ts'
import { collectedOf } from '../../../kernel/record/collected-writes.ts'
import { nameOf } from '../../../kernel/record/describe.ts'
import { lockRows } from '../../../kernel/record/lock-rows.ts'
import { externalIdName } from '../../../kernel/record/upsert/key-field.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import { bulkKeyNamed } from '../bulk-key.ts'
import type { StoredJob } from '../stored-job.ts'
import type { RowProblem } from '../read-file.ts'
import { canBeDeleted, comparedForms, findRecords, type Found } from './find-records.ts'
import { RowRefused, type Loading, type RowAction } from './loading.ts'
import { missingValue, type LoadRow } from './prepare-rows.ts'

type Fields = Record<string, unknown>

/** The records that the keys of rows name. */
export interface Targets {
  readonly live: Found
  readonly deleted: Found
  /** The forms in which the keys are compared. */
  readonly forms: ReadonlyMap<string, string>
}

export async function targetsOf(
  ctx: RequestContext,
  { job, definition, key: by }: Loading,
  rows: readonly LoadRow[],
): Promise<Targets> {
  const { operation, object, options } = job
  // Two jobs must not create two records with one key.
  if (operation === 'UPSERT')
    await ctx.db.query(
      `select pg_advisory_xact_lock(${lockOf('bulkJobs')})`,
      [`${object} ${ctx.caller.organizationId}`],
      'WRITE',
    )
  if (!by) return { live: new Map(), deleted: new Map(), forms: new Map() }
  const given = rows.flatMap(({ key }) => (key === null ? [] : [key]))
  const forms = await comparedForms(ctx, by, given)
  const keys = [...new Set(forms.values())]
  await lockRows(ctx, definition, [...(await findRecords(ctx, definition, by, keys)).values()].flat())
  // Read after the lock, because a transaction that had it may have changed them.
  const live = await findRecords(ctx, definition, by, keys)
  const isRestored = operation === 'UPSERT' && options.matchDeleted === 'RESTORE' && canBeDeleted(definition)
  const others = keys.filter((key) => !live.has(key))
  const deleted = isRestored ? await findRecords(ctx, definition, by, others, { deleted: true }) : new Map()
  return { live, deleted, forms }
}

/** Later rows with the same key find what a row has written. */
export function remember(
  { live, deleted, forms }: Targets,
  key: string,
  { id, action }: { id: string; action: RowAction },
): void {
  const name = forms.get(key)!
  deleted.delete(name)
  if (action === 'SKIPPED') return
  if (action === 'DELETED') live.delete(name)
  else live.set(name, [id])
}

interface Written {
  readonly id: string
  readonly action: RowAction
}

function only(found: readonly string[], { matchBy }: StoredJob, definition: RecordShape): string | undefined {
  if (found.length > 1)
    throw new RowRefused({
      code: 'AMBIGUOUS_MATCH',
      field: matchBy,
      message: `${found.length} records have this ${matchBy}; name the ${nameOf(definition)} by its id.`,
    })
  return found[0]
}

const isAsGood = (one: DuplicateCandidate, other: DuplicateCandidate): boolean =>
  one.score === other.score && one.matchedBy.length === other.matchedBy.length

const ambiguousDuplicate = (definition: RecordShape): RowProblem => ({
  code: 'AMBIGUOUS_MATCH',
  field: null,
  message: `The row is a duplicate of several records equally; name the ${nameOf(definition)} by its id.`,
})

export async function writeRow(
  ctx: RequestContext,
  { job, loadable: { records }, definition }: Loading,
  { key, created, changed }: LoadRow,
  targets: Targets,
): Promise<Written> {
  const { duplicateStrategy } = job.options
  const update = async (id: string): Promise<Written> => ({
    id: (await records.update(ctx, id, changed)).id,
    action: 'UPDATED',
  })
  const create = async (): Promise<Written> => {
    const missing = missingValue(definition, created)
    if (missing) throw new RowRefused(missing)
    const write = async (inner: RequestContext): Promise<Written> => ({
      id: (await records.create(inner, created)).id,
      action: 'CREATED',
    })
    if (duplicateStrategy !== 'SKIP' && duplicateStrategy !== 'UPDATE') return write(ctx)
    try {
      // Nothing stays of a record that is not created. One that is collected is compared before anything is written.
      return await (ctx.collected ? write(ctx) : inTransaction(ctx, write))
    } catch (error) {
      const [best, next] = blockingCandidates(definition, error)
      if (!best) throw error
      if (duplicateStrategy === 'SKIP') return { id: best.id, action: 'SKIPPED' }
      if (next && isAsGood(next, best)) throw new RowRefused(ambiguousDuplicate(definition))
      await lockRows(ctx, definition, [best.id])
      return update(best.id)
    }
  }
  if (job.operation === 'INSERT') return create()
  const name = targets.forms.get(key!)!
  const id = only(targets.live.get(name) ?? [], job, definition)
  if (id === undefined && job.operation === 'UPSERT') {
    const lost = only(targets.deleted.get(name) ?? [], job, definition)
    if (lost === undefined) return create()
    await records.restore(ctx, lost)
    // It is not restored a second time if the change must be decided again.
    if (ctx.compared) await collectedOf(ctx)?.flush(ctx)
    return update(lost)
  }
  // Another row may have deleted it by another key, such as the external id of a record that was merged.
  const isDeleted = job.operation === 'DELETE' && id !== undefined && collectedOf(ctx)?.isPending(id)
  if (id === undefined || isDeleted) throw notFound(`The ${nameOf(definition)}`)
  if (job.operation === 'DELETE') return { id: await records.remove(ctx, id), action: 'DELETED' }
  return update(id)
}

/** The ids of the records that rows name by external ids, by record type. */
export async function referencedIds(
  ctx: RequestContext,
  rows: readonly LoadRow[],
): Promise<ReadonlyMap<string, Found>> {
  const named = rows.flatMap(({ references }) => references)
  const found = new Map<string, Found>()
  for (const [object, own] of Map.groupBy(named, ({ column }) => column.externalIdsOf!.object)) {
    const target = own[0]!.column.externalIdsOf!
    found.set(
      object,
      await findRecords(
        ctx,
        target,
        bulkKeyNamed(target, externalIdName)!,
        own.map(({ externalId }) => externalId),
      ),
    )
  }
  return found
}

export function withReferences(row: LoadRow, found: ReadonlyMap<string, Found>): LoadRow {
  if (row.references.length === 0) return row
  const created: Fields = { ...row.created }
  const changed: Fields = { ...row.changed }
  for (const {
    column: { column, customKey, externalIdsOf, isUpdatable },
    externalId,
  } of row.references) {
    const ids = found.get(externalIdsOf!.object)?.get(externalId) ?? []
    const field = `${column.name}.externalId`
    if (ids.length === 0)
      throw new RowRefused({
        code: 'UNKNOWN_REFERENCE',
        field,
        message: `${field} must be the external id of an existing record that you can see.`,
      })
    if (ids.length > 1)
      throw new RowRefused({
        code: 'AMBIGUOUS_MATCH',
        field,
        message: `${ids.length} records have this external id; name the record by its id.`,
      })
    for (const into of isUpdatable ? [created, changed] : [created]) {
      if (customKey === null) into[column.name] = ids[0]
      else into[customFieldsName] = { ...(into[customFieldsName] as Fields | undefined), [customKey]: ids[0] }
    }
  }
  return { ...row, created, changed }
}
