import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { type Account } from '../../crm/account/account.ts'
import { account } from '../../crm/account/account.record.ts'
import type { Case } from '../../support/case/case.ts'
import { supportCase } from '../../support/case/case.record.ts'
import type { RecordShape } from './definition.ts'
import { average, averageTime, count, AggregateSql, share, sum, type Aggregate } from './aggregates.ts'
import { Values } from './predicate.ts'

function build<T>(shape: RecordShape, aggregate: Aggregate<T>) {
  const values = new Values()
  const into = new AggregateSql(shape, values)
  return { sql: aggregate.sql(into), values: values.list, columns: [...into.columns] }
}

describe('an aggregate', () => {
  it.each<[string, Aggregate<Account>, ReturnType<typeof build>]>([
    ['count of everything', count({}), { sql: 'count(*) filter (where (true))::int8', values: [], columns: [] }],
    ['count', count(), { sql: 'count(*)::int8', values: [], columns: [] }],
    [
      'count of a value',
      count({ isStrategic: true }),
      { sql: 'count(*) filter (where (t.is_strategic = $1))::int8', values: [true], columns: ['isStrategic'] },
    ],
    [
      'count of alternatives',
      count({ or: [{ type: 'PARTNER' }, { healthScore: { gt: 5, lt: 9 }, ownerId: { isNull: false } }] }),
      {
        sql: 'count(*) filter (where (((t.type = $1) or (t.health_score > $2::float8 and t.health_score < $3::float8 and t.owner_id is not null))))::int8',
        values: ['PARTNER', 5, 9],
        columns: ['type', 'healthScore', 'ownerId'],
      },
    ],
    [
      'sum',
      sum('annualRevenue'),
      { sql: 'coalesce(sum(t.annual_revenue), 0)', values: [], columns: ['annualRevenue'] },
    ],
    [
      'average',
      average('healthScore', 2),
      { sql: 'round((avg(t.health_score))::numeric, 2)', values: [], columns: ['healthScore'] },
    ],
  ])('has its SQL and the columns that it reads: %s', (_, aggregate, expected) => {
    expect(build(account, aggregate)).toEqual(expected)
  })

  it('compares columns of a row, and computes durations and shares', () => {
    const late: Aggregate<Case> = count({ resolvedAt: { gt: { column: 'slaDueAt' } } })
    expect(build(supportCase, late)).toMatchObject({
      sql: 'count(*) filter (where (t.resolved_at > t.sla_due_at))::int8',
      columns: ['resolvedAt', 'slaDueAt'],
    })
    const time: Aggregate<Case> = averageTime('createdAt', 'resolvedAt', 'hours', 2)
    expect(build(supportCase, time)).toMatchObject({ columns: ['resolvedAt', 'createdAt'] })
    const part: Aggregate<Case> = share({ reopenCount: { gt: 0 } }, { resolvedAt: { isNull: false } }, 4)
    expect(build(supportCase, part)).toMatchObject({ values: [0], columns: ['resolvedAt', 'reopenCount'] })
  })

  it('accepts only existing columns and values of their type, checked by the compiler', () => {
    const wrong: Aggregate<Account>[] = [
      // @ts-expect-error No such column.
      sum('anualRevenue'),
      // @ts-expect-error Text has no average.
      average('name', 2),
      // @ts-expect-error No such column.
      count({ isStrategi: true }),
      // @ts-expect-error Not a value of the column.
      count({ isStrategic: 'yes' }),
      // @ts-expect-error Not a value of the column.
      count({ type: { in: ['UNKNOWN'] } }),
    ]
    expect(wrong.length).toBe(5)
  })
})
