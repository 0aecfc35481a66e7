import { describe, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { chooseVariant, drawnFor } from './choose-variant.ts'

const variants = ['a', 'b', 'never']
const shares = [1, 3, 0]

describe('the variant of a step', () => {
  it('is where the drawn number lies in the shares', () => {
    expect([0, 0.249, 0.25, 0.999, 1].map((drawn) => chooseVariant(variants, shares, drawn))).toEqual([
      'a',
      'a',
      'b',
      'b',
      'b',
    ])
  })

  it('is drawn with a number that is always the same for an enrollment and a step', () => {
    const [enrollment, step] = [newId(), newId()]
    const first = drawnFor(enrollment, step)
    for (let n = 0; n < 20; n++) expect(drawnFor(enrollment, step)).toBe(first)
  })

  it('follows the shares', () => {
    const counts = new Map<string, number>()
    for (let n = 0; n < 8000; n++) {
      const id = chooseVariant(variants, shares, drawnFor(`enrollment ${n}`, 'step'))!
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    // 2000 and 6000 are expected, with a standard deviation of 39.
    expect(Math.abs(counts.get('a')! - 2000)).toBeLessThan(160)
    expect(counts.get('a')! + counts.get('b')!).toBe(8000)
  })

  it('differs between the steps of an enrollment', () => {
    const chosen = new Set(
      Array.from({ length: 50 }, (_, n) => chooseVariant(variants, shares, drawnFor('enrollment', `step ${n}`))),
    )
    expect(chosen).toEqual(new Set(['a', 'b']))
  })

  it('is none without a share', () => {
    expect(chooseVariant([], [], 0.5)).toBeNull()
    expect(chooseVariant(['x'], [0], 0.5)).toBeNull()
  })
})
