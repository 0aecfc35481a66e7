import type { FieldProblem } from '../errors.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { MustBeWritten } from './collected.ts'
import type { Condition } from './collected-rules.ts'
import { collectedOf } from './collected-writes.ts'
import type { ColumnName, RecordDefinition, SerializedRule, StoredRow } from './definition.ts'
import { lockOf } from '../database/locks.ts'

type Ruled<T extends StoredRow> = Pick<RecordDefinition<T>, 'object' | 'serializedRules'>

/**
 * Waits for the other transactions of the organization that change records of this type under its serialized rules. A transaction
 * that locks rows of the type must take this lock before them; otherwise two transactions could wait for each other.
 */
export async function lockSerializedRules<T extends StoredRow>(
  ctx: RequestContext,
  { object, serializedRules = [] }: Ruled<T>,
): Promise<void> {
  if (serializedRules.length === 0) return
  const { db, caller } = ctx
  for (const { before } of serializedRules) await before?.(ctx)
  await db.query(`select pg_advisory_xact_lock(${lockOf('serializedRules')})`, [`${object} ${caller.organizationId}`])
}

/**
 * Writes the change if none of these conditions (`holdsIf`) holds; false if one does, or if the record has changed. Without conditions it
 * is written or refused.
 */
type Write = (ctx: RequestContext, problems: FieldProblem[], unless?: readonly Condition[]) => Promise<boolean>

/** The context in which rules see the records that were collected before, and the record is written at once. */
async function uncollected(ctx: RequestContext): Promise<RequestContext> {
  const collected = collectedOf(ctx)
  if (!collected) return ctx
  await collected.settle(ctx)
  return { ...ctx, collected: undefined }
}

/**
 * What the rules find of a record that is collected: the problems, and the conditions of the rules that do not hold in the organization. Null if the
 * record is written at once, because a rule reads or changes others.
 */
async function decidedTogether<T extends StoredRow>(
  ctx: RequestContext,
  given: readonly SerializedRule<T>[],
  next: T,
  previous: T | null,
): Promise<{ readonly problems: FieldProblem[]; readonly unless: readonly Condition[] } | null> {
  const collected = collectedOf(ctx)
  if (!collected) return null
  const rules = given as readonly unknown[] as readonly SerializedRule<StoredRow>[]
  const open = await collected.rules.openOf(ctx, rules, next)
  if (open.length > 0 && collected.hasPending) throw new MustBeWritten()
  if (open.some(({ distinct }) => !distinct)) return null
  const problems: FieldProblem[] = []
  for (const rule of open) problems.push(...(await rule.enforce(ctx, next, previous)))
  const unless: Condition[] = []
  for (const rule of rules) if (!(await collected.rules.holds(ctx, rule))) unless.push(rule.holdsIf!)
  return { problems, unless }
}

/** Calls `write` with the problems that the rules find, in a transaction if a rule concerns the change. */
export async function underSerializedRules<T extends StoredRow>(
  ctx: RequestContext,
  definition: Ruled<T>,
  next: T,
  previous: T | null,
  write: Write,
): Promise<boolean> {
  const rules: SerializedRule<T>[] = []
  for (const rule of definition.serializedRules ?? []) if (await rule.concerns(ctx, next, previous)) rules.push(rule)
  if (rules.length === 0) return write(ctx, [])
  const decided = await decidedTogether(ctx, rules, next, previous)
  if (decided && (await write(ctx, decided.problems, decided.unless))) return true
  const direct = await uncollected(ctx)
  const conditions = rules.flatMap(({ holdsIf }) => holdsIf ?? [])
  if (conditions.length === rules.length && (await write(direct, [], conditions))) return true
  return inTransaction(direct, async (inner) => {
    await lockSerializedRules(inner, definition)
    const problems: FieldProblem[] = []
    for (const rule of rules) problems.push(...(await rule.enforce(inner, next, previous)))
    return write(inner, problems)
  })
}

/**
 * The rule that no record is its own ancestor, where the column contains the id of the parent. Only a change of an existing record can form
 * a cycle, so a new record is not checked.
 */
export const withoutCycle = <T extends StoredRow>(
  definition: () => RecordDefinition<T>,
  name: ColumnName<T>,
): SerializedRule<T> => ({
  concerns: (_ctx, next, previous) => previous !== null && next[name] !== null && next[name] !== previous[name],
  async enforce({ db }, next) {
    const { object, table, columns } = definition()
    const problem = (message: string): FieldProblem[] => [{ path: name, code: 'CIRCULAR', message }]
    if (next[name] === next.id) return problem(`${name} must not be the id of the ${object} itself.`)
    const parent = columns.byName.get(name)!.column
    const [row] = await db.query<{ circular: boolean }>(
      `with recursive ancestor as (
         select id, ${parent} from ${table} where organization_id = $1 and id = $2
         union
         select r.id, r.${parent} from ${table} r join ancestor on r.organization_id = $1 and r.id = ancestor.${parent}
       )
       select exists (select 1 from ancestor where id = $3) as circular`,
      [next.organizationId, next[name], next.id],
    )
    return row?.circular ? problem(`${name} must not be the id of a record below this ${object}.`) : []
  },
})
