import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { columnOf, hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { decimalOf } from '../../kernel/values/decimal.ts'
import { type CheckedQuestion } from './check-question.ts'
import { compileLists, filterOf, selectionOf } from './compile.ts'
import { moneyFields } from './question.ts'

import { citationsOf, currenciesMax, currencyOf, readAll, type Lists, type Read, type Row } from './read-records.ts'

/** The records with the greatest values, or with the least for an ascending order; of amounts for each currency. */
export async function askTop(read: Read, shape: RecordShape, question: CheckedQuestion) {
  const { filters, limit, measure, order } = question
  const direction = order?.direction ?? 'DESC'
  const field = measure!
  const select = selectionOf(shape, field)
  const isMoney = moneyFields.has(field) && hasColumn(shape, 'currency')
  const isSorted = columnOf(shape, field).indexed === true
  const rows: Row[] = []
  let total = 0
  if (!isSorted) {
    const all = await readAll(read, { shape, filter: filterOf(filters), select })
    if (!all.rows) return { total: all.total, isTooMany: true }
    return topOf(shape, field, direction, limit, all.rows, all.total)
  }
  const seen: string[] = []
  while (seen.length < currenciesMax) {
    const rest = seen.length > 0 ? [{ field: 'currency', operator: 'notIn' as const, value: seen }] : []
    const filter = filterOf([...filters, { field, operator: 'isNull', value: false }, ...rest])
    const part = { alias: 'list', shape, filter, limit, order: { field, direction }, select }
    const { list } = await read<Lists>(compileLists([part]))
    if (seen.length === 0) total = list!.total!
    const [first] = list!.data!
    if (!first) break
    if (!isMoney) {
      rows.push(...list!.data!)
      break
    }
    const currency = String(first['currency'])
    seen.push(currency)
    const isOneCurrency = list!.data!.every((row) => row['currency'] === currency)
    if (isOneCurrency) rows.push(...list!.data!)
    else {
      const only = filterOf([...filters, { field: 'currency', operator: 'eq', value: currency }])
      const own = await read<Lists>(compileLists([{ ...part, filter: only }]))
      rows.push(...own['list']!.data!)
    }
  }
  return topOf(shape, field, direction, limit, rows, total)
}

function topOf(
  shape: RecordShape,
  field: string,
  direction: 'ASC' | 'DESC',
  limit: number,
  all: readonly Row[],
  total: number,
) {
  const sign = direction === 'ASC' ? 1 : -1
  const counts = new Map<string | null, number>()
  const rows = all
    .filter((row) => row[field] !== null && row[field] !== undefined)
    .map((row) => ({ row, value: decimalOf(row[field] as ExactNumber), currency: currencyOf(shape, field, row) }))
    .toSorted(
      (a, b) =>
        String(a.currency).localeCompare(String(b.currency)) ||
        sign * a.value.cmp(b.value) ||
        a.row.id.localeCompare(b.row.id),
    )
    .filter(({ currency }) => {
      const count = (counts.get(currency) ?? 0) + 1
      counts.set(currency, count)
      return count <= limit
    })
    .map(({ row }) => row)
  return { total, rows, citations: citationsOf(shape, rows, field) }
}
