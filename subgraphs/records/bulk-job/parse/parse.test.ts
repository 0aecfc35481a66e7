import { describe, expect, it } from 'vitest'
import { csvRecord, declaredDelimiter, detectDelimiter, fieldsOf } from './csv-fields.ts'
import { RecordScanner, type ScanOptions } from './scan-records.ts'
import { decoderOf, detectEncoding } from './text-encoding.ts'

const plain: ScanOptions = { unitBytes: 1, isBigEndian: false, delimiter: ',', recordBytesMax: 100 }

/** The records of a text that arrives in pieces of a size. */
function recordsOf(bytes: Uint8Array, size: number, options: ScanOptions = plain, offset = 0) {
  const scanner = new RecordScanner(options, offset)
  const records = []
  for (let at = 0; at < bytes.length; at += size) records.push(...scanner.push(bytes.subarray(at, at + size)))
  return [...records, ...scanner.end()]
}

const textsOf = (text: string, size: number, options = plain): (string | null)[] =>
  recordsOf(Buffer.from(text), size, options).map(({ bytes }) => bytes?.toString() ?? null)

describe('the records of a text', () => {
  it.each([1, 2, 3, 7, 1000])('are the same in pieces of %i bytes', (size) => {
    const text = 'a,"b\r\n""c"" d",e\r\n\r\nf,5" pipe,g\nh,"",ä€\r\ni'
    expect(textsOf(text, size)).toEqual(['a,"b\r\n""c"" d",e', 'f,5" pipe,g', 'h,"",ä€', 'i'])
  })

  it.each([1, 5, 1000])('have exact positions, from which they can be read again, in pieces of %i bytes', (size) => {
    const bytes = Buffer.from('aä,"x\ny"\r\nb,2\r\n\r\nc,3\n')
    const records = recordsOf(bytes, size)
    expect(records.map(({ bytes: own }) => own!.toString())).toEqual(['aä,"x\ny"', 'b,2', 'c,3'])
    for (const [index, { end }] of records.entries())
      expect(recordsOf(bytes.subarray(end), size, plain, end)).toEqual(
        records.slice(index + 1).map((record) => ({ ...record, start: expect.any(Number) })),
      )
  })

  it.each([1, 4, 1000])('may be too long, which concerns only them, in pieces of %i bytes', (size) => {
    const long = `"${'x'.repeat(150)}""y"`
    expect(textsOf(`a,b\n${long}\nc,d`, size)).toEqual(['a,b', null, 'c,d'])
  })

  it.each([1, 2, 1000])('have quotes inside of a field without a meaning, in pieces of %i bytes', (size) => {
    expect(textsOf('name\nPipe 5""\nB\n"x"y""\nC\n', size)).toEqual(['name', 'Pipe 5""', 'B', '"x"y""', 'C'])
  })

  it.each([
    ['UTF_16LE', 'utf16le'],
    ['UTF_16BE', 'utf16le'],
  ] as const)('of %s are divided at characters, whose bytes may look like line ends', (encoding, of) => {
    const text = 'ਊ,"\u010d\u0a0a"\r\nb,\u2c22'
    const bytes = Buffer.from(text, of)
    if (encoding === 'UTF_16BE') bytes.swap16()
    const options: ScanOptions = { ...plain, unitBytes: 2, isBigEndian: encoding === 'UTF_16BE' }
    const decode = decoderOf(encoding)
    for (const size of [1, 3, 1000])
      expect(recordsOf(bytes, size, options).map((record) => decode(record.bytes!))).toEqual([
        'ਊ,"\u010d\u0a0a"',
        'b,\u2c22',
      ])
  })

  it('are lines where quotes have no meaning', () => {
    expect(textsOf('{"a":"x"}\n{"b":1}\r\n', 4, { ...plain, delimiter: null })).toEqual(['{"a":"x"}', '{"b":1}'])
  })

  it.each([1, 5, 1000])('are not lines of blanks where quotes have no meaning, in pieces of %i bytes', (size) => {
    const text = ' \n{"a":1}\n\t \r\n \n{"b":2}\n '
    const records = recordsOf(Buffer.from(text), size, { ...plain, delimiter: null })
    expect(records.map(({ bytes, end }) => [bytes!.toString(), end])).toEqual([
      ['{"a":1}', 10],
      ['{"b":2}', 24],
      [' ', 25],
    ])
    expect(textsOf('a\n \nb', size)).toEqual(['a', ' ', 'b'])
  })

  it('leave a place from which the next one can be read', () => {
    const scanner = new RecordScanner(plain, 10)
    expect([scanner.push(Buffer.from('\n\n\n"a')), scanner.recordStart]).toEqual([[], 13])
  })
})

describe('the fields of a record', () => {
  it.each([
    ['a,b', ['a', 'b']],
    ['', ['']],
    [',', ['', '']],
    ['"a,b","c ""d"""', ['a,b', 'c "d"']],
    ['"",""', ['', '']],
    ['5" pipe,x', ['5" pipe', 'x']],
    ['"a"', ['a']],
    ['"a",', ['a', '']],
    ['"a', null],
    ['"a"b,c', null],
  ])('of %s', (record, fields) => {
    expect(fieldsOf(record, ',')).toEqual(fields)
  })

  it.each([
    ['name;email;"a,b,c,d"', ';'],
    ['name\temail', '\t'],
    ['name', ','],
    ['a|b|c', '|'],
  ])('of %s are separated by %s', (record, delimiter) => {
    expect(detectDelimiter(record)).toBe(delimiter)
  })

  it('may be separated by what a first line says', () => {
    expect([declaredDelimiter('sep=;'), declaredDelimiter('name')]).toEqual([';', null])
  })

  it('are written so that they are read again', () => {
    const fields = ['a,b', 'c "d"', ' x ', 'line\nline', '', 'plain']
    const written = csvRecord(fields)
    expect(written.endsWith('\r\n')).toBe(true)
    expect(fieldsOf(written.slice(0, -2), ',')).toEqual(fields)
  })
})

describe('the encoding of a text', () => {
  it.each([
    ['with a mark of UTF-8', Buffer.from('\ufeffä'), { encoding: 'UTF_8', markBytes: 3 }],
    ['with a mark of UTF-16', Buffer.from('\ufeffä', 'utf16le'), { encoding: 'UTF_16LE', markBytes: 2 }],
    [
      'with a mark of UTF-16, big-endian',
      Buffer.from('\ufeffä', 'utf16le').swap16(),
      { encoding: 'UTF_16BE', markBytes: 2 },
    ],
    ['of UTF-8 without a mark', Buffer.from('Müller €'), { encoding: 'UTF_8', markBytes: 0 }],
    [
      'of UTF-8 that is cut inside of a character',
      Buffer.from('Müller €').subarray(0, -1),
      { encoding: 'UTF_8', markBytes: 0 },
    ],
    ['of a spreadsheet', Buffer.from('M\u00fcller \u0080', 'latin1'), { encoding: 'WINDOWS_1252', markBytes: 0 }],
  ])('%s is found', (_name, bytes, detected) => {
    expect(detectEncoding(bytes)).toEqual(detected)
  })

  it('tells a wrong byte', () => {
    expect(decoderOf('UTF_8')(Buffer.from([0x61, 0xff]))).toBeNull()
    expect(decoderOf('WINDOWS_1252')(Buffer.from([0x80]))).toBe('€')
  })
})
