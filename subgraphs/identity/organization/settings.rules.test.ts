import { describe, expect, it } from 'vitest'
import { holidaysMax, settingsProblems, spansMax } from './settings.rules.ts'

describe('The time zone of an organization', () => {
  it.each(['Europe/Oslo', 'Etc/GMT+5', 'UTC'])('may be %s', (timezone) => {
    expect(settingsProblems({ timezone })).toEqual([])
  })

  it.each(['+05:30', '-0300', 'Mars/Olympus', '', 'Europe/Oslo '])(
    'must be an IANA name, so %j is refused',
    (timezone) => {
      const message = 'timezone must be the IANA name of a time zone, for example Europe/Oslo.'
      expect(settingsProblems({ timezone })).toEqual([{ path: 'timezone', code: 'NOT_A_TIMEZONE', message }])
    },
  )

  it('is checked in the business hours as well', () => {
    const problems = settingsProblems({ businessHours: { timezone: '+05:30', days: {} } })
    expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual(['businessHours.timezone NOT_A_TIMEZONE'])
  })
})

describe('The month in which the fiscal year begins', () => {
  it.each([null, 1, 4, 12])('may be %s', (fiscalYearStartMonth) => {
    expect(settingsProblems({ fiscalYearStartMonth })).toEqual([])
  })

  it.each([0, 13, -1, 1.5])('must be a month, so %s is refused', (fiscalYearStartMonth) => {
    const message = 'fiscalYearStartMonth must be between 1 and 12.'
    expect(settingsProblems({ fiscalYearStartMonth })).toEqual([
      { path: 'fiscalYearStartMonth', code: 'OUT_OF_RANGE', message },
    ])
  })
})

describe('The modes of the assistant that are switched off', () => {
  it.each([[null], [[]], [['model', 'documents']]])('may be %j', (disabledAssistantModes) => {
    expect(settingsProblems({ disabledAssistantModes })).toEqual([])
  })

  it.each([
    [['local'], 'disabledAssistantModes.0', 'NOT_A_MODE'],
    [['model', 'Model'], 'disabledAssistantModes.1', 'NOT_A_MODE'],
    [['model', 'model'], 'disabledAssistantModes', 'NOT_UNIQUE'],
  ])('cannot be %j', (disabledAssistantModes, path, code) => {
    expect(settingsProblems({ disabledAssistantModes })).toMatchObject([{ path, code }])
  })
})

describe('Business hours', () => {
  const span = (index: number) => [`${String(index).padStart(2, '0')}:00`, `${String(index).padStart(2, '0')}:30`]
  const spans = (count: number) => Array.from({ length: count }, (_, index) => span(index))
  const holidays = (count: number) =>
    Array.from({ length: count }, (_, day) => new Date(Date.UTC(2027, 0, 1 + day)).toISOString().slice(0, 10))
  const problemsOf = (hours: object) =>
    settingsProblems({ businessHours: { timezone: 'UTC', days: {}, ...hours } } as never).map(
      ({ path, code }) => `${path} ${code}`,
    )

  it('have at most 10 spans a day and 1000 holidays', () => {
    expect([spansMax, holidaysMax]).toEqual([10, 1000])
    expect(problemsOf({ days: { MON: spans(10), SUN: spans(10) }, holidays: holidays(1000) })).toEqual([])
    expect(problemsOf({ days: { MON: spans(11) }, holidays: holidays(1001) })).toEqual([
      'businessHours.days.MON TOO_MANY',
      'businessHours.holidays TOO_MANY',
    ])
  })

  it('report at most twenty unknown keys', () => {
    const days = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`X${index}`, []]))
    const problems = problemsOf({ days })
    expect([problems.length, problems[19]]).toEqual([20, 'businessHours.days.X19 UNKNOWN_FIELD'])
  })

  it.each([
    [['09:00', '09:00'], 'OUT_OF_ORDER'],
    [['24:00', '24:00'], 'NOT_A_SPAN'],
    [['9:00', '10:00'], 'NOT_A_SPAN'],
  ])('refuse the span %j', (bad, code) => {
    expect(problemsOf({ days: { MON: [bad] } })).toEqual([`businessHours.days.MON.0 ${code}`])
  })

  it('accept only holidays that exist in the calendar', () => {
    expect(problemsOf({ holidays: ['2028-02-29', '2027-02-29'] })).toEqual(['businessHours.holidays.1 NOT_A_DAY'])
  })
})
