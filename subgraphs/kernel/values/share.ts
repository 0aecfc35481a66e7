/** A part of a whole, 0 to 1 with four decimals; null when the whole is 0. */
export const shareOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000
