type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The data as it is stored: `previous` has only the values that differ from `record`. */
export function storedData(data: Fields): Fields {
  const { record, previous } = data
  if (!isFields(record) || !isFields(previous)) return data
  return { ...data, previous: previousDifferences(record, previous) }
}

/** Reverses `storedData`: `previous` has all fields again. */
export function wholeData(data: Fields): Fields {
  const { record, previous } = data
  if (!isFields(record) || !isFields(previous)) return data
  return { ...data, previous: { ...record, ...previous } }
}

const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))

function previousDifferences(record: Fields, previous: Fields): Fields {
  const before: Record<string, unknown> = {}
  for (const name in record) {
    const value = previous[name]
    if (isSame(value, record[name])) continue
    if (value === undefined) throw new Error(`An event's previous record must have ${name}, as the record has.`)
    before[name] = value
  }
  for (const name in previous) if (!(name in record)) before[name] = previous[name]
  return before
}
