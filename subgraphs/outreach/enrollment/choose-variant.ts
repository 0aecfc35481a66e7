import { hash } from 'node:crypto'

interface Weighted {
  readonly weight: number
}

const parts = 2 ** 48

/**
 * One of the variants by their weights; null without one that has a weight. The same enrollment and step always get the same one, so that a
 * step that is tried again sends what it would have sent.
 */
export function chooseVariant<V extends Weighted>(
  variants: readonly V[],
  enrollmentId: string,
  stepId: string,
): V | null {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  if (total <= 0) return null
  const drawn = Number.parseInt(hash('sha256', `${enrollmentId} ${stepId}`).slice(0, 12), 16) / parts
  let left = drawn * total
  for (const variant of variants) {
    left -= variant.weight
    if (left < 0) return variant
  }
  return variants.findLast(({ weight }) => weight > 0) ?? null
}
