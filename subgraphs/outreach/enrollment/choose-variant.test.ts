import { describe, expect, it } from 'vitest'
import { newId } from '../../kernel/ids.ts'
import { chooseVariant } from './choose-variant.ts'

const variants = [
  { id: 'a', weight: 1 },
  { id: 'b', weight: 3 },
  { id: 'never', weight: 0 },
]

describe('the variant of a step', () => {
  it('is always the same for an enrollment and a step', () => {
    const [enrollment, step] = [newId(), newId()]
    const first = chooseVariant(variants, enrollment, step)
    for (let n = 0; n < 20; n++) expect(chooseVariant(variants, enrollment, step)).toBe(first)
  })

  it('follows the weights', () => {
    const counts = new Map<string, number>()
    for (let n = 0; n < 8000; n++) {
      const { id } = chooseVariant(variants, `enrollment ${n}`, 'step')!
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    // 2000 and 6000 are expected, with a standard deviation of 39.
    expect(Math.abs(counts.get('a')! - 2000)).toBeLessThan(160)
    expect(counts.get('a')! + counts.get('b')!).toBe(8000)
  })

  it('differs between the steps of an enrollment', () => {
    const chosen = new Set(Array.from({ length: 50 }, (_, n) => chooseVariant(variants, 'enrollment', `step ${n}`)!.id))
    expect(chosen).toEqual(new Set(['a', 'b']))
  })

  it('is none without a weight', () => {
    expect(chooseVariant([], 'e', 's')).toBeNull()
    expect(chooseVariant([{ id: 'x', weight: 0 }], 'e', 's')).toBeNull()
  })
})
