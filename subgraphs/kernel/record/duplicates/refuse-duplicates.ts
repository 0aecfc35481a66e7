import { lockOf } from '../../database/locks.ts'
import { Refusal } from '../../errors.ts'
import type { RequestContext } from '../../request.ts'
import type { Draft, RecordShape, StoredRow } from '../definition.ts'
import { nameOf } from '../describe.ts'
import { rulesFor } from './compiled-rules.ts'
import type { DuplicateRule } from './duplicate-rules.ts'
import { findDuplicates } from './find-duplicates.ts'

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

/** The rule as far as it concerns a change of a record: by one of several matchers, what does not change is no reason to refuse the change. */
function concerned(rule: DuplicateRule, next: Fields, previous: Fields | null): DuplicateRule | null {
  const given = rule.matchers.filter(({ keyOf }) => {
    const key = keyOf(next)
    return key !== null && (previous === null || key !== keyOf(previous))
  })
  if (given.length === 0) return null
  return rule.logic === 'ANY' ? { ...rule, matchers: given } : rule
}

/** Records with one of these keys are written one after another until the transaction ends. All transactions lock in the order of the locks. */
async function lockKeys(
  { db, caller }: RequestContext,
  { object }: RecordShape,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const named = keys.map((key) => `${caller.organizationId} ${object} ${key}`)
  await db.query(
    `with key (id) as materialized (
       select distinct ${lockOf('duplicates', 'g.name')} from unnest($1::text[]) as g(name) order by 1)
     select pg_advisory_xact_lock(id) from key`,
    [named],
  )
}

/**
 * Refuses a change that makes a record the duplicate of another one that the caller sees. Runs in the transaction of the change, which has locked the
 * rows that exist: so of two records with one key that are written at the same time, the second is compared with the first.
 */
export async function refuseDuplicates(
  ctx: RequestContext,
  shape: RecordShape,
  { operation }: Operation,
  next: Fields,
  previous: Fields | null,
): Promise<void> {
  // A restored record becomes a duplicate of those that were written meanwhile.
  const before = operation === 'UPDATE' ? previous : null
  const rules = rulesFor(ctx.caller, shape)
    .filter(({ action }) => action === 'BLOCK')
    .flatMap((rule) => concerned(rule, next, before) ?? [])
  if (rules.length === 0) return
  if (previous)
    await ctx.db.query(
      `select 1 from ${shape.storedIn ?? shape.table} where organization_id = $1 and id = $2 for update`,
      [ctx.caller.organizationId, previous['id']],
    )
  const matchers = new Set(rules.flatMap((rule) => rule.matchers))
  await lockKeys(
    ctx,
    shape,
    [...matchers].flatMap(({ keyField, isIndexed, keyOf }) => {
      const key = isIndexed ? keyOf(next) : null
      return key === null ? [] : `${keyField} ${key}`
    }),
  )
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
