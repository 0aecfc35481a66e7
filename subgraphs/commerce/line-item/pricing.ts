import type { Big } from 'big.js'
import type { FieldProblem } from '../../kernel/errors.ts'
import { decimalsOf, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { numberMax } from '../../kernel/record/check-values.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf, rounded, sumOf, zero } from '../../kernel/values/decimal.ts'
import { spread } from './spread.ts'

/** What the prices of a line follow from. */
export interface PricedLine {
  readonly quantity: ExactNumber
  readonly unitPrice: ExactNumber
  readonly discountPercent: ExactNumber
  readonly discountAmount: ExactNumber
  readonly taxRate: ExactNumber
}

/** What the prices of a document follow from, besides its lines. */
export interface PricedHeader {
  readonly currency: string
  readonly discountType: 'PERCENT' | 'AMOUNT' | null
  readonly discountValue: ExactNumber | null
  readonly shippingTotal: ExactNumber
}

export interface LineAmounts {
  readonly lineTotal: ExactNumber
  readonly discountShare: ExactNumber
  readonly taxAmount: ExactNumber
}

export interface DocumentAmounts {
  readonly subtotal: ExactNumber
  readonly discountTotal: ExactNumber
  readonly taxTotal: ExactNumber
  readonly total: ExactNumber
}

export interface Pricing extends DocumentAmounts {
  /** The amounts of each line, in the order of the lines. */
  readonly lines: readonly LineAmounts[]
}

const percentOf = (amount: Big, percent: ExactNumber): Big => amount.times(decimalOf(percent)).times('0.01')

/** The value of a line before its `discountAmount`: quantity times price, less the discount in percent. Not rounded. */
function valueBeforeAmount({ quantity, unitPrice, discountPercent }: PricedLine): Big {
  const value = decimalOf(quantity).times(decimalOf(unitPrice))
  return value.minus(percentOf(value, discountPercent))
}

const lineTotalOf = (line: PricedLine, decimals: number): Big =>
  rounded(valueBeforeAmount(line).minus(decimalOf(line.discountAmount)), decimals)

/** The discount on the whole document. */
function headerDiscount({ discountType, discountValue }: PricedHeader, subtotal: Big, decimals: number): Big {
  if (discountType === null || discountValue === null) return zero
  return discountType === 'AMOUNT' ? decimalOf(discountValue) : rounded(percentOf(subtotal, discountValue), decimals)
}

/**
 * All amounts of a document, each rounded half to even to the decimals of its currency. Every total is the sum of its parts. The
 * discount on the whole document is spread over the lines by their value, and the tax of a line is computed from what remains, so
 * lines may have different tax rates. The input must have no `pricingProblems`.
 */
export function pricingOf(lines: readonly PricedLine[], header: PricedHeader): Pricing {
  const decimals = currencyDecimals(header.currency)
  const totals = lines.map((line) => lineTotalOf(line, decimals))
  const subtotal = sumOf(totals)
  const discountTotal = headerDiscount(header, subtotal, decimals)
  const shares = spread(discountTotal, totals, decimals)
  const taxes = lines.map(({ taxRate }, index) =>
    rounded(percentOf(totals[index]!.minus(shares[index]!), taxRate), decimals),
  )
  const taxTotal = sumOf(taxes)
  const total = subtotal.minus(discountTotal).plus(taxTotal).plus(decimalOf(header.shippingTotal))
  return {
    lines: lines.map((_, index) => ({
      lineTotal: exactOf(totals[index]!),
      discountShare: exactOf(shares[index]!),
      taxAmount: exactOf(taxes[index]!),
    })),
    subtotal: exactOf(subtotal),
    discountTotal: exactOf(discountTotal),
    taxTotal: exactOf(taxTotal),
    total: exactOf(total),
  }
}

const problem = (path: string, code: string, message: string): FieldProblem => ({ path, code, message })

const isPayable = (amount: ExactNumber, decimals: number): boolean => (decimalsOf(amount) ?? Infinity) <= decimals

const notPayable = (path: string, name: string, decimals: number, currency: string): FieldProblem =>
  problem(path, 'TOO_PRECISE', `${name} must have at most ${decimals} decimals in ${currency}.`)

function lineProblems(line: PricedLine, path: string, currency: string): FieldProblem[] {
  const decimals = currencyDecimals(currency)
  if (!isPayable(line.discountAmount, decimals))
    return [notPayable(`${path}.discountAmount`, 'discountAmount', decimals, currency)]
  const value = rounded(valueBeforeAmount(line), decimals)
  if (decimalOf(line.discountAmount).lte(value)) return []
  const message = `discountAmount must be at most ${value.toFixed()}, the value of the line.`
  return [problem(`${path}.discountAmount`, 'OUT_OF_RANGE', message)]
}

function discountProblems({ discountType, discountValue, currency }: PricedHeader, subtotal: Big): FieldProblem[] {
  if ((discountType === null) !== (discountValue === null)) {
    const [missing, given] = discountType === null ? ['Type', 'Value'] : ['Value', 'Type']
    const message = `discount${missing} is required with discount${given}; set both or neither.`
    return [problem(`discount${missing}`, 'REQUIRED', message)]
  }
  if (discountType === null || discountValue === null) return []
  const decimals = currencyDecimals(currency)
  if (discountType === 'AMOUNT' && !isPayable(discountValue, decimals))
    return [notPayable('discountValue', 'discountValue', decimals, currency)]
  const max = discountType === 'AMOUNT' ? subtotal : decimalOf(100)
  if (decimalOf(discountValue).lte(max)) return []
  const what = discountType === 'AMOUNT' ? `${max.toFixed()}, the subtotal` : '100 percent'
  return [problem('discountValue', 'OUT_OF_RANGE', `discountValue must be at most ${what}.`)]
}

/** Why the document has no prices. `path` is the property with the lines. */
export function pricingProblems(
  lines: readonly PricedLine[],
  header: PricedHeader,
  path = 'lineItems',
): FieldProblem[] {
  const { currency, shippingTotal } = header
  const decimals = currencyDecimals(currency)
  const problems = lines.flatMap((line, index) => lineProblems(line, `${path}.${index}`, currency))
  if (!isPayable(shippingTotal, decimals))
    problems.push(notPayable('shippingTotal', 'shippingTotal', decimals, currency))
  if (problems.length > 0) return problems
  const subtotal = sumOf(lines.map((line) => lineTotalOf(line, decimals)))
  problems.push(...discountProblems(header, subtotal))
  if (problems.length > 0) return problems
  if (decimalOf(pricingOf(lines, header).total).lte(numberMax) && subtotal.lte(numberMax)) return []
  return [problem(path, 'OUT_OF_RANGE', `The total must be at most ${numberMax}; lower the quantities or prices.`)]
}
