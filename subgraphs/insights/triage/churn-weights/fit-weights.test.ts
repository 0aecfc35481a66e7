import { describe, expect, it } from 'vitest'
import { riskWeights, weightNames } from '../churn-risk.ts'
import { fitted, monthsBefore, predicted, refit, type Example } from './fit-weights.ts'

const start = ['baseRate' as const, ...weightNames].map((name) => riskWeights[name])
const silence = 1 + weightNames.indexOf('silence')
const champion = 1 + weightNames.indexOf('championLeft')

const signals = (values: Readonly<Record<number, number>>): number[] =>
  start.map((_, index) => (index === 0 ? 1 : (values[index] ?? 0)))

/** Accounts that churn by silence, and never because a champion has left: of every ten silent ones eight, of the others one. */
function cohort(month: string, size: number, firstId = 0): Example[] {
  return Array.from({ length: size }, (_, index) => {
    const isSilent = index % 3 === 0
    const round = Math.floor(index / 3) % 10
    return {
      month,
      accountId: `${firstId + index}`,
      x: signals({ [silence]: isSilent ? 3 : 0, [champion]: Number(index % 2 === 0) }),
      churned: isSilent ? round < 8 : round === 0,
    }
  })
}

const brier = (weights: readonly number[], examples: readonly Example[]): number =>
  examples.reduce((sum, { x, churned }) => sum + (predicted(weights, x) - Number(churned)) ** 2, 0) / examples.length

const examples = [...cohort('2027-01-01', 300), ...cohort('2027-04-01', 300, 300)]

describe('fitted weights', () => {
  it('have the gradient 0 of the likelihood with its pull to the start', () => {
    const weights = fitted(examples, start)
    for (let index = 0; index < start.length; index++) {
      const gradient = examples.reduce(
        (sum, { x, churned }) => sum + (predicted(weights, x) - Number(churned)) * x[index]!,
        weights[index]! - start[index]!,
      )
      // Weights have four decimals.
      expect(Math.abs(gradient), `weight ${index}`).toBeLessThan(0.05)
    }
  })

  it('predict the shares of the accounts that have churned', () => {
    const weights = fitted(examples, start)
    expect(predicted(weights, signals({ [silence]: 3 }))).toBeCloseTo(0.8, 1)
    expect(predicted(weights, signals({}))).toBeCloseTo(0.1, 1)
    // Signals that no account has keep their weight, and one without meaning loses most of it.
    expect(weights[1 + weightNames.indexOf('openCases')]).toBe(riskWeights.openCases)
    expect(Math.abs(weights[champion]!)).toBeLessThan(0.3)
  })

  it('stay finite where a signal separates all accounts', () => {
    const separated = Array.from({ length: 200 }, (_, index) => ({
      month: '2027-01-01',
      accountId: `${index}`,
      x: signals({ [champion]: index % 2 }),
      churned: index % 2 === 1,
    }))
    const weights = fitted(separated, start)
    expect(weights.every((weight) => Math.abs(weight) <= 10)).toBe(true)
    expect(predicted(weights, signals({ [champion]: 1 }))).toBeGreaterThan(0.9)
  })
})

describe('a refit', () => {
  it('lowers the Brier score on later accounts, and is the same whenever it is repeated', () => {
    const { test, weights } = refit(examples, start)
    const tested = examples.filter(({ month }) => month === '2027-04-01')
    const before = brier(start, tested)
    const after = brier(fitted(cohort('2027-01-01', 300), start), tested)
    expect(test).toEqual({
      decision: 'BETTER',
      churned: 2 * examples.filter(({ month, churned }) => churned && month === '2027-01-01').length,
      tested: 300,
      brierStart: before,
      brierFitted: after,
    })
    expect(after).toBeLessThan(before - 0.02)
    expect(weights).toEqual(fitted(examples, start))
    expect(refit(examples, start)).toEqual({ test, weights })
  })

  it('keeps the start weights below 50 churned accounts, however often each of them was observed', () => {
    const churned = examples.filter((one) => one.churned).slice(0, 49)
    const others = examples.filter((one) => !one.churned)
    const again = churned.map((one) => ({ ...one, month: '2027-03-01' }))
    const few = { churned: 49, tested: 0, brierStart: null, brierFitted: null }
    expect(refit([...churned, ...others, ...again], start)).toEqual({
      test: { decision: 'TOO_FEW_CHURNED', ...few },
      weights: null,
    })
    expect(refit([], start).test).toEqual({ decision: 'TOO_FEW_CHURNED', ...few, churned: 0 })
  })

  it('keeps the start weights without earlier accounts whose outcome was known, or with few to test', () => {
    const decision = (all: readonly Example[]) => refit(all, start).test.decision
    expect(decision(cohort('2027-01-01', 600))).toBe('TOO_FEW_TESTED')
    expect(decision([...cohort('2027-02-01', 300), ...cohort('2027-04-01', 300, 300)])).toBe('TOO_FEW_TESTED')
    expect(decision([...cohort('2027-01-01', 501), ...cohort('2027-04-01', 99, 501)])).toBe('TOO_FEW_TESTED')
    expect(decision([...cohort('2027-01-01', 501), ...cohort('2027-04-01', 100, 501)])).toBe('BETTER')
  })

  it('keeps the start weights that predict as well', () => {
    const likeStart = (month: string, firstId: number): Example[] =>
      Array.from({ length: 400 }, (_, index) => {
        const x = signals({ [silence]: index % 4, [champion]: Math.floor(index / 4) % 2 })
        const place = Math.floor(index / 8)
        return { month, accountId: `${firstId + index}`, x, churned: (place + 0.5) / 50 < predicted(start, x) }
      })
    const { test, weights } = refit([...likeStart('2027-01-01', 0), ...likeStart('2027-04-01', 400)], start)
    expect([test.decision, weights]).toEqual(['NOT_BETTER', null])
  })

  it.each([
    ['2027-04-01', 3, '2027-01-01'],
    ['2027-02-01', 3, '2026-11-01'],
  ])('%s less %d months is %s', (month, months, before) => expect(monthsBefore(month, months)).toBe(before))
})
