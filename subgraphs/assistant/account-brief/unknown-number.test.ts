import { describe, expect, it } from 'vitest'
import { unknownNumber } from './unknown-number.ts'

const facts = {
  today: '2026-11-28',
  amount: 48000.5,
  exact: JSON.rawJSON('12345678901234567890.25'),
  count: 3,
  deals: [{ name: 'Dock 12 for Q4', balance: -1200, hidden: null }],
}

describe('a number of a text', () => {
  it.each([
    'Nothing to count.',
    '3 deals, 1200 open, 1,200 open, 1.200 open, 1 200 open, 1’200 open.',
    '48000.5, 48,000.50, 48.000,50 and 48 000,5',
    '28 November 2026, 2026-11-28',
    'Dock 12 in Q4',
    'In 2026 3 deals of 48,000.50 3',
    'ｆｕｌｌ width ３',
    '12345678901234567890.25',
  ])('is known in: %s', (text) => {
    expect(unknownNumber([text], facts)).toBe(null)
  })

  it.each([
    ['7 deals', '7'],
    ['48,000 open', '48,000'],
    ['48k and 48', '48'],
    ['4800050', '4800050'],
    ['30 %', '30'],
    ['in 2027', '2027'],
    ['on 28.11.2026', '28.11'],
    ['٣ deals', '٣'],
    ['³ and 5²', '52'],
  ])('is not known in %s: %s', (text, unknown) => {
    expect(unknownNumber(['Fine: 3.', text], facts)).toBe(unknown)
  })
})
