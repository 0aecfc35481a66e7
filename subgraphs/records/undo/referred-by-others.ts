import { recordTypeIn, recordTypeNamesIn } from '../../kernel/record/custom-object.ts'
import { columnOf, type RecordShape } from '../../kernel/record/definition.ts'
import { TenantPredicate, type Values } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { RecordPlan } from './record-plan.ts'

/** The record types with a relation to another one, each with the SQL of the column `t.…` that has its id. */
function referencesTo(ctx: RequestContext, object: string): [shape: RecordShape, column: string][] {
  return recordTypeNamesIn(ctx).flatMap((name) => {
    const builtIn = recordTypeIn(ctx, name)
    if (!builtIn || builtIn.storedIn) return []
    const columns = Object.values(builtIn.relations ?? {}).flatMap(({ by, to }) =>
      by !== undefined && to().object === object ? [columnOf(builtIn, by).sql('t')] : [],
    )
    return [...new Set(columns)].map((column): [RecordShape, string] => [builtIn, column])
  })
}

/** SQL condition that the record `t` is one of the operation itself. */
export type IsOwn = (values: Values) => string

/** The ids of the records, of those that an operation created, to which live records refer that are not its own, whoever sees them. */
export async function referredByOthers(
  ctx: RequestContext,
  created: readonly RecordPlan[],
  isOwn: IsOwn = (values) => `t.id = any(${values.add(created.map(({ recordId }) => recordId))}::uuid[])`,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const [object, group] of Map.groupBy(created, ({ object }) => object)) {
    const predicate = new TenantPredicate(ctx.caller)
    const ids = predicate.values.add(group.map(({ recordId }) => recordId))
    const own = isOwn(predicate.values)
    const parts = referencesTo(ctx, object).map(
      ([child, column]) =>
        `select ${column} as parent from ${child.table} t
           where ${predicate.tenant(child, 't')} and ${column} = any(${ids}::uuid[]) and not ${own}`,
    )
    if (parts.length === 0) continue
    const text = `select distinct parent::text as parent from (${parts.join(' union all ')}) r`
    const rows = await ctx.db.query<{ parent: string }>(text, predicate.values.list, 'WRITE')
    for (const { parent } of rows) found.add(parent)
  }
  return found
}
