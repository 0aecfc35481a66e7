import { describe, expect, it } from 'vitest'
import { catalog } from '../catalog/catalog.ts'
import { changedPreferences, completePreferences, preferenceProblems, wantedChannels } from './preferences.rules.ts'

const codes = (input: object) => preferenceProblems(input).map(({ path, code }) => `${path} ${code}`)
const kind = catalog.get('task.assigned')!

describe('preferences', () => {
  it('refuse every unknown event key and category, and list all of them', () => {
    expect(
      codes({ events: { 'task.eaten': {}, 'task.assigned': {}, toString: {} }, emailCategories: { SPAM: true } }),
    ).toEqual([
      'events.task.eaten UNKNOWN_EVENT_KEY',
      'events.toString UNKNOWN_EVENT_KEY',
      'emailCategories.SPAM UNKNOWN_CATEGORY',
    ])
  })

  it.each([
    [{ events: [] }, 'events WRONG_TYPE'],
    [{ events: { 'task.assigned': true } }, 'events.task.assigned WRONG_TYPE'],
    [{ events: { 'task.assigned': { sms: true } } }, 'events.task.assigned.sms UNKNOWN_FIELD'],
    [{ events: { 'task.assigned': { email: 'yes' } } }, 'events.task.assigned.email WRONG_TYPE'],
    [{ events: { 'lead.converted': { email: true } } }, 'events.lead.converted.email NOT_AVAILABLE'],
    [{ emailCategories: { TASKS: null } }, 'emailCategories.TASKS WRONG_TYPE'],
    [{ emailCategories: 'TASKS' }, 'emailCategories WRONG_TYPE'],
    [{ quietHours: { start: '24:00' } }, 'quietHours.start WRONG_FORMAT'],
    [{ quietHours: { end: '7:00' } }, 'quietHours.end WRONG_FORMAT'],
    [{ quietHours: { start: '07:00' } }, 'quietHours.end OUT_OF_RANGE'],
    [{ quietHours: { followProfile: false } }, 'quietHours.timezone REQUIRED'],
    [{ quietHours: { timezone: 'Mars/Base' } }, 'quietHours.timezone NOT_A_TIMEZONE'],
    [{ digest: { time: '08:60' } }, 'digest.time WRONG_FORMAT'],
    [{ digest: { timezone: '+05:30', followProfile: false } }, 'digest.timezone NOT_A_TIMEZONE'],
  ])('refuse %j', (input, problem) => {
    expect(codes(input)).toEqual([problem])
  })

  it('store only what differs from the defaults, so that a client may send everything back', () => {
    const everything = completePreferences({})
    expect(changedPreferences({}, everything).events).toEqual({})
    const changed = changedPreferences({}, { events: { 'task.assigned': { email: false, push: null, inApp: true } } })
    expect(changed.events).toEqual({ 'task.assigned': { email: false } })
    expect(completePreferences(changed).events['task.assigned']).toEqual({ inApp: true, email: false, push: true })
  })

  it('keep what the change does not name, and replace what it names', () => {
    const stored = changedPreferences({}, { events: { 'task.assigned': { email: false } }, digest: { enabled: true } })
    const next = changedPreferences(stored, { events: { 'case.assigned': { push: false } } })
    expect(next.events).toEqual({ 'case.assigned': { push: false } })
    expect(next.digest).toEqual({ enabled: true, time: '08:00', timezone: null, followProfile: true })
  })

  it('turn off mails by event key and by category', () => {
    expect(wantedChannels({}, kind)).toEqual({ inApp: true, email: true, push: true })
    expect(wantedChannels({ emailCategories: { ASSIGNMENTS: false } }, kind).email).toBe(false)
    expect(wantedChannels({ events: { 'task.assigned': { inApp: false } } }, kind).inApp).toBe(false)
    expect(
      wantedChannels({ events: { 'lead.converted': { email: true } } }, catalog.get('lead.converted')!).email,
    ).toBe(false)
  })
})
