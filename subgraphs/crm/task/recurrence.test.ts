import { describe, expect, it } from 'vitest'
import { movedWith, nextOccurrence, problemOfRule } from './recurrence.ts'

const due = '2027-01-29T09:30:00.250Z' // A Friday.

describe('the next occurrence of a task', () => {
  it.each([
    ['FREQ=DAILY', '2027-01-30T09:30:00.250Z'],
    ['FREQ=DAILY;INTERVAL=10', '2027-02-08T09:30:00.250Z'],
    ['FREQ=WEEKLY', '2027-02-05T09:30:00.250Z'],
    ['FREQ=WEEKLY;BYDAY=MO,WE', '2027-02-01T09:30:00.250Z'],
    ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO', '2027-02-08T09:30:00.250Z'],
    ['FREQ=MONTHLY', '2027-03-29T09:30:00.250Z'],
    ['FREQ=MONTHLY;BYMONTHDAY=-1', '2027-01-31T09:30:00.250Z'],
    ['FREQ=MONTHLY;BYDAY=-1FR', '2027-02-26T09:30:00.250Z'],
    ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1', '2027-02-26T09:30:00.250Z'],
    ['FREQ=YEARLY', '2028-01-29T09:30:00.250Z'],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', '2028-02-29T09:30:00.250Z'],
    ['FREQ=DAILY;UNTIL=20270130T093000Z', '2027-01-30T09:30:00.250Z'],
  ])('%s', (rule, dueDate) => {
    expect(problemOfRule(rule, due)).toBe(null)
    expect(nextOccurrence(rule, due, 'UTC')).toEqual({ dueDate, rule })
  })

  it('counts down, and ends with the last one or after UNTIL', () => {
    expect(nextOccurrence('FREQ=DAILY;COUNT=3', due, 'UTC')?.rule).toBe('FREQ=DAILY;COUNT=2')
    expect(nextOccurrence('COUNT=1;FREQ=DAILY', due, 'UTC')).toBe(null)
    expect(nextOccurrence('FREQ=DAILY;UNTIL=20270130T092959Z', due, 'UTC')).toBe(null)
  })
})

describe('the next occurrence in a time zone', () => {
  it.each([
    ['Asia/Tokyo', 'FREQ=WEEKLY;BYDAY=MO', '2027-03-07T23:00:00.000Z', '2027-03-14T23:00:00.000Z'],
    ['America/Los_Angeles', 'FREQ=WEEKLY;BYDAY=FR', '2027-03-13T01:00:00.000Z', '2027-03-20T00:00:00.000Z'],
    ['Europe/Berlin', 'FREQ=WEEKLY', '2027-03-22T07:00:00.000Z', '2027-03-29T06:00:00.000Z'],
    ['Europe/Berlin', 'FREQ=MONTHLY;BYMONTHDAY=-1', '2027-10-31T22:59:59.999Z', '2027-11-30T22:59:59.999Z'],
    ['Europe/Berlin', 'FREQ=DAILY;UNTIL=20270328T055959Z', '2027-03-27T07:00:00.000Z', null],
    ['Europe/Berlin', 'FREQ=DAILY;UNTIL=20270328T060000Z', '2027-03-27T07:00:00.000Z', '2027-03-28T06:00:00.000Z'],
  ])('keeps the weekday and the hour of %s: %s', (zone, rule, dueDate, next) => {
    expect(nextOccurrence(rule, dueDate, zone)?.dueDate ?? null).toBe(next)
  })

  it('moves the other times of the task by days, not by hours', () => {
    const [from, to] = ['2027-03-22T07:00:00.000Z', '2027-03-29T06:00:00.000Z']
    expect(movedWith('2027-03-22T06:30:00.000Z', from, to, 'Europe/Berlin')).toBe('2027-03-29T05:30:00.000Z')
    expect(movedWith('2027-03-14T22:00:00.000Z', from, to, 'Europe/Berlin')).toBe('2027-03-21T22:00:00.000Z')
  })
})

describe('a recurrence rule', () => {
  it.each([
    '',
    'FREQ=HOURLY',
    'FREQ=SECONDLY;COUNT=5',
    'freq=daily',
    'RRULE:FREQ=DAILY',
    'FREQ=DAILY;',
    'FREQ=DAILY;FREQ=WEEKLY',
    'FREQ=DAILY\nDTSTART:19000101T000000Z',
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;INTERVAL=1000',
    'FREQ=DAILY;COUNT=0',
    'FREQ=DAILY;COUNT=2;UNTIL=20280101T000000Z',
    'FREQ=DAILY;UNTIL=20271399T000000Z',
    'FREQ=DAILY;BYHOUR=1,2,3',
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'FREQ=YEARLY;RSCALE=CHINESE',
    'FREQ=DAILY;__proto__=1',
  ])('is refused: %s', (rule) => {
    expect(problemOfRule(rule, due)).not.toBe(null)
  })

  it.each([
    'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=31',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    `FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=2;BYSETPOS=${Array.from({ length: 31 }, (_, day) => day + 1).join()}`,
  ])('that never occurs soon is refused after little work: %s', (rule) => {
    const begin = process.cpuUsage()
    const problem = problemOfRule(rule, due)
    const { user } = process.cpuUsage(begin)
    expect(user).toBeLessThan(100_000)
    if (!rule.startsWith('FREQ=WEEKLY')) expect(problem).not.toBe(null)
  })
})
