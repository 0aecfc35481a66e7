/** Currencies of ISO 4217 whose smallest unit is not a hundredth. */
const decimalsOfCurrency: ReadonlyMap<string, number> = new Map([
  ...'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'.split(' ').map((code) => [code, 0] as const),
  ...'BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3] as const),
  ...'CLF UYW'.split(' ').map((code) => [code, 4] as const),
])

/** Number of decimals of the currency by ISO 4217. */
export const currencyDecimals = (currency: string): number => decimalsOfCurrency.get(currency) ?? 2
