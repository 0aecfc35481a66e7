import { ID, Int } from 'type-graphql'
import { describe, expect, it } from 'vitest'
import { tableColumn } from '../../../kernel/record/column.ts'
import { DateTime, Decimal, Json } from '../../../kernel/record/scalars.ts'
import { cellValue, dayValue, type CellFormat } from './cell-value.ts'

const format: CellFormat = {
  dateFormat: 'ISO',
  decimalSeparator: 'POINT',
  zone: 'Europe/Berlin',
  spreadsheetSafe: true,
}
const german: CellFormat = { ...format, dateFormat: 'DMY', decimalSeparator: 'COMMA' }
const american: CellFormat = { ...format, dateFormat: 'MDY' }
const exact: CellFormat = { ...format, spreadsheetSafe: false }

const Stage = { NEW: 'NEW', CLOSED_WON: 'CLOSED_WON' } as const
const [text, amount, count, flag, time, id, stage, tags, json] = [
  tableColumn('text', String),
  tableColumn('amount', Decimal),
  tableColumn('count', Int),
  tableColumn('flag', Boolean),
  tableColumn('time', DateTime),
  tableColumn('id', ID),
  tableColumn('stage', Stage),
  tableColumn('tags', [String]),
  tableColumn('json', Json),
]

describe('the value of a cell', () => {
  it.each([
    ['text keeps zeros and spaces', text, ' 0049', format, ' 0049'],
    ['one apostrophe before a formula is removed', text, "'=1+1", format, '=1+1'],
    ['and of several, one', text, "''=1", format, "'=1"],
    ['none where the file has no such apostrophes', text, "'=1+1", exact, "'=1+1"],
    ['no other apostrophe is', text, "'s-Hertogenbosch", format, "'s-Hertogenbosch"],
    ['a number', amount, '1234.5', format, 1234.5],
    ['a number with groups', amount, '1,234,567,890,123,456.78', format, JSON.rawJSON('1234567890123456.78')],
    ['a number with a comma', amount, '1.234,56', german, 1234.56],
    ['a number in groups of a space', amount, '1 234,5', german, 1234.5],
    ['groups that are none are refused', amount, '1,23', format, undefined],
    ['a point is no comma', amount, '12.5', german, undefined],
    ['a negative number without a first digit', amount, '-.5', format, -0.5],
    ['an exponent', amount, '1e3', format, 1000],
    ['a currency is no number', amount, '12 EUR', format, undefined],
    ['an integer', count, ' 12 ', format, 12],
    ['a flag', flag, 'TRUE', format, true],
    ['a flag as a word', flag, 'No', format, false],
    ['another word is no flag', flag, 'perhaps', format, undefined],
    ['a date of ISO stays as it is', time, '2026-04-03', format, '2026-04-03'],
    ['a German date', time, '3.4.2026', german, '2026-04-03'],
    ['a German time is one of the organization', time, '03.04.2026 14:30', german, '2026-04-03T12:30:00.000Z'],
    ['an American date', time, '03/04/2026', american, '2026-03-04'],
    ['an American time', time, '3/4/2026 2:30 PM', american, '2026-03-04T13:30:00.000Z'],
    ['a year of two digits is refused', time, '03/04/26', american, undefined],
    ['an id', id, ' 0190B1A2-0000-7000-8000-000000000001 ', format, '0190B1A2-0000-7000-8000-000000000001'],
    ['a member as people write it', stage, 'Closed Won', format, 'CLOSED_WON'],
    ['a word that is no member stays as it is', stage, 'Lost', format, 'Lost'],
    ['a list', tags, 'a; b;;c', format, ['a', 'b', 'c']],
    ['a list of JSON', tags, '["a;b"," c",""]', format, ['a;b', ' c', '']],
    ['a list that begins like JSON', tags, '[a;b]', format, ['[a', 'b]']],
    ['JSON', json, '{"a":[1]}', format, { a: [1] }],
    ['no JSON', json, '{a}', format, undefined],
  ])('%s', (_name, column, given, as, value) => {
    expect(cellValue(column, given, as)).toEqual(value)
  })

  it('that is a day means it in the time zone of the organization', () => {
    const due = { ...time, day: 'END' } as const
    expect(dayValue(due, '2026-04-03', 'Europe/Berlin')).toBe('2026-04-03T21:59:59.999Z')
    expect(dayValue(time, '2026-04-03', 'Europe/Berlin')).toBe('2026-04-03')
    expect(dayValue(due, '2026-02-31', 'Europe/Berlin')).toBe('2026-02-31')
  })
})
