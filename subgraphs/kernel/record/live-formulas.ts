import { runsOnce } from '../database/statement-names.ts'
import { isId } from '../ids.ts'
import type { Formula, MomentSql, Place } from '../formula/formula.ts'
import { organizationZoneSql } from '../time/days.ts'
import type { Column } from './column.ts'
import { sqlLiteral } from './custom-field-column.ts'
import type { RecordShape } from './definition.ts'
import type { FormulaScopes } from './formula-columns.ts'
import { mayReadType } from './may-read-type.ts'
import { TenantPredicate, Values } from './predicate.ts'
import type { ShapeReader } from './shape-source.ts'

// Formulas that read other records or the time are computed by every read, in the name of its caller: their SQL has the caller's visibility and the
// moment of the operation in it, so that it is an expression as that of any other column.

/** The parameters of a caller as literals: ids only. */
class Literals extends Values {
  override add(value: unknown): string {
    if (Array.isArray(value)) return `'{${value.map(idIn).join(',')}}'::uuid[]`
    return `'${idIn(value)}'::uuid`
  }
}

function idIn(value: unknown): string {
  if (typeof value === 'string' && isId(value)) return value
  throw new Error('Only ids are written into the SQL of formulas.')
}

/** The moment is another one in each operation, so a statement with it is not prepared. */
function momentSql({ caller, startedAt }: ShapeReader): MomentSql {
  const now = `${runsOnce} ${sqlLiteral(startedAt().toISOString())}::timestamptz`
  const zone = `coalesce(${organizationZoneSql(`'${idIn(caller.organizationId)}'::uuid`)}, 'UTC')`
  return { now, zone, today: `(${now} at time zone ${zone})::date` }
}

/** Where the records of a caller are: behind relations, those that the caller sees. */
export function placeFor(reader: ShapeReader, object: string, scopes: FormulaScopes): (alias: string) => Place {
  const moment = momentSql(reader)
  return (alias) => ({
    alias: () => alias,
    moment,
    related(relations, sql) {
      const predicate = new TenantPredicate(reader.caller, new Literals(), reader.answered)
      const sources: string[] = []
      const conditions: string[] = []
      let [at, from] = [object, alias]
      for (const name of relations) {
        const { column, object: target } = scopes.of(at)!.relation(name)!
        const { shape } = scopes.of(target)!
        const to = `r${sources.length + 1}`
        sources.push(`${shape.table} ${to}`)
        conditions.push(`${to}.id = ${column.sql(from)}`)
        conditions.push(mayReadType(reader.caller, shape) ? predicate.live(shape, to) : 'false')
        ;[at, from] = [target, to]
      }
      return `(select ${sql(from)} from ${sources.join(', ')} where ${conditions.join(' and ')})`
    },
  })
}

/** The columns of a record type with the formulas that this caller reads. */
export function columnsFor(reader: ShapeReader, { object, columns }: RecordShape, scopes: FormulaScopes): Column[] {
  const place = placeFor(reader, object, scopes)
  return [...columns.customFields.values()].map((column) =>
    isLive(column) ? { ...column, sql: (alias) => `(${column.formula!.toSql(place(alias))})` } : column,
  )
}

/** Whether the value is computed by every read, and nowhere else. */
export const isLive = ({ formula }: { readonly formula?: Pick<Formula, 'isLocal'> | null }): boolean =>
  formula?.isLocal === false
