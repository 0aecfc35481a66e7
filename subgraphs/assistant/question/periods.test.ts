import { describe, expect, it } from 'vitest'
import '../../all.ts'
import { parse } from './parse.ts'

/** Late on 1 March in Chicago, which is 2 March in Berlin. */
const now = new Date('2027-03-02T03:00:00.000Z')

/** The bounds of the period in a question of a user in this zone. */
function boundsIn(zone: string, question: string, field: string): string[] {
  const parsing = parse(question, { now, zone, fiscalYearStartMonth: 1 })
  if (parsing.kind !== 'QUESTION') throw new Error(`${question} must be a question.`)
  const { conditions } = parsing.parsed
  return conditions.flatMap((one) => (one.field === field ? [String(one.value)] : []))
}

describe('a period in a question', () => {
  it.each([
    ['America/Chicago', 'today', '2027-03-01', '2027-03-02'],
    ['America/Chicago', 'this month', '2027-03-01', '2027-04-01'],
    ['America/Chicago', 'next 7 days', '2027-03-01', '2027-03-09'],
    ['Europe/Berlin', 'today', '2027-03-02', '2027-03-03'],
    ['Pacific/Auckland', 'this month', '2027-03-01', '2027-04-01'],
  ])('has the days of invoices in %s: %s', (zone, period, first, end) => {
    const bounds = [first, end].map((day) => `${day}T00:00:00.000Z`)
    expect(boundsIn(zone, `How many invoices are due ${period}?`, 'dueDate')).toEqual(bounds)
  })

  it('has the moments of other records in the time zone of the user', () => {
    expect(boundsIn('America/Chicago', 'How many tasks are due today?', 'dueDate')).toEqual([
      '2027-03-01T06:00:00.000Z',
      '2027-03-02T06:00:00.000Z',
    ])
  })
})
