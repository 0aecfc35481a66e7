import type { FieldProblem } from '../errors.ts'

/** Currencies of ISO 4217 whose smallest unit is not a hundredth. */
const decimalsOfCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/** Codes of ISO 4217 that Intl does not list: units of account, and recent ones. */
const otherCodes = 'BOV CHE CHW CLF COU MXV USN UYI UYW VED XCG XDR XSU XUA ZWG'.split(' ')
const codes: ReadonlySet<string> = new Set([...Intl.supportedValuesOf('currency'), ...otherCodes])
const names = new Intl.DisplayNames('en', { type: 'currency' })

/** Number of decimals of the currency by ISO 4217. */
export const currencyDecimals = (currency: string): number => decimalsOfCurrency.get(currency) ?? 2

/** Whether the text is the code of a currency of ISO 4217, in upper case; withdrawn currencies are included. */
export const isCurrency = (code: string): boolean => codes.has(code)

/** The English name of the currency: `EUR` is Euro. */
export const currencyName = (currency: string): string => names.of(currency) ?? currency

/** The problem of a value that must be a currency. */
export const currencyProblems = (path: string, code: string): FieldProblem[] =>
  isCurrency(code)
    ? []
    : [
        {
          path,
          code: 'NOT_A_CURRENCY',
          message: `${path} must be a three-letter ISO 4217 code in upper case, for example USD.`,
        },
      ]

interface WithCurrency {
  readonly currency: string
}

/** The problem of a record whose currency is none. A stored code is accepted until it changes. */
export const hasCurrency = ({ currency }: WithCurrency, previous: WithCurrency | null): FieldProblem[] =>
  previous?.currency === currency ? [] : currencyProblems('currency', currency)
