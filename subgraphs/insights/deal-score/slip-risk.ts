import { shrunkRate } from '../win-rate/shrunk-rate.ts'

/** Without won deals, a deal is late as often as not. */
const prior = 0.5

/** The chance that a deal with so many days left is won later, from quantiles of the days that won deals took. */
export function slipRisk(
  daysLeft: number,
  past: { readonly won: number; readonly remaining: readonly number[] } | null,
): number {
  if (daysLeft < 0) return 1
  if (!past || past.remaining.length === 0) return prior
  // The day of the close date is in time until its end.
  const later = past.remaining.filter((days) => days >= daysLeft + 1).length / past.remaining.length
  return shrunkRate(later * past.won, past.won, prior).rate
}
