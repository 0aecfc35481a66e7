import { describe, expect, it } from 'vitest'
import { recordTypes } from '../../subgraphs/all.ts'
import type { Column } from '../../subgraphs/kernel/record/column.ts'

/** Times of activities are times. */
const others = ['account.lastActivityDate', 'account.nextActivityDate']
/** They are stored as midnight UTC. */
const utcDays = ['invoice.issueDate', 'invoice.dueDate', 'credit_note.issueDate']

const isDayLike = ({ kind, name, internal, writable }: Column): boolean =>
  kind === 'timestamp' && !internal && writable !== 'NEVER' && /(Date|Day|Until)$/.test(name)

const found = recordTypes.flatMap(({ object, columns }) =>
  columns.stored
    .flatMap((column) => [column, ...(column.structure?.parts ?? [])])
    .filter(isDayLike)
    .map((column) => [`${object}.${column.name}`, column] as const),
)

describe('a column that people think of as a day', () => {
  it.each(found.filter(([name]) => !others.includes(name) && !utcDays.includes(name)))(
    '%s accepts a date without a time',
    (_, { day }) => {
      expect(['BEGIN', 'END']).toContain(day)
    },
  )

  it('is declared as a day of UTC if it is stored as one', () => {
    expect(found.filter(([, { isUtcDay }]) => isUtcDay).map(([name]) => name)).toEqual(utcDays)
  })

  it('is none of the exceptions that no longer exist', () => {
    expect(others.filter((name) => !found.some(([known]) => known === name))).toEqual([])
  })
})
