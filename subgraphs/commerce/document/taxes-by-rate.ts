import { decimalOf, exactOf, sumOf } from '../../kernel/values/decimal.ts'
import type { LineItem } from '../line-item/line-item.ts'
import type { DocumentTax } from './priced-document.ts'

/** The tax of the lines by rate, the lowest rate first. The amounts are sums of those of the lines, so together they are the tax total. */
export function taxesByRate(lines: readonly LineItem[]): DocumentTax[] {
  const byRate = Map.groupBy(lines, ({ taxRate }) => decimalOf(taxRate).toFixed())
  return Array.from(byRate.values(), (ofRate) => ({
    rate: ofRate[0]!.taxRate,
    base: exactOf(sumOf(ofRate.map((line) => decimalOf(line.lineTotal).minus(decimalOf(line.discountShare))))),
    amount: exactOf(sumOf(ofRate.map(({ taxAmount }) => decimalOf(taxAmount)))),
  })).toSorted((a, b) => decimalOf(a.rate).cmp(decimalOf(b.rate)))
}
