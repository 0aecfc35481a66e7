import type { FieldProblem } from '../errors.ts'

/** Currencies of ISO 4217 whose smallest unit is not a hundredth. */
const decimalsOfCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/** Number of decimals of the currency by ISO 4217. */
export const currencyDecimals = (currency: string): number => decimalsOfCurrency.get(currency) ?? 2

/** Problems of a currency that is not in the form of an ISO 4217 code. */
export function hasCurrency({ currency }: { readonly currency: string }): FieldProblem[] {
  if (/^[A-Z]{3}$/.test(currency)) return []
  const message = 'currency must be a three-letter ISO 4217 code in upper case, for example USD.'
  return [{ path: 'currency', code: 'NOT_A_CURRENCY', message }]
}
