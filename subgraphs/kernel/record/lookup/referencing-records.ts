import { tenantView } from '../../database/tenant-view.ts'
import type { RequestContext } from '../../request.ts'
import { batchOf } from '../batch.ts'
import type { Column } from '../column.ts'
import { connectionOf, type Connection } from '../connection.ts'
import type { RecordShape } from '../definition.ts'
import { fieldRules } from '../field-security.ts'
import { orderOf } from '../order.ts'
import { TenantPredicate } from '../predicate.ts'
import { readSource } from '../read-source.ts'
import { selectList, withFields } from '../selection.ts'
import { valueTable } from '../value-index/value-column.ts'
import { rowsOfField, valueColumn } from '../value-index/value-range.ts'

export interface ReferencingPage {
  /** Number of records. */
  readonly first: number
  readonly after: string | null
}

/**
 * The live records that the caller sees and whose lookup `column` names the record, newest first. Calls of one operation for the same page share one
 * statement, which reads a range of the index of values for each named record.
 */
export function readReferencing(
  ctx: RequestContext,
  shape: RecordShape,
  column: Column,
  id: string,
  page: ReferencingPage,
  selected: ReadonlySet<string>,
): Promise<Connection> {
  const name = `${shape.object} ${column.name} ${JSON.stringify(page)}`
  return batchOf(ctx, selected, name, (ids) => pagesOf(ctx, shape, column, ids, page, selected)).load(id)
}

async function pagesOf(
  ctx: RequestContext,
  shape: RecordShape,
  column: Column,
  ids: readonly string[],
  { first, after }: ReferencingPage,
  selected: ReadonlySet<string>,
): Promise<Connection[]> {
  const order = orderOf(shape, null)
  const ofValues = order.ofValues()
  const predicate = new TenantPredicate(ctx.caller)
  const { values } = predicate
  const distinct = [...new Set(ids)]
  const columns =
    selectList(shape, withFields(selected, order.columnNames), 't', fieldRules(ctx.caller, shape)) + order.selected('t')
  const naming = [
    rowsOfField(shape, column, predicate.organization()),
    `${valueColumn(column)} = p.named_id`,
    ...(after === null ? [] : [ofValues.after(after, 'v', values, 'after')]),
  ]
  // `offset 0` reads each record by its id, so that no estimate leads PostgreSQL to read all of them.
  const rows = await ctx.db.query(
    `select p.number::int as "namedBy", c.* from unnest(${values.add(distinct)}::uuid[]) with ordinality as p(named_id, number)
     cross join lateral (
       select r.* from ${tenantView(valueTable)} v cross join lateral (
         select ${columns} from ${readSource(shape)} t where t.id = v.record_id and ${predicate.live(shape, 't')} offset 0) r
       where ${naming.join(' and ')} order by ${ofValues.sql('v')} limit ${values.add(first + 1)}) c`,
    values.list,
    'SCAN',
  )
  ctx.answered?.records(shape, rows)
  const byNamed = Map.groupBy(rows, (row) => distinct[(row['namedBy'] as number) - 1]!)
  const connections = new Map(
    distinct.map((id) => [id, connectionOf(order, byNamed.get(id) ?? [], first, after, null)]),
  )
  return ids.map((id) => connections.get(id)!)
}
