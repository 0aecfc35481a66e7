import { textOfNumber, type ExactNumber } from '../../subgraphs/kernel/json/exact-number.ts'
import { currencyDecimals } from '../../subgraphs/kernel/values/currency.ts'
import { escaped } from './escaped.ts'

/** A line of a quote or an invoice as a page shows it. */
export interface ShownLine {
  readonly name: string
  readonly sku: string | null
  readonly description: string | null
  readonly quantity: ExactNumber
  readonly unitPrice: ExactNumber
  readonly discountPercent: ExactNumber
  readonly discountAmount: ExactNumber
  readonly taxRate: ExactNumber
  readonly lineTotal: ExactNumber
  readonly billingFrequency: string
}

type Digits = Intl.StringNumericLiteral

/** An amount with its currency; with `decimalsMax`, a price that may have more decimals than the currency. */
export function amountOf(value: ExactNumber, currency: string, decimalsMax?: number): string {
  const decimals = currencyDecimals(currency)
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimalsMax ?? decimals,
  })
  return format.format(textOfNumber(value) as Digits)
}

const numberOf = (value: ExactNumber): string =>
  new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format(textOfNumber(value) as Digits)

export const isZero = (value: ExactNumber): boolean => Number(textOfNumber(value)) === 0

const frequencies: Readonly<Record<string, string>> = {
  MONTHLY: 'every month',
  QUARTERLY: 'every three months',
  ANNUAL: 'every year',
  USAGE_BASED: 'by use',
}

function discountOf({ discountPercent, discountAmount }: ShownLine, currency: string): string {
  const parts = [
    isZero(discountPercent) ? '' : `${numberOf(discountPercent)} %`,
    isZero(discountAmount) ? '' : amountOf(discountAmount, currency),
  ]
  return parts.filter((part) => part !== '').join(' + ')
}

function lineRow(line: ShownLine, currency: string): string {
  const { name, sku, description, quantity, unitPrice, taxRate, lineTotal, billingFrequency } = line
  const frequency = frequencies[billingFrequency]
  const details = [sku, frequency && `Billed ${frequency}`].filter(Boolean).join(' · ')
  const cell = (label: string, text: string): string => `<td class="amount" data-label="${label}">${escaped(text)}</td>`
  return `<tr><td><strong>${escaped(name)}</strong>${details ? `<br><small>${escaped(details)}</small>` : ''}${
    description ? `<br><span class="terms">${escaped(description)}</span>` : ''
  }</td>${cell('Quantity', numberOf(quantity))}${cell('Price', amountOf(unitPrice, currency, 20))}${cell('Discount', discountOf(line, currency))}${cell(
    'Tax',
    isZero(taxRate) ? '' : `${numberOf(taxRate)} %`,
  )}${cell('Amount', amountOf(lineTotal, currency))}</tr>`
}

type AmountRow = readonly [label: string, value: ExactNumber, sign?: string]

/** The rows of the sums below the lines; a part that is 0 has no row. */
export const amountRows = (currency: string, rows: readonly AmountRow[]): string =>
  rows
    .filter(([label, value]) => label === 'Subtotal' || label === 'Total' || !isZero(value))
    .map(
      ([label, value, sign = '']) =>
        `<tr><th colspan="5" scope="row">${label}</th><td class="amount">${sign}${escaped(amountOf(value, currency))}</td></tr>`,
    )
    .join('\n')

/** The table of the lines with the rows of their sums. */
export const lineTable = (lines: readonly ShownLine[], currency: string, sums: string): string => `<table>
<thead><tr><th>Item</th><th class="amount">Quantity</th><th class="amount">Price</th><th class="amount">Discount</th><th class="amount">Tax</th><th class="amount">Amount</th></tr></thead>
<tbody>
${lines.map((line) => lineRow(line, currency)).join('\n')}
</tbody>
<tfoot>
${sums}
</tfoot>
</table>`
