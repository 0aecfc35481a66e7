import { describe, expect, it } from 'vitest'
import { jaroWinkler } from './jaro-winkler.ts'

describe('the similarity of', () => {
  it.each([
    ['martha', 'marhta', 0.961],
    ['dixon', 'dicksonx', 0.813],
    ['dwayne', 'duane', 0.84],
    ['jellyfish', 'smellyfish', 0.896],
    ['arnab', 'aranb', 0.947],
    ['halvorsen', 'halvorsen', 1],
    ['abc', 'xyz', 0],
    ['', 'abc', 0],
    ['a', 'b', 0],
    ['😀a', '😀b', 0.7],
  ])('%s and %s is %f', (one, other, similarity) => {
    expect(jaroWinkler(one, other)).toBeCloseTo(similarity, 3)
    expect(jaroWinkler(other, one)).toBeCloseTo(similarity, 3)
  })

  it('texts whose lengths allow no such similarity is 0', () => {
    expect(jaroWinkler('abcd', 'abcdefgh')).toBeCloseTo(0.9, 3)
    expect(jaroWinkler('abcd', 'abcdefgh', 0.89)).toBeCloseTo(0.9, 3)
    expect(jaroWinkler('abcd', 'abcdefgh', 0.91)).toBe(0)
  })
})
