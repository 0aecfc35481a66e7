import { describe, expect, it } from 'vitest'
import { customRecordOf } from './custom-record.record.ts'
import type { CustomRecord } from './custom-record.ts'

describe('the name of a custom record', () => {
  const { calculated } = customRecordOf({ name: 'visit', label: 'Visit', nameField: 'subject', formerNameFields: [] })

  it.each([
    ['Pump', 'Pump'],
    ['', null],
    [null, null],
    [4, null],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['x'.repeat(32_000), 'x'.repeat(255)],
    ['\u{1f600}'.repeat(255), '\u{1f600}'.repeat(255)],
    [`x${'\u{1f600}'.repeat(300)}`, `x${'\u{1f600}'.repeat(254)}`],
  ])('is the value of its name field, with at most 255 characters', (subject, name) => {
    const record = { customFields: { subject } } as unknown as CustomRecord
    expect(calculated!(record, null, {}, 'UTC')).toEqual({ name })
  })
})
