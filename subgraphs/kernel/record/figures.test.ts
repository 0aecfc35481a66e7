import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { type Account } from '../../crm/account/account.ts'
import { account } from '../../crm/account/account.record.ts'
import type { Case } from '../../support/case/case.ts'
import { supportCase } from '../../support/case/case.record.ts'
import type { RecordShape } from './definition.ts'
import { average, averageTime, count, FigureSql, share, sum, type Figure } from './figures.ts'
import { Values } from './predicate.ts'

function made<T>(shape: RecordShape, figure: Figure<T>) {
  const values = new Values()
  const into = new FigureSql(shape, values)
  return { sql: figure.sql(into), values: values.list, columns: [...into.columns] }
}

describe('a figure', () => {
  it.each<[string, Figure<Account>, ReturnType<typeof made>]>([
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
  ])('is SQL and the columns that it is over: %s', (_, figure, expected) => {
    expect(made(account, figure)).toEqual(expected)
  })

  it('compares columns of a row, and takes shares', () => {
    const late: Figure<Case> = count({ resolvedAt: { gt: { column: 'slaDueAt' } } })
    expect(made(supportCase, late)).toMatchObject({
      sql: 'count(*) filter (where (t.resolved_at > t.sla_due_at))::int8',
      columns: ['resolvedAt', 'slaDueAt'],
    })
    const time: Figure<Case> = averageTime('createdAt', 'resolvedAt', 'hours', 2)
    expect(made(supportCase, time)).toMatchObject({ columns: ['resolvedAt', 'createdAt'] })
    const part: Figure<Case> = share({ reopenCount: { gt: 0 } }, { resolvedAt: { isNull: false } }, 4)
    expect(made(supportCase, part)).toMatchObject({ values: [0], columns: ['resolvedAt', 'reopenCount'] })
  })

  it('names columns that there are, which the compiler checks', () => {
    const wrong: Figure<Account>[] = [
      // @ts-expect-error There is no such column.
      sum('anualRevenue'),
      // @ts-expect-error Text has no average.
      average('name', 2),
      // @ts-expect-error There is no such column.
      count({ isStrategi: true }),
      // @ts-expect-error Not a value of the column.
      count({ isStrategic: 'yes' }),
      // @ts-expect-error Not a value of the column.
      count({ type: { in: ['NOBODY'] } }),
    ]
    expect(wrong.length).toBe(5)
  })
})
