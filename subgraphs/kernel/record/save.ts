import { notFound, Refusal, type FieldProblem } from '../errors.ts'
import { requireEntitlement } from '../require.ts'
import {
  concernsDefinitions,
  currentDefinitions,
  isExtended,
  withCurrentExtensions,
} from '../extension/current-extensions.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { collectedOf } from './collected-writes.ts'
import type { Column } from './column.ts'
import { setFormulas } from './computed-values.ts'
import { customFieldProblemsOf } from './custom-fields.ts'
import { hasColumn, type Draft, type RecordDefinition, type RecordShape, type StoredRow } from './definition.ts'
import { derivedStatements } from './derived/derived-rows.ts'
import { nameOf } from './describe.ts'
import { forgetMerge } from './merge/merged-records.ts'
import { withWinners } from './merge/restored-references.ts'
import { insertTextOf } from './insert-text.ts'
import { concernsLookups, lookupProblems, withoutLost } from './lookup/check-lookups.ts'
import { refuseRestricted } from './lookup/deleted-targets.ts'
import { followTarget } from './lookup/details.ts'
import { mayBeBlocked, refuseDuplicates, requireWritten } from './duplicates/refuse-duplicates.ts'
import type { Operation } from './event-types.ts'
import { redact, refuseReadOnlyFields } from './field-security.ts'
import { refuseImportedFields } from './imported-fields.ts'
import { refuseBrokenRules } from '../extension/broken-rules.ts'
import { decidedByHooks } from './decided-by-hooks.ts'
import { numberText, type Fields } from './next-record.ts'
import { nextNumber } from './record-number.ts'
import { prepareChange, refuse, versionConflict } from './prepare-change.ts'
import { withUnversioned } from './unversioned-values.ts'
import { underSerializedRules } from './serialized-rules.ts'
import { uniqueRefusal } from './unique-refusal.ts'
import { shapeFor } from './shape-source.ts'
import { TenantPredicate, type Values } from './predicate.ts'
import { changedFieldsIn } from './record-events.ts'
import { writeChange, type RowStatements } from './write-change.ts'

/**
 * Every change of a record by a caller goes through this function.
 *
 * All checks run first. Then one statement writes the row, its events and its audit log entry, so that a change cannot exist
 * without its event. Webhooks, event streams and triggers start from that event row. The write is refused with VERSION_CONFLICT
 * when the record was changed after it was read. Returns the record without the fields that are hidden from the caller.
 */
export async function save<T extends StoredRow>(
  ctx: RequestContext,
  builtIn: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<T> {
  requireRight(ctx, builtIn, draft.values)
  if (draft.previous) builtIn.requireRight?.(ctx, draft.previous)
  // A transaction (a savepoint inside another one) takes the number back when the create is refused, so that there is no gap. A record that is
  // collected gets its number when nothing refuses it any more.
  const isNumbered = builtIn.numbered && draft.operation === 'CREATE' && !collectedOf(ctx)?.isOf(builtIn)
  const write = async (current: RequestContext, definition: RecordDefinition<T>, decided: Draft<T>): Promise<T> => {
    const isCompared = !current.collected && mayBeBlocked(current, definition, decided)
    return isNumbered ||
      isCompared ||
      concernsLookups(definition, decided) ||
      (definition.merge && decided.operation === 'RESTORE')
      ? inTransaction(current, (inner) => writeAndRedact(inner, definition, decided))
      : writeAndRedact(current, definition, decided)
  }
  if (!concernsDefinitions(builtIn)) return write(ctx, shapeFor(ctx, builtIn), draft)
  return withCurrentExtensions(ctx, async (current) => {
    const definition = shapeFor(current, builtIn)
    if (!isExtended(current, builtIn)) return write(current, definition, draft)
    // Hooks come before the number, whose row would stay locked meanwhile.
    return write(current, definition, await decidedByHooks(current, definition, draft))
  })
}

async function writeAndRedact<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<T> {
  const kept = await withWinners(ctx, definition, await withoutLost(ctx, definition, draft))
  const written = await checkAndWrite(ctx, definition, kept)
  if (draft.operation === 'RESTORE' && definition.merge) await forgetMerge(ctx, written.id)
  ctx.answered?.record(definition, written.id)
  if (ctx.collected) return written
  return redact(ctx.caller, definition, await withUnversioned(ctx, definition, draft.operation, written))
}

async function checkAndWrite<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
): Promise<T> {
  const { values, previous, next, changed, changesNothing } = await prepareChange(ctx, definition, draft)
  const prepared = { ...draft, previous }
  if (previous && changesNothing) {
    if (draft.events?.length) await write(ctx, definition, prepared, previous, [])
    return previous
  }
  refuse([
    ...(await referenceProblems(ctx, definition, next, changed, values)),
    ...(await lookupProblems(ctx, definition, draft, next, previous)),
  ])
  if (draft.operation !== 'DELETE' && ctx.caller.kind !== 'SYSTEM')
    refuse(customFieldProblemsOf(definition, next, previous))
  refuse(definition.invariants?.(next, previous) ?? [])
  refuse((await definition.checks?.(ctx, next, previous)) ?? [])
  if (ctx.extensions && isExtended(ctx, definition))
    await refuseBrokenRules(ctx, definition, draft.operation, next, previous)
  await requireWritten(ctx, definition, draft, next, previous)
  const isDeleted = draft.operation === 'DELETE' && !draft.isMerged
  await underSerializedRules(ctx, definition, next, previous, async (inner, problems, unless) => {
    refuse(problems)
    if (isDeleted) await refuseRestricted(inner, definition, next.id)
    if (mayBeBlocked(inner, definition, draft)) await refuseDuplicates(inner, definition, draft, next, previous)
    return write(inner, definition, prepared, next, changed, unless)
  })
  // What names a merged record follows the one that stays.
  if (definition.lookedUpBy && !draft.isMerged) await followTarget(ctx, definition, draft.operation, next.id)
  return next
}

/**
 * Throws 402 or 403 unless the caller may write these fields of the record type. Called before a record is looked at, so that the refusal
 * says nothing about it.
 */
export function requireRight(ctx: RequestContext, builtIn: RecordShape, values: object): void {
  const definition = shapeFor(ctx, builtIn)
  if (definition.entitlement) requireEntitlement(ctx, definition.entitlement)
  requireWritableRole(ctx)
  refuseReadOnlyFields(ctx.caller, definition, values as Fields)
  refuseImportedFields(ctx, definition, values as Fields)
}

/** Refuses callers whose role is READ_ONLY. Whether the record is visible was checked when it was read. */
export function requireWritableRole(ctx: RequestContext): void {
  if (ctx.caller.role === 'READ_ONLY')
    throw new Refusal('PERMISSION_DENIED', 'Your role may read but not change records.')
}

interface ReferencedId {
  readonly path: string
  readonly id: string
}

/** The ids in a column, or in one part of the objects of a structured column, with their paths. */
function referencesIn(value: unknown, path: string, part: string | undefined): ReferencedId[] {
  if (part === undefined) return typeof value === 'string' ? [{ path, id: value }] : []
  const objects = Array.isArray(value) ? [...value.entries()] : [[null, value] as const]
  return objects.flatMap(([index, object]) => {
    const at = index === null ? `${path}.${part}` : `${path}.${index}.${part}`
    return referencesIn((object as Fields | null)?.[part], at, undefined)
  })
}

async function referenceProblems(
  ctx: RequestContext,
  definition: RecordShape,
  next: Fields,
  changed: readonly Column[],
  given: object,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const [name, reference] of Object.entries(definition.references ?? {})) {
    const [columnName, part] = name.split('.') as [string, string?]
    // The default owner is the caller, who was just authenticated and therefore exists. Calculated references are copies of given ones.
    if (!reference || !(columnName in given) || !changed.some((column) => column.name === columnName)) continue
    const references = referencesIn(next[columnName], columnName, part)
    if (references.length === 0) continue
    const ids = [...new Set(references.map(({ id }) => id))]
    const known = await (collectedOf(ctx)?.referenced(ctx, reference, ids) ?? reference(ctx, ids))
    for (const { path, id } of references) {
      if (known.has(id)) continue
      problems.push({
        path,
        code: 'UNKNOWN_REFERENCE',
        message: `${path} must be the id of an existing record that you can see.`,
      })
    }
  }
  return problems
}

/** Gives a new record its number, unless it has one already, because the statement with conditions did not write it. */
async function setNumber(ctx: RequestContext, definition: RecordShape, numbered: string, next: Fields): Promise<void> {
  if (next[numbered] != null) return
  const collected = collectedOf(ctx)
  next[numbered] = collected?.isOf(definition)
    ? await collected.takeNumber(ctx)
    : await nextNumber(ctx, definition.object)
  Object.assign(next, numberText(definition, next))
  setFormulas(definition.columns, next)
}

async function write<T extends StoredRow>(
  ctx: RequestContext,
  definition: RecordDefinition<T>,
  draft: Draft<T>,
  next: T & Fields,
  changed: readonly Column[],
  unless: readonly ((organization: string) => string)[] = [],
): Promise<boolean> {
  const { operation, events, isEventReplaced, mergedIds, action } = draft
  const previous = draft.previous as (T & Fields) | null
  // Last, because all other creates of the organization wait for the counter from now on.
  if (definition.numbered && !previous) await setNumber(ctx, definition, definition.numbered, next)
  const rowSql = (values: Values): RowStatements => {
    const conditions = () => [
      ...unless.map((holds) => `not ${holds(values.add(ctx.caller.organizationId))}`),
      ...(concernsDefinitions(definition) ? [currentDefinitions(ctx, values)] : []),
    ]
    const written = previous
      ? changeSql(ctx, definition, operation, previous, next, changed, values, conditions())
      : insertSql(definition, next, values, conditions)
    const statement = { values, isWritten: () => 'exists (select from written)' }
    const derived = derivedStatements(definition, statement, [{ operation, previous, next, changed }])
    return derived.length > 0 ? { written, ...Object.fromEntries(derived) } : written
  }
  const changedFields =
    previous && operation === 'UPDATE' ? changedFieldsIn(definition, changed, previous, next) : undefined
  const change = { operation, previous, next, changedFields, events, isEventReplaced, mergedIds, action }
  const collected = collectedOf(ctx)
  if (collected) {
    if (collected.takes(definition, change, changed)) {
      await collected.add(ctx, change, changed, unless)
      return true
    }
    await collected.settle(ctx)
  }
  const run = (inner: RequestContext) => writeChange(inner, definition, change, rowSql)
  try {
    // PostgreSQL aborts a transaction after a failed statement, so an open transaction needs a savepoint.
    const isWritten = ctx.db.open ? await inTransaction(ctx, run) : await run(ctx)
    if (!isWritten && unless.length === 0)
      throw previous && hasColumn(definition, 'version')
        ? versionConflict(definition, previous)
        : notFound(`The ${nameOf(definition)}`)
    return isWritten
  } catch (error) {
    throw await uniqueRefusal(ctx, definition, next, error)
  }
}

const writtenTable = ({ storedIn, table }: RecordShape): string => storedIn ?? table

function insertSql(
  definition: RecordShape,
  next: Fields,
  values: Values,
  conditionsOf: () => readonly string[],
): string {
  const { columns, names, placeholders } = insertTextOf(definition.columns)
  for (const { name, stored } of columns) values.add(stored(next[name]))
  const conditions = conditionsOf()
  const row =
    conditions.length > 0 ? `select ${placeholders} where ${conditions.join(' and ')}` : `values (${placeholders})`
  return `insert into ${writtenTable(definition)} (${names}) ${row} returning 1`
}

/** SQL of an update or delete; it affects no row when the version is not the one that was read. */
function changeSql(
  ctx: RequestContext,
  definition: RecordShape,
  operation: Operation,
  previous: Fields,
  next: Fields,
  changed: readonly Column[],
  values: Values,
  conditions: readonly string[],
): string {
  const table = writtenTable(definition)
  const predicate = new TenantPredicate(ctx.caller, values)
  const version = hasColumn(definition, 'version') ? ` and t.version = ${values.add(previous.version)}` : ''
  const visible = `t.id = ${values.add(previous.id)} and ${predicate.visible(definition, 't')}${version}`
  const where = [visible, ...conditions].join(' and ')
  if (operation === 'DELETE' && !hasColumn(definition, 'deletedAt'))
    return `delete from ${table} t where ${where} returning 1`
  const written = changed.filter(({ computed }) => !computed)
  if (written.length === 0) return `select 1 from ${table} t where ${where} for share of t`
  const sets = written.map((column) => `${column.column} = ${values.add(column.stored(next[column.name]))}`)
  return `update ${table} t set ${sets.join(', ')} where ${where} returning 1`
}
