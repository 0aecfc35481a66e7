import { parse } from 'csv-parse/sync'
import { oneLine, unreadable, type Block } from './block.ts'

const delimiters = [',', ';', '\t'] as const

/** The one that the first line has most often. */
function delimiterOf(text: string): string {
  const first = text.slice(0, 10_000).split(/[\r\n]/, 1)[0]!
  return delimiters.toSorted((a, b) => first.split(b).length - first.split(a).length)[0]!
}

interface Read {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

/** Each row as `column: value`, so that a passage says what its values are. The first row has the names. */
export function csvBlocks(text: string): Block[] {
  let rows: Read[]
  try {
    rows = parse(text, {
      bom: true,
      delimiter: delimiterOf(text),
      info: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: 1_000_000,
    }) as unknown as Read[]
  } catch {
    throw unreadable('CSV')
  }
  const names = rows[0]?.record.map(oneLine) ?? []
  let line = 1
  return rows.map(({ record, info }, index) => {
    const begins = line
    line = info.lines + 1
    const values = record.map((value, at) => {
      const shown = oneLine(value)
      return index === 0 || !names[at] || shown === '' ? shown : `${names[at]}: ${shown}`
    })
    return { text: values.filter((value) => value !== '').join('; '), page: null, heading: null, line: begins }
  })
}
