import { textOfNumber, type ExactNumber } from '../../kernel/json/exact-number.ts'
import { currencyDecimals } from '../../kernel/values/currency.ts'

const text = (value: ExactNumber): Intl.StringNumericLiteral => textOfNumber(value) as Intl.StringNumericLiteral

export interface AmountFormat {
  /** An amount that is paid, with the decimals of the currency. */
  amount(value: ExactNumber): string
  /** The price of one unit, which may have more decimals. */
  price(value: ExactNumber): string
  /** A quantity or a percentage. */
  number(value: ExactNumber): string
}

/** Formats numbers with all their digits, in the form that English readers of the currency expect. */
export function amountFormat(currency: string): AmountFormat {
  const decimals = currencyDecimals(currency)
  const style = { style: 'currency', currency, minimumFractionDigits: decimals } as const
  const amounts = new Intl.NumberFormat('en', { ...style, maximumFractionDigits: decimals, roundingMode: 'halfEven' })
  const prices = new Intl.NumberFormat('en', { ...style, maximumFractionDigits: 20 })
  const numbers = new Intl.NumberFormat('en', { maximumFractionDigits: 20 })
  return {
    amount: (value) => amounts.format(text(value)),
    price: (value) => prices.format(text(value)),
    number: (value) => numbers.format(text(value)),
  }
}
