import { describe, expect, it } from 'vitest'
import { rowTexts } from './row-texts.ts'

/** A row as PostgreSQL sends it, at offset `shift` of a larger buffer. */
function sent(texts: readonly (string | null)[], shift: number): { bytes: Buffer; start: number; end: number } {
  const count = Buffer.alloc(2)
  count.writeInt16BE(texts.length)
  const parts = texts.flatMap((text) => {
    const length = Buffer.alloc(4)
    const content = Buffer.from(text ?? '')
    length.writeInt32BE(text === null ? -1 : content.length)
    return [length, content]
  })
  const row = Buffer.concat([count, ...parts])
  const bytes = Buffer.concat([Buffer.alloc(shift, 0xc3), row, Buffer.from('ü behind')])
  return { bytes, start: shift, end: shift + row.length }
}

const rows: Record<string, readonly (string | null)[]> = {
  'without columns': [],
  'of nulls': [null, null, null],
  'of empty texts': ['', null, ''],
  'of ASCII texts': ['a', 'plain text of some length', null, '42', '\x7f\x7f\x7f\x7f\x7f'],
  'with characters of several bytes': ['Zürich', null, '東京', '😀 and plain', 'ÿ', 'é'],
  'whose last byte is not ASCII': ['abc', 'ü'],
  'whose first byte is not ASCII': ['ü', 'abc'],
  'with lengths that have bit 7 set': ['x'.repeat(200), 'y'.repeat(255), 'z'.repeat(0x8001), null, 'end'],
}

describe('rowTexts', () => {
  it.each(Object.entries(rows))('reads a row %s, at every offset', (_, texts) => {
    for (let shift = 0; shift < 8; shift++) {
      const { bytes, start, end } = sent(texts, shift)
      expect(rowTexts(bytes, start, end), `${shift} bytes in`).toEqual(texts)
      const moved = new Uint8Array(bytes.length + 3)
      moved.set(bytes, 3)
      expect(rowTexts(Buffer.from(moved.buffer, 3), start, end), `${shift} bytes in, and 3`).toEqual(texts)
    }
  })
})
