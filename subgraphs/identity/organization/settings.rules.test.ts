import { describe, expect, it } from 'vitest'
import { settingsProblems } from './settings.rules.ts'

describe('The time zone of an organization', () => {
  it.each(['Europe/Oslo', 'Etc/GMT+5', 'UTC'])('may be %s', (timezone) => {
    expect(settingsProblems({ timezone })).toEqual([])
  })

  it.each(['+05:30', '-0300', 'Mars/Olympus', '', 'Europe/Oslo '])('is an IANA name, and %j is none', (timezone) => {
    const message = 'timezone is the IANA name of a time zone, for example Europe/Oslo.'
    expect(settingsProblems({ timezone })).toEqual([{ path: 'timezone', code: 'NOT_A_TIMEZONE', message }])
  })

  it('is checked in the business hours as well', () => {
    const problems = settingsProblems({ businessHours: { timezone: '+05:30', days: {} } })
    expect(problems.map(({ path, code }) => `${path} ${code}`)).toEqual(['businessHours.timezone NOT_A_TIMEZONE'])
  })
})
