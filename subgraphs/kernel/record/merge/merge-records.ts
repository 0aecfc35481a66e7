import { actorIdOf } from '../../context.ts'
import { invalid, type FieldProblem } from '../../errors.ts'
import { requireCurrentDefinitions, withCurrentExtensions } from '../../extension/current-extensions.ts'
import { isId } from '../../ids.ts'
import { inTransaction, withoutEffect, type RequestContext } from '../../request.ts'
import type { RecordDefinition, RecordShape, StoredRow } from '../definition.ts'
import type { OrgRecord } from '../org-record.ts'
import { versionConflict } from '../prepare-change.ts'
import { notFoundOrMerged, requireRecord, visibleIds } from '../read.ts'
import { requireRight, save } from '../save.ts'
import { lockSerializedRules } from '../serialized-rules.ts'
import { shapeFor } from '../shape-source.ts'
import { requireReadyLookups } from '../lookup/deleted-targets.ts'
import { asValues, requestOf, type MergeRequest, type Request } from './merge-request.ts'
import { mergedValues } from './merged-values.ts'
import type { Merged } from './merged.ts'
import { losersOf, noteMerge } from './merged-records.ts'
import { countReferences, moveReferences, moveRows, queueMove, type ReferenceCount } from './move-references.ts'
import { namingFieldsOf } from './naming.ts'

type Fields = Readonly<Record<string, unknown>>

/** A merge with more references is completed in the background: a mutation must have answered after ten seconds, and the move of 4,900 took 14 s on two busy cores. */
export const movedMax = 5_000
/** What may be added between the count and the move. */
const slack = 500

export interface MergeResult<T> {
  readonly record: T
  readonly mergedIds: readonly string[]
  readonly references: readonly ReferenceCount[]
  /** Whether nothing is left to do. */
  readonly isComplete: boolean
}

/**
 * Merges records into one, which stays. What names the others names it afterwards; they are deleted. Everything happens in one transaction, or,
 * where they have many references, all but the move of these. Nobody who does not see all of them, and may write the chosen fields, can merge them.
 */
export async function mergeRecords<T extends OrgRecord>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  id: string,
  given: MergeRequest,
): Promise<MergeResult<T>> {
  const shape = shapeFor(ctx, builtIn)
  requireRight(ctx, builtIn, asValues(shape, given.fields))
  const request = requestOf(shape, id, given)
  const run = given.dryRun ? withoutEffect : inTransaction
  return withCurrentExtensions(ctx, (current) =>
    run<MergeResult<T>, RequestContext>(current, async (inner) => {
      // The lookups that name the records stay the same until the end of the transaction.
      await requireCurrentDefinitions(inner)
      return merge(inner, shapeFor(inner, builtIn), request, given.dryRun)
    }),
  )
}

async function merge<T extends OrgRecord>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  { winner, losers, chosen, expectedVersions }: Request,
  isDryRun: boolean,
): Promise<MergeResult<T>> {
  await requireVisible(ctx, definition, winner, losers)
  requireReadyLookups(definition)
  const records = await lockRecords(ctx, definition, [winner, ...losers])
  for (const record of records) {
    definition.requireRight?.(ctx, record)
    const expected = expectedVersions.get(record.id)
    if (expected !== undefined && expected !== record.version) throw versionConflict(definition, record as never)
  }
  const recordOf = (id: string): T => records.find((record) => record.id === id)!
  const [stays, gone] = [recordOf(winner), losers.map(recordOf)]
  // What concurrent merges have moved to these records meanwhile, and what was not moved yet.
  const merged: Merged = { object: definition.object, winner, losers: [...losers, ...(await losersOf(ctx, losers))] }
  const { values, implied } = mergedValues(definition, {
    records: [stays, ...gone] as unknown as Fields[],
    chosen: Object.fromEntries([...chosen].map(([name, from]) => [name, recordOf(from) as unknown as Fields])),
    keepsTrue: definition.merge?.keepsTrue ?? [],
    ownReferences: ownReferencesOf(definition),
  })
  await refuseCycles(ctx, definition, merged, { ...stays, ...implied, ...values })
  const references = await countReferences(ctx, merged, movedMax + 1)
  const isComplete = references.reduce((sum, { count }) => sum + count, 0) <= movedMax
  if (!isDryRun) {
    await moveReferences(ctx, merged, { isComplete, limit: movedMax + slack })
    if (isComplete) await moveRows(ctx, merged, movedMax + slack)
  }
  for (const previous of gone)
    await save(ctx, definition, { operation: 'DELETE', previous, values: {}, isMerged: true })
  await noteMerge(ctx, definition, winner, gone)
  const record = await saveWinner(ctx, definition, { stays, gone, values, implied } as Stays<T>)
  if (!isDryRun) await queueMove(ctx, merged, actorIdOf(ctx.caller))
  return { record, mergedIds: losers, references, isComplete }
}

/** Refuses ids of records that the caller does not see, before anything is locked. */
async function requireVisible(
  ctx: RequestContext,
  definition: RecordShape,
  winner: string,
  losers: readonly string[],
): Promise<void> {
  const visible = await visibleIds(ctx, definition, [winner, ...losers])
  if (!visible.has(winner)) throw await notFoundOrMerged(ctx, definition, winner)
  const problems = losers.flatMap((loser, index): FieldProblem[] => {
    const path = `ids.${index}`
    const message = `${path} must be the id of an existing record that you can see.`
    return visible.has(loser) ? [] : [{ path, code: 'UNKNOWN_REFERENCE', message }]
  })
  if (problems.length > 0) throw invalid(...problems)
}

/** Locks the records in the order of their ids, after what must be locked before them. */
async function lockRecords<T extends OrgRecord>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  ids: readonly string[],
): Promise<T[]> {
  await lockSerializedRules(ctx, definition)
  await definition.merge?.lock?.(ctx, ids)
  const records: T[] = []
  for (const id of ids.filter(isId).toSorted())
    records.push(await requireRecord(ctx, definition, id, { isLocked: true }))
  return records
}

/** The columns, and custom fields, of a record type that name records of the same type. */
const ownReferencesOf = (definition: RecordShape): string[] =>
  namingFieldsOf(definition, definition.object).flatMap(({ column, part }) => (part ? [] : [column.name]))

/**
 * Refuses a merge after which a record would be its own ancestor, in the columns whose rule forbids that. Only references to the records that go, and
 * those of the record that stays, change, so each new cycle contains the record that stays.
 */
async function refuseCycles(
  { db, caller }: RequestContext,
  definition: RecordShape,
  { winner, losers }: Merged,
  next: Fields,
): Promise<void> {
  for (const name of definition.merge?.hierarchies ?? []) {
    const { column } = definition.columns.byName.get(name)!
    if (next[name] == null) continue
    const [row] = await db.query<{ circular: boolean }>(
      `with recursive ancestor as (
         select $2::uuid as id
         union
         select case when r.${column} = any($3::uuid[]) then $4::uuid else r.${column} end
         from ${definition.table} r join ancestor on r.organization_id = $1 and r.id = ancestor.id where r.${column} is not null
       )
       select exists (select from ancestor where id = $4::uuid) as circular`,
      [caller.organizationId, next[name], losers, winner],
    )
    if (!row?.circular) continue
    const message = `${name} would lead from the record that stays back to itself. Choose another value of ${name} with fields, or change it first.`
    throw invalid({ path: name, code: 'CIRCULAR', message })
  }
}

interface Stays<T> {
  readonly stays: T
  readonly gone: readonly T[]
  readonly values: Partial<T>
  readonly implied: Partial<T>
}

async function saveWinner<T extends OrgRecord>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  { stays, gone, values, implied }: Stays<T>,
): Promise<T> {
  const decided = await definition.decide?.(ctx, values, stays)
  return save({ ...ctx, written: namedBy(ctx, definition, gone) }, definition, {
    operation: 'UPDATE',
    previous: stays,
    values,
    implied: { ...decided?.implied, ...implied },
    events: [...(decided?.events ?? []), mergedEventOf(definition)],
    mergedIds: gone.map(({ id }) => id),
  })
}

/** What the merged records name, as they did before: whether the caller sees it makes no difference. */
function namedBy<T extends StoredRow>(
  { written }: RequestContext,
  { relations = {} }: RecordShape,
  records: readonly T[],
): ReadonlySet<string> {
  const named = Object.values(relations).flatMap(({ by, to }) =>
    by === undefined ? [] : records.map((record) => `${to().object} ${String((record as unknown as Fields)[by])}`),
  )
  return new Set([...(written ?? []), ...named])
}

function mergedEventOf({ object, events }: RecordShape): string {
  const found = Object.entries(events?.types ?? {}).find(([, { adds }]) => adds?.['mergedIds'] !== undefined)
  if (!found) throw new Error(`${object} has no event of a merge.`)
  return found[0]
}
