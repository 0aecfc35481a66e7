import { describe, expect, it } from 'vitest'
import { bandOf, factorKeys, factors, healthOf, weightedFactors, type FactorValues } from './factors.ts'
import { findingsOf } from './advice.ts'
import { rangesOf, similarityOf, type Traits } from './similar-deals.ts'
import { slipRisk } from './slip-risk.ts'

const values: FactorValues = {
  RECENCY: 0.5,
  MOMENTUM: 1 / 3,
  STAGE_PACE: 1,
  MULTI_THREADING: 0.7 / 3,
  CLOSE_DATE: 0.75,
  NEXT_STEP: 0.5,
  QUALIFICATION: 1,
  REPLY_RATIO: 0,
}

describe('healthOf', () => {
  it('adds up F5, and its contributions are exactly the score', () => {
    const {
      score,
      band,
      factors: shown,
    } = healthOf(
      weightedFactors(() => true),
      values,
    )
    // 10 + 3.333 + 20 + 3.5 + 11.25 + 5 + 5 + 0.
    expect({ score, band }).toEqual({ score: 58.08, band: 'WATCH' })
    expect(shown.map(({ contribution }) => contribution)).toEqual([10, 3.33, 20, 3.5, 11.25, 5, 5, 0])
    expect(shown.map(({ gainIfFixed }) => gainIfFixed)).toEqual([10, 6.67, 0, 11.5, 3.75, 5, 0, 5])
    expect(shown.map(({ weight }) => weight)).toEqual([0.2, 0.1, 0.2, 0.15, 0.15, 0.1, 0.05, 0.05])
  })

  it('scales the weights of what is shown, so that nothing hidden can be subtracted', () => {
    const weighted = weightedFactors((key) => key === 'STAGE_PACE' || key === 'NEXT_STEP')
    const { score, factors: shown } = healthOf(weighted, values)
    // (0.2·1 + 0.1·0.5) / 0.3.
    expect(score).toBe(83.33)
    expect(shown.map(({ key, weight, contribution }) => [key, weight, contribution])).toEqual([
      ['STAGE_PACE', 0.6667, 66.67],
      ['NEXT_STEP', 0.3333, 16.66],
    ])
    expect(healthOf(weighted, { ...values, RECENCY: 1, REPLY_RATIO: 1 })).toEqual({
      score,
      band: 'HEALTHY',
      factors: shown,
    })
  })

  it('has weights that add up to 1, and bands at 75, 55 and 35', () => {
    expect(factorKeys.reduce((sum, key) => sum + factors[key].weight, 0)).toBeCloseTo(1, 12)
    expect([75, 74.99, 55, 54.99, 35, 34.99, 0].map(bandOf)).toEqual([
      'HEALTHY',
      'WATCH',
      'WATCH',
      'AT_RISK',
      'AT_RISK',
      'CRITICAL',
      'CRITICAL',
    ])
  })
})

describe('findingsOf', () => {
  it('names what costs most, what helps most, and at most three actions', () => {
    const { risks, strengths, nextBestActions } = findingsOf(
      healthOf(
        weightedFactors(() => true),
        values,
      ),
    )
    const keys = (list: typeof risks) => list.map(({ factor, points }) => [factor, points])
    expect(keys(risks)).toEqual([
      ['MULTI_THREADING', 11.5],
      ['MOMENTUM', 6.67],
      ['REPLY_RATIO', 5],
    ])
    expect(keys(strengths)).toEqual([
      ['STAGE_PACE', 20],
      ['CLOSE_DATE', 11.25],
      ['QUALIFICATION', 5],
    ])
    expect(keys(nextBestActions)).toEqual([
      ['MULTI_THREADING', 11.5],
      ['RECENCY', 10],
      ['MOMENTUM', 6.67],
    ])
  })
})

describe('similarityOf', () => {
  const one: Traits = {
    accountId: 'a',
    pipelineId: 'p',
    type: 'RENEWAL',
    leadSource: null,
    ownerId: 'o',
    amount: 100,
    contacts: 2,
  }
  it('is the average over the traits that both have, numbers by their range', () => {
    const other = { ...one, accountId: 'b', leadSource: 'WEB', amount: 300, contacts: 3 }
    const ranges = rangesOf([one, other, { ...one, amount: 500, contacts: 6 }])
    expect(ranges).toEqual({ amount: 400, contacts: 4 })
    // 0 + 1 + 1 + 1 + 0.5 + 0.75, of six.
    expect(similarityOf(one, other, ranges)).toBeCloseTo(4.25 / 6, 12)
    expect(similarityOf(one, one, ranges)).toBe(1)
  })

  it('of deals that have nothing to compare is 0, and equal numbers are no division by zero', () => {
    const none: Traits = {
      accountId: null,
      pipelineId: null,
      type: null,
      leadSource: null,
      ownerId: null,
      amount: null,
      contacts: null,
    }
    expect(similarityOf(none, one, rangesOf([none, one]))).toBe(0)
    expect(similarityOf(one, { ...one, accountId: 'b' }, rangesOf([one]))).toBeCloseTo(5 / 6, 12)
  })
})

describe('slipRisk', () => {
  it.each([
    ['a close date that has passed', -1, { won: 10, remaining: [1] }, 1],
    ['no won deals', 5, null, 0.5],
    // Half of ten took longer: (5 + 10) / 30.
    ['half of ten deals', 20, { won: 10, remaining: [10, 40] }, 0.5],
    // None of 20 took longer: (0 + 10) / 40.
    ['none of twenty', 60, { won: 20, remaining: [10, 40] }, 0.25],
    ['all of twenty', 3, { won: 20, remaining: [10, 40] }, 0.75],
  ])('with %s', (_name, left, past, risk) => {
    expect(slipRisk(left, past)).toBeCloseTo(risk, 12)
  })
})
