export const delimiters = [',', ';', '\t', '|'] as const

/** A record of CSV as its fields (RFC 4180); null if a quoted field does not end, or if text follows it. */
export function fieldsOf(record: string, delimiter: string): string[] | null {
  const fields: string[] = []
  for (let at = 0; ; at++) {
    if (record[at] !== '"') {
      const end = record.indexOf(delimiter, at)
      fields.push(end < 0 ? record.slice(at) : record.slice(at, end))
      if (end < 0) return fields
      at = end
      continue
    }
    const begin = at + 1
    let end = record.indexOf('"', begin)
    while (end >= 0 && record[end + 1] === '"') end = record.indexOf('"', end + 2)
    if (end < 0) return null
    fields.push(record.slice(begin, end).replaceAll('""', '"'))
    at = end + 1
    if (at >= record.length) return fields
    if (record[at] !== delimiter) return null
  }
}

/** The separator of the first record: the one that it has most often outside of quotes; a comma if it has none. */
export function detectDelimiter(record: string): string {
  const outside = record.replaceAll(/"(?:[^"]|"")*"/g, '')
  const counts = delimiters.map((delimiter) => [delimiter, outside.split(delimiter).length] as const)
  return counts.reduce((most, each) => (each[1] > most[1] ? each : most))[0]
}

/** A first line by which Excel is told the separator; null for any other line. */
export const declaredDelimiter = (line: string): string | null => /^"?sep=(.)"?$/i.exec(line)?.[1] ?? null

/** One field as CSV. */
const written = (value: string, delimiter: string): string =>
  /["\r\n]/.test(value) || value.includes(delimiter) || value !== value.trim()
    ? `"${value.replaceAll('"', '""')}"`
    : value

export const csvRecord = (fields: readonly string[], delimiter = ','): string =>
  `${fields.map((field) => written(field, delimiter)).join(delimiter)}\r\n`
