import { describe, expect, it } from 'vitest'
import { matchOf, scoreOf } from './lead-fit.ts'

describe('matchOf', () => {
  const all = { closed: 100, converted: 20 }
  it.each([
    ['an unknown group', undefined, all, 50],
    ['an organization that converted none', { closed: 10, converted: 0 }, { closed: 10, converted: 0 }, 50],
    ['an average group', { closed: 50, converted: 10 }, all, 50],
    // (5 + 20·0.2) / (5 + 20) = 0.36; 0.36 / (0.36 + 0.2).
    ['a few leads that were all converted', { closed: 5, converted: 5 }, all, 100 * (0.36 / 0.56)],
    // (0 + 4) / (80 + 20) = 0.04.
    ['many leads of which none was converted', { closed: 80, converted: 0 }, all, 100 * (0.04 / 0.24)],
  ])('%s', (_name, group, of, match) => {
    expect(matchOf(group, of)).toBeCloseTo(match, 10)
  })
})

describe('scoreOf', () => {
  const facts = { industry: 80, numberOfEmployees: 50, title: 33.333, country: 50, leadSource: 66.667 }

  it('is half fit and half engagement, and its contributions add up to it', () => {
    const { score, fit, grade, factors } = scoreOf({ ...facts, engagement: 90 })!
    // 0.125·80 + 0.1·50 + 0.1·33.333 + 0.075·50 + 0.1·66.667 = 28.75; with 0.5·90 = 73.75.
    expect({ score, fit, grade }).toEqual({ score: 73.75, fit: 57.5, grade: 'B1' })
    expect(factors.map(({ factor, contribution }) => [factor, contribution])).toEqual([
      ['INDUSTRY', 10],
      ['SIZE', 5],
      ['SENIORITY', 3.33],
      ['COUNTRY', 3.75],
      ['SOURCE', 6.67],
      ['ENGAGEMENT', 45],
    ])
  })

  it('leaves out what is hidden, so that it cannot be computed from the score', () => {
    const shown = scoreOf({ industry: 80, title: 20 })!
    expect(shown).toMatchObject({ score: 53.33, fit: 53.33, engagement: null, grade: 'B' })
    expect(shown.factors.map(({ weight }) => weight)).toEqual([0.5556, 0.4444])
    expect(scoreOf({ engagement: 10 })).toMatchObject({ score: 10, fit: null, grade: '4' })
    expect(scoreOf({})).toBeNull()
  })
})
