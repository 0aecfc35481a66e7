import { hash } from 'node:crypto'

const parts = 2 ** 48

/** A number from 0 to 1, always the same for an enrollment and a step, so that a step that is tried again draws the same. */
export const drawnFor = (enrollmentId: string, stepId: string): number =>
  Number.parseInt(hash('sha256', `${enrollmentId} ${stepId}`).slice(0, 12), 16) / parts

/** The variant at the drawn number from 0 to 1, by the shares of the variants; null without one that has a share. */
export function chooseVariant<V>(variants: readonly V[], shares: readonly number[], drawn: number): V | null {
  let left = drawn * shares.reduce((sum, share) => sum + share, 0)
  for (const [index, variant] of variants.entries()) {
    left -= shares[index]!
    if (left < 0) return variant
  }
  return variants[shares.findLastIndex((share) => share > 0)] ?? null
}
