/** Remainders that differ by less are equal: they differ by the error of binary fractions. */
const equalWithin = 1e-9

/**
 * Rounds values so that they add up to their rounded sum: each is rounded down, and the units that are missing go to those with the
 * largest remainders, the first of them among equals. So the contributions that are shown add up to the score that is shown.
 */
export function roundTogether(
  values: readonly number[],
  decimals = 2,
): { readonly sum: number; readonly parts: readonly number[] } {
  const unit = 10 ** decimals
  const scaled = values.map((value) => value * unit)
  const sum = Math.round(scaled.reduce((total, value) => total + value, 0))
  const floors = scaled.map(Math.floor)
  const missing = sum - floors.reduce((total, value) => total + value, 0)
  const byRemainder = scaled
    .map((value, index) => ({ index, remainder: Math.round((value - floors[index]!) / equalWithin) }))
    .toSorted((a, b) => b.remainder - a.remainder || a.index - b.index)
  for (const { index } of byRemainder.slice(0, missing)) floors[index]! += 1
  return { sum: inUnits(sum, unit), parts: floors.map((part) => inUnits(part, unit)) }
}

/** A value that is shown, with so many decimals. */
export const rounded = (value: number, decimals = 2): number =>
  inUnits(Math.round(value * 10 ** decimals), 10 ** decimals)

/** Zero has no sign. */
const inUnits = (units: number, unit: number): number => (units === 0 ? 0 : units / unit)
