import { expect, it } from 'vitest'
import { byteRange } from './byte-range.ts'

it.each([
  [undefined, 10, null],
  ['bytes=0-3', 10, { start: 0, end: 3 }],
  ['bytes=4-', 10, { start: 4, end: 9 }],
  ['bytes=4-99', 10, { start: 4, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-99', 10, { start: 0, end: 9 }],
  ['bytes=10-', 10, 'UNSATISFIABLE'],
  ['bytes=-0', 10, 'UNSATISFIABLE'],
  ['bytes=0-', 0, 'UNSATISFIABLE'],
  ['bytes=-5', 0, 'UNSATISFIABLE'],
  ['bytes=5-4', 10, null],
  ['bytes=-', 10, null],
  ['bytes=0-1,3-4', 10, null],
  ['lines=0-1', 10, null],
  ['bytes=0-1x', 10, null],
  [`bytes=${'9'.repeat(400)}-`, 10, null],
])('reads %j of %i bytes', (range, bytes, expected) => {
  expect(byteRange({ range }, bytes, '"a"')).toEqual(expected)
})

it('ignores a range of a file that has changed since', () => {
  expect(byteRange({ range: 'bytes=0-1', 'if-range': '"b"' }, 10, '"a"')).toBeNull()
  expect(byteRange({ range: 'bytes=0-1', 'if-range': '"a"' }, 10, '"a"')).toEqual({ start: 0, end: 1 })
})
