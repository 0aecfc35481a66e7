import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { type Account } from '../../crm/account/account.ts'
import { account } from '../../crm/account/account.record.ts'
import type { Case } from '../../support/case/case.ts'
import { supportCase } from '../../support/case/case.record.ts'
import type { RecordShape } from './definition.ts'
import { average, averageTime, count, AggregateSql, plus, ratio, sum, type Aggregate } from './aggregates.ts'
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
      {
        sql: 'round(coalesce(sum(t.health_score::numeric), 0)::numeric / nullif(count(t.health_score::numeric), 0), 2)',
        values: [],
        columns: ['healthScore'],
      },
    ],
  ])('has its SQL and the columns that it reads: %s', (_, aggregate, expected) => {
    expect(build(account, aggregate)).toEqual(expected)
  })

  it('compares columns of a row, and computes durations, sums and quotients', () => {
    const late: Aggregate<Case> = count({ resolvedAt: { gt: { column: 'slaDueAt' } } })
    expect(build(supportCase, late)).toMatchObject({
      sql: 'count(*) filter (where (t.resolved_at > t.sla_due_at))::int8',
      columns: ['resolvedAt', 'slaDueAt'],
    })
    const time: Aggregate<Case> = averageTime('createdAt', 'resolvedAt', 'hours', 2)
    expect(build(supportCase, time)).toMatchObject({ columns: ['resolvedAt', 'createdAt'] })
    const reopened = count<Case>({ reopenCount: { gt: 0 } })
    const resolved = count<Case>({ resolvedAt: { isNull: false } })
    const share: Aggregate<Case> = ratio(reopened, plus(reopened, resolved), 4)
    expect(build(supportCase, share)).toEqual({
      sql: 'round(count(*) filter (where (t.reopen_count > $1))::int8::numeric / nullif((count(*) filter (where (t.reopen_count > $2))::int8 + count(*) filter (where (t.resolved_at is not null))::int8), 0), 4)',
      values: [0, 0],
      columns: ['reopenCount', 'resolvedAt'],
    })
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
