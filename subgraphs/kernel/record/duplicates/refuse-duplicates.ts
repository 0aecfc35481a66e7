import { Refusal } from '../../errors.ts'
import { isId } from '../../ids.ts'
import { isJsonObject } from '../../json/exact-number.ts'
import type { Caller } from '../../context.ts'
import type { RequestContext } from '../../request.ts'
import { MustBeWritten } from '../collected.ts'
import type { Column } from '../column.ts'
import { customFieldsName } from '../custom-field-column.ts'
import type { Draft, RecordShape, StoredRow } from '../definition.ts'
import { nameOf } from '../describe.ts'
import { lockRows } from '../lock-rows.ts'
import { shapeFor } from '../shape-source.ts'
import { lockNumbered, lockNumbersOf, valueLocksMax } from '../value-locks.ts'
import { rulesFor } from './compiled-rules.ts'
import type { DuplicateRule } from './duplicate-rules.ts'
import { comparedKeysOf, keysOf, nameOfKey } from './compared-keys.ts'
import { findDuplicates, isFoundByKeys, type DuplicateCandidate } from './find-duplicates.ts'

type Fields = Readonly<Record<string, unknown>>
type Operation = Pick<Draft<StoredRow>, 'operation' | 'mergedIds'>

/** Duplicates that a refusal names. */
const namedMax = 10

/**
 * Whether duplicates block a change of this kind: one that a caller requests and did not allow to make duplicates. The records that are merged into
 * another one are its duplicates.
 */
export const mayBeBlocked = (
  { caller, allowsDuplicates }: RequestContext,
  { duplicates }: RecordShape,
  { operation, mergedIds }: Operation,
): boolean =>
  duplicates?.hasBlocks === true &&
  operation !== 'DELETE' &&
  !mergedIds &&
  !allowsDuplicates &&
  caller.kind !== 'SYSTEM'

export const blockingRules = (caller: Caller, shape: RecordShape): readonly DuplicateRule[] =>
  rulesFor(caller, shape).filter(({ action }) => action === 'BLOCK')

/**
 * Whether changes of many records can be decided without comparing each of them: none is blocked, or the index of keys, which is read for all of them
 * together, proposes what each is to be compared with.
 */
export const isComparedTogether = (ctx: RequestContext, shape: RecordShape): boolean =>
  !mayBeBlocked(ctx, shape, { operation: 'CREATE' }) ||
  (comparedKeysOf(ctx, shape) !== null && blockingRules(ctx.caller, shape).every(isFoundByKeys))

/** The rule as far as it concerns a change of a record: by one of several matchers, what does not change is no reason to refuse the change. */
function concerned(rule: DuplicateRule, next: Fields, previous: Fields | null): DuplicateRule | null {
  const given = rule.matchers.filter(({ keyOf }) => {
    const key = keyOf(next)
    return key !== null && (previous === null || key !== keyOf(previous))
  })
  if (given.length === 0) return null
  return rule.logic === 'ANY' ? { ...rule, matchers: given } : rule
}

/** Whether an item of a change of many records may change this field. What nobody gives may follow from any other field. */
function mayChange(item: object, { name, key, writable }: Column): boolean {
  const { id: _id, expectedVersion: _expected, ...given } = item as Fields
  if (writable === 'NEVER') return Object.keys(given).length > 0
  if (key === undefined) return Object.hasOwn(given, name)
  const customFields = given[customFieldsName]
  return isJsonObject(customFields) && Object.hasOwn(customFields, key)
}

/**
 * In the transaction of a change of many records, before the first of them is changed: takes all locks of keys, after those of the records. Otherwise two
 * such changes, which take the locks of one record after another, would wait for each other.
 */
export async function lockKeysOfAll(
  ctx: RequestContext,
  builtIn: RecordShape,
  ids: readonly string[],
  items: readonly object[],
): Promise<void> {
  const shape = shapeFor(ctx, builtIn)
  if (items.length < 2 || !mayBeBlocked(ctx, shape, { operation: 'UPDATE' })) return
  const columns = blockingRules(ctx.caller, shape).flatMap(({ matchers }) =>
    matchers.flatMap(({ isIndexed, column }) => (isIndexed ? column : [])),
  )
  if (!items.some((item) => columns.some((column) => mayChange(item, column)))) return
  await lockRows(ctx, shape, ids.filter(isId))
  await lockNumbered(ctx, 'duplicates', shape.object, Array(valueLocksMax).keys())
}

/** The records of a type that block a change, the best first; none if an error is no refusal of a duplicate of such a record. */
export const blockingCandidates = (
  { object }: Pick<RecordShape, 'object'>,
  error: unknown,
): readonly DuplicateCandidate[] =>
  error instanceof Refusal && error.code === 'DUPLICATE_DETECTED'
    ? (error.extensions['candidates'] as readonly DuplicateCandidate[]).filter((one) => one.object === object)
    : []

/** The rules that block, those of them that concern a change, and the records that keys propose to compare it with, if these are looked up together. */
async function comparisonOf(
  ctx: RequestContext,
  shape: RecordShape,
  { operation }: Operation,
  next: Fields,
  previous: Fields | null,
) {
  // A restored record becomes a duplicate of those that were written meanwhile.
  const before = operation === 'UPDATE' ? previous : null
  const blocking = blockingRules(ctx.caller, shape)
  const rules = blocking.flatMap((rule) => concerned(rule, next, before) ?? [])
  const together = rules.length > 0 ? comparedKeysOf(ctx, shape) : null
  const proposed = (await together?.proposedFor(ctx, rules, next)) ?? new Set<string>()
  const isDistinct =
    rules.length === 0 || (together?.areAllNoted === true && proposed.size === 0 && rules.every(isFoundByKeys))
  return { blocking, rules, together, proposed, isDistinct }
}

/** Throws `MustBeWritten` where a change is to be compared with records, of which some may be collected and not written yet. */
export async function requireWritten(
  ctx: RequestContext,
  shape: RecordShape,
  operation: Operation,
  next: Fields,
  previous: Fields | null,
): Promise<void> {
  if (!ctx.collected?.hasPending || !mayBeBlocked(ctx, shape, operation)) return
  const { isDistinct } = await comparisonOf(ctx, shape, operation, next, previous)
  if (!isDistinct) throw new MustBeWritten()
}

/**
 * Refuses a change that makes a record the duplicate of another one that the caller sees. Runs in the transaction of the change, which has locked the
 * rows that exist: so of two records with one key that are written at the same time, the second is compared with the first.
 */
export async function refuseDuplicates(
  ctx: RequestContext,
  shape: RecordShape,
  operation: Operation,
  next: Fields,
  previous: Fields | null,
): Promise<void> {
  const { blocking, rules, together, proposed, isDistinct } = await comparisonOf(ctx, shape, operation, next, previous)
  if (rules.length === 0) return
  if (!together) {
    if (previous) await lockRows(ctx, shape, [previous['id'] as string])
    // Records with one of these keys are written one after another until the transaction ends.
    await lockNumbered(ctx, 'duplicates', shape.object, lockNumbersOf(keysOf(rules, next).map(nameOfKey)))
  }
  if (!isDistinct) await refuseCandidates(ctx, shape, rules, next)
  together?.note(blocking, rules, next, proposed)
}

async function refuseCandidates(
  ctx: RequestContext,
  shape: RecordShape,
  rules: readonly DuplicateRule[],
  next: Fields,
): Promise<void> {
  const comparison = { record: next, id: next['id'] as string, limit: namedMax }
  const { candidates } = await findDuplicates(ctx, shape, rules, comparison)
  if (candidates.length === 0) return
  const [others, them] = candidates.length === 1 ? ['another one', 'it'] : ['others', 'them']
  throw new Refusal(
    'DUPLICATE_DETECTED',
    `The ${nameOf(shape)} may be a duplicate of ${others}; use ${them}, or repeat the change and allow duplicates.`,
    { candidates },
  )
}
