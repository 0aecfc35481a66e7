import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { isProblem, isRow, placesFrom } from './read-file.ts'
import type { FileFormat } from './stored-job.ts'

const ndjson: FileFormat = { encoding: 'UTF_8', delimiter: null, columns: [], byte: 0 }
const csv: FileFormat = { ...ndjson, delimiter: ',', columns: ['name'] }

/** What is read of a text that arrives in megabytes: the ends of rows with their contents, and the places without a row. */
async function readFrom(bytes: Buffer, format: FileFormat, signal?: AbortSignal): Promise<readonly unknown[]> {
  const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000_000) }, (_, index) =>
    bytes.subarray(index * 1_000_000, (index + 1) * 1_000_000),
  )
  const files = { read: () => Promise.resolve(Readable.from(pieces)) }
  const file = { parts: [{ part: 1, contentId: '', bytes: bytes.length, sha256: '' }], format }
  const read: unknown[] = []
  for await (const place of placesFrom(files as never, '', file, { byte: 0, row: 0 }, signal))
    read.push(isRow(place) ? [place.row, place.end, place.content] : place)
  return read
}

describe('the rows of a file', () => {
  it.each<[string, FileFormat, string, string, unknown, readonly number[]]>([
    ['empty lines of CSV', csv, '\n', 'A\n', ['A'], [4_000_000, 8_000_000]],
    ['blank lines of NDJSON', ndjson, ' \n', '{"name":"A"}\n', { name: 'A' }, [4_000_000, 8_000_000]],
    ['blank lines of other spaces', ndjson, '\u00a0\n', '{"name":"A"}\n', { name: 'A' }, [4_999_998, 9_000_000]],
  ])('are read after %s, whose places are told', async (_name, format, line, row, content, places) => {
    const blank = Buffer.from(line.repeat(9_000_000 / Buffer.byteLength(line)))
    const end = blank.length + Buffer.byteLength(row)
    expect(await readFrom(Buffer.concat([blank, Buffer.from(row)]), format)).toEqual([
      ...places.map((byte) => ({ byte, row: 0 })),
      [1, end, content],
    ])
  })

  it('are read until a signal aborts', async () => {
    await expect(readFrom(Buffer.from('A\n'), csv, AbortSignal.abort(new Error('The time is over.')))).rejects.toThrow(
      'The time is over.',
    )
  })

  it('have at most 1,000 fields', async () => {
    const object = (keys: number, custom: number): object => ({
      ...Object.fromEntries(Array.from({ length: keys - 1 }, (_, index) => [`f${index}`, 1])),
      customFields: Object.fromEntries(Array.from({ length: custom }, (_, index) => [`c${index}`, 1])),
    })
    const lines = [object(1, 999), object(1, 1_000), object(1_001, 0)].map((each) => JSON.stringify(each))
    const rows = (await readFrom(Buffer.from(lines.join('\n')), ndjson)) as [number, number, never][]
    expect(rows.map(([, , content]) => (isProblem(content) ? content : null))).toEqual([
      null,
      ...Array.from({ length: 2 }, () => ({
        code: 'TOO_MANY',
        field: null,
        message: 'A row must have at most 1000 fields.',
      })),
    ])
  })
})
