import { describe, expect, it } from 'vitest'
import { backTest } from './back-test.ts'
import { bayesProbability, learn, type ClosedDeal } from './naive-bayes.ts'

const pipelineId = '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01'
const stages = [
  { pipelineId, stage: 'PROPOSAL', prior: 0.5 },
  { pipelineId, stage: 'NEGOTIATION', prior: 0.8 },
]
const nobody: ReadonlyMap<string, ReadonlySet<string>> = new Map()

const aDeal = (isWon: boolean, values: Partial<ClosedDeal> = {}): ClosedDeal => ({
  pipelineId,
  stages: ['PROPOSAL'],
  ownerId: null,
  type: null,
  leadSource: null,
  amount: null,
  isWon,
  ...values,
})
const many = (count: number, valuesOf: (index: number) => Partial<ClosedDeal> = () => ({})): ClosedDeal[] =>
  Array.from({ length: count }, (_, index) => aDeal(index % 2 === 0, valuesOf(index)))

describe('naive Bayes', () => {
  const facts = { pipelineId, stage: 'NEGOTIATION', ownerId: null, leadSource: null, amount: null }
  const renewals = [
    ...Array.from({ length: 100 }, (_, index) => aDeal(true, { type: index < 80 ? 'RENEWAL' : 'OTHER' })),
    ...Array.from({ length: 100 }, (_, index) => aDeal(false, { type: index < 20 ? 'RENEWAL' : null })),
  ]

  it('compares how often won and lost deals had the facts', () => {
    // As many were won as lost: 80.1 to 20.1.
    expect(bayesProbability(learn(renewals), { ...facts, type: 'RENEWAL' })).toBeCloseTo(80.1 / 100.2, 12)
  })

  it('ignores facts that are not known, and those of fewer than 50 deals', () => {
    // 20 deals are of the type OTHER; no deal was in NEGOTIATION.
    for (const type of [null, 'OTHER'])
      expect(bayesProbability(learn(renewals), { ...facts, type })).toBeCloseTo(0.5, 12)
    expect(Object.keys(learn(renewals).facts)).toEqual([`stage:${pipelineId}/PROPOSAL`, 'type:RENEWAL'])
  })

  it('is never certain', () => {
    const owners = Array.from({ length: 400 }, (_, index) =>
      aDeal(index < 200, {
        ownerId: index < 200 ? 'a' : 'b',
        amount: index < 200 ? 1e6 : 10,
        leadSource: index < 200 ? 'WEB' : 'EVENT',
      }),
    )
    const certain = { ...facts, type: null, ownerId: 'a', amount: 1e6, leadSource: 'WEB' }
    expect(bayesProbability(learn(owners), certain)).toBe(0.9999)
    expect(bayesProbability(learn(owners), { ...certain, ownerId: 'b', amount: 10, leadSource: 'EVENT' })).toBe(0.0001)
  })
})

describe('the back-test', () => {
  it('tests nothing below 100 closed deals', () => {
    const { test, tables } = backTest(many(99), stages, nobody)
    expect(test).toEqual({
      model: 'STAGE_HISTORY',
      reason: 'TOO_FEW_CASES',
      closedDeals: 99,
      wonDeals: 50,
      trainingDeals: 0,
      testedDeals: 0,
      models: [],
      difference: null,
      standardError: null,
    })
    expect(tables).toBeNull()
  })

  it('has the Brier score and the bins of what the earlier deals predict for the later ones', () => {
    // The first 20 deals are won in 10 cases: (10 + 20·0.5) / 40 for PROPOSAL, and (10 + 20·0.8) / 40 for NEGOTIATION.
    const { test } = backTest(
      many(120, () => ({ stages: ['PROPOSAL', 'NEGOTIATION'] })),
      stages,
      nobody,
    )
    expect(test).toMatchObject({
      reason: 'TOO_FEW_FOR_NAIVE_BAYES',
      trainingDeals: 20,
      testedDeals: 100,
      difference: null,
    })
    const [{ model, brierScore, bins }] = test.models as [(typeof test.models)[number]]
    expect(model).toBe('STAGE_HISTORY')
    expect(brierScore).toBeCloseTo((0.25 + (0.35 ** 2 + 0.65 ** 2) / 2) / 2, 12)
    expect(bins.map(({ predictions }) => predictions)).toEqual([0, 0, 0, 0, 0, 100, 100, 0, 0, 0])
    expect(bins[5]).toEqual({ from: 0.5, to: 0.6, predictions: 100, meanPredicted: 0.5, shareWon: 0.5 })
    expect(bins[6]!.meanPredicted).toBeCloseTo(0.65, 12)
    expect(bins[0]).toMatchObject({ meanPredicted: null, shareWon: null })
  })

  it('does not learn from the later deals', () => {
    const later = Array.from({ length: 100 }, () => aDeal(true))
    const { test } = backTest([...many(20), ...later], stages, nobody)
    // All later deals are won; the rate stays that of the earlier ones, 0.5.
    expect(test.models[0]!.brierScore).toBeCloseTo(0.25, 12)
  })

  it('chooses naive Bayes where it is better by more than a standard error, with tables of all deals', () => {
    const deals = many(420, (index) => ({ type: index % 2 === 0 || index % 20 === 1 ? 'RENEWAL' : 'OTHER' }))
    const { test, tables } = backTest(deals, stages, nobody)
    expect(test).toMatchObject({
      model: 'NAIVE_BAYES',
      reason: 'NAIVE_BAYES_BETTER',
      trainingDeals: 280,
      testedDeals: 140,
    })
    const [rate, bayes] = test.models as [(typeof test.models)[number], (typeof test.models)[number]]
    expect(test.difference).toBeCloseTo(bayes.brierScore - rate.brierScore, 12)
    expect(-test.difference!).toBeGreaterThan(test.standardError!)
    expect(tables).toEqual(learn(deals))
    expect(tables!.total).toEqual([210, 210])
  })

  it('keeps the win rate where naive Bayes is no better, and where one outcome is rare', () => {
    const { test, tables } = backTest(many(420), stages, nobody)
    expect([test.model, test.reason, test.models.length, tables]).toEqual([
      'STAGE_HISTORY',
      'NAIVE_BAYES_NOT_BETTER',
      2,
      null,
    ])
    const rare = Array.from({ length: 420 }, (_, index) =>
      aDeal(index < 49, { type: index < 49 ? 'RENEWAL' : 'OTHER' }),
    )
    expect(backTest(rare, stages, nobody).test.reason).toBe('TOO_FEW_FOR_NAIVE_BAYES')
  })
})
