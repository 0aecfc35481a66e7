import { describe, expect, it } from 'vitest'
import type { AccountFacts } from './account-facts.ts'
import { healthOf } from './account-health.ts'
import { churnBand, churnRiskOf, riskWeights } from './churn-risk.ts'
import { quintileOf, rfmOf, type PaymentQuintiles } from './payment-quintiles.ts'
import { nextScan, scheduleProblems } from './scan-schedule.ts'
import { suggestActions } from './suggest-actions.ts'

const nothing: AccountFacts = {
  id: 'a',
  engagementSum: null,
  k: 25,
  points: [0, 0, 0],
  uses: [0, 0, 0],
  silenceDays: null,
  lastActivityId: null,
  ageDays: 0,
  championsLeft: [],
  championsActive: 0,
  contacts: 0,
  contactsActive: 0,
  hasDecisionMaker: false,
  cases: 0,
  urgentCount: 0,
  urgentCases: [],
  toEscalate: [],
  otherOpenCases: 0,
  recentCases: 0,
  reopenedCases: [],
  reopenedCount: 0,
  invoices: 0,
  balance: 0,
  overdue: 0,
  longOverdue: 0,
  overdueInvoices: [],
  renewalDays: null,
  renewedDealId: null,
  openRenewals: [],
  revenue: null,
  hasPaid: false,
  payments: null,
  paidInvoices: [],
  healthBefore: null,
}
const quintiles: PaymentQuintiles = {
  recency: [10, 20, 30, 40],
  frequency: [1, 1, 1, 4],
  monetary: [100, 200, 300, 400],
}
const settings = { weights: riskWeights, lookbackDays: 90, quintiles }
const sigmoid = (z: number) => 1 / (1 + Math.exp(-z))
const facts = (values: Partial<AccountFacts>): AccountFacts => ({ ...nothing, ...values })
const scoreOf = (values: Partial<AccountFacts>, health: number | null = null) =>
  churnRiskOf(facts(values), health, settings).score
const percent = (z: number) => Math.round(10_000 * sigmoid(z)) / 100

describe('F10, the risk', () => {
  it.each<[string, Partial<AccountFacts>, number | null, number]>([
    ['of nothing known is the base rate', {}, null, -2.5],
    ['rises with silence since the account was created', { ageDays: 60 }, null, -2.5 + 0.5 * 2],
    ['counts silence up to the lookback', { ageDays: 4000 }, null, -2.5 + 0.5 * 3],
    ['rises with the last activity, not with the age', { ageDays: 4000, silenceDays: 15 }, null, -2.5 + 0.5 * 0.5],
    ['falls with more engagement', { points: [6, 3, 0] }, null, -2.5 - 1.2],
    ['rises with less engagement', { points: [0, 6, 6] }, null, -2.5 + 1.2],
    ['rises with a champion who left', { championsLeft: ['c'] }, null, -2.5 + 1],
    ['does not if another champion is there', { championsLeft: ['c'], championsActive: 1 }, null, -2.5],
    ['rises with urgent cases', { urgentCount: 2, urgentCases: ['c', 'd'] }, null, -2.5 + 1.2],
    ['counts at most three of them', { urgentCount: 7 }, null, -2.5 + 1.8],
    ['rises with reopened cases', { recentCases: 4, reopenedCount: 1 }, null, -2.5 + 0.8 / 4],
    ['rises with a long overdue balance', { invoices: 2, balance: 200, longOverdue: 50 }, null, -2.5 + 0.9 / 4],
    ['rises with less product usage', { uses: [0, 4, 4] }, null, -2.5 + 1],
    ['rises with a renewal without a deal', { renewalDays: 90 }, null, -2.5 + 0.8],
    ['does not if a deal is open', { renewalDays: 90, openRenewals: ['o'] }, null, -2.5],
    ['nor if it is later', { renewalDays: 90.1 }, null, -2.5],
    ['nor if it is past', { renewalDays: -1 }, null, -2.5],
    ['rises with a fall of the health', { healthBefore: 80 }, 64.9, -2.5 + 0.7],
    ['does not with a fall of 15', { healthBefore: 80 }, 65, -2.5],
  ])('%s', (_, values, health, z) => expect(scoreOf(values, health)).toBeCloseTo(percent(z), 1))

  it.each<[string, Partial<AccountFacts>, number]>([
    ['of the best payments', { payments: { lastDays: 10, count: 5, amount: 401 } }, -2.5 - 1],
    ['of the lowest ones', { payments: { lastDays: 41, count: 0.5, amount: 100 } }, -2.5 + 1],
    ['of payments in the middle', { payments: { lastDays: 30, count: 1, amount: 300 } }, -2.5 + 1 / 6],
    ['of payments before the last year only', { payments: null }, -2.5 + 1],
  ])('%s replaces silence where no activity is known', (_, values, z) => {
    const account = { ageDays: 60, hasPaid: true, paidInvoices: ['i'], ...values }
    expect(scoreOf(account)).toBeCloseTo(percent(z), 1)
    const { signals } = churnRiskOf(facts(account), null, settings)
    const keys = (all: readonly { key: string }[]) => all.map(({ key }) => key)
    expect(keys(signals)).toEqual(['BASE_RATE', 'CHAMPION_LEFT', 'OPEN_CASES', 'PAYMENTS'])
    expect(signals[3]!.evidence).toEqual([{ entityType: 'INVOICE', entityId: 'i' }])
    expect(signals.reduce((sum, { contribution }) => sum + contribution, 0)).toBeCloseTo(scoreOf(account), 10)
    // Without fifths, silence counts as before.
    const alone = churnRiskOf(facts(account), null, { ...settings, quintiles: null })
    expect(keys(alone.signals)).toEqual(['BASE_RATE', 'SILENCE', 'CHAMPION_LEFT', 'OPEN_CASES'])
  })

  it('says in words to which fifths the payments belong', () => {
    const account = facts({ hasPaid: true, payments: { lastDays: 35, count: 2, amount: 100 } })
    expect(rfmOf(account.payments, quintiles)).toEqual({ recency: 2, frequency: 4, monetary: 1 })
    expect(churnRiskOf(account, null, settings).signals.at(-1)).toMatchObject({
      label: 'Payments among the fifths of all accounts, 5 the best: recency 2, frequency 4, amount 1',
      value: 0.3333,
      weight: 1,
    })
  })

  it.each<[number, readonly [number, number, number, number], number]>([
    [0, [1, 2, 3, 4], 1],
    [1, [1, 2, 3, 4], 1],
    [1.5, [1, 2, 3, 4], 2],
    [4, [1, 2, 3, 4], 4],
    [5, [1, 2, 3, 4], 5],
    // All are equal, or most of them.
    [7, [7, 7, 7, 7], 3],
    [7, [7, 7, 7, 9], 2],
    [8, [7, 7, 7, 9], 4],
  ])('%d is in the fifth of %j: %d', (value, cuts, fifth) => expect(quintileOf(value, cuts)).toBe(fifth))

  it('is the sum of its contributions, each in proportion to weight and value', () => {
    const { score, signals } = churnRiskOf(
      facts({ ageDays: 60, points: [1, 6, 6], championsLeft: ['c'], urgentCount: 3, balance: 3, longOverdue: 1 }),
      null,
      settings,
    )
    expect(signals.reduce((sum, { contribution }) => sum + Math.round(contribution * 100), 0)).toBe(
      Math.round(score * 100),
    )
    const of = (key: string) => signals.find((signal) => signal.key === key)!
    expect(of('BASE_RATE').contribution).toBeCloseTo(100 * sigmoid(-2.5), 1)
    expect(of('CHAMPION_LEFT').contribution / of('OPEN_CASES').contribution).toBeCloseTo(1 / 1.8, 2)
    expect(signals.map(({ key }) => key)).not.toContain('RENEWAL')
  })

  it('is never beyond 0 and 100, whatever the weights', () => {
    const extreme = { ...riskWeights, baseRate: 10, openCases: 10, silence: -10 }
    const at = (values: Partial<AccountFacts>) =>
      churnRiskOf(facts(values), null, { ...settings, weights: extreme, lookbackDays: 365 })
    expect([at({ urgentCount: 3 }).score, at({ ageDays: 365 }).score]).toEqual([100, 0])
    const z = churnRiskOf(facts({}), null, { ...settings, weights: { ...riskWeights, baseRate: 0 } })
    expect(z.score).toBe(50)
  })

  it('has the bands of the design', () => {
    expect([100, 70, 69.99, 40, 39.99, 15, 14.99, 0].map(churnBand)).toEqual(
      ['HIGH', 'HIGH', 'MEDIUM', 'MEDIUM', 'LOW', 'LOW', 'NONE', 'NONE'], // prettier-ignore
    )
  })
})

describe('F14, the health', () => {
  it('is null without data', () => expect(healthOf(nothing)).toEqual({ score: null, parts: [] }))

  it('adds up from all parts', () => {
    const { score, parts } = healthOf(
      facts({
        engagementSum: 25 * Math.LN2,
        cases: 3,
        urgentCount: 1,
        otherOpenCases: 2,
        invoices: 2,
        balance: 400,
        overdue: 100,
        contacts: 4,
        contactsActive: 2,
        uses: [4, 4, 4],
      }),
    )
    expect(parts.map(({ key, score: one }) => [key, one])).toEqual([
      ['ENGAGEMENT', 50],
      ['SUPPORT', 55],
      ['PAYMENT', 75],
      ['RELATIONSHIP', 46.67],
      ['USAGE_OR_RENEWAL', 50],
    ])
    expect(score).toBe(55.5)
    expect(parts.reduce((sum, { contribution }) => sum + Math.round(contribution * 100), 0)).toBe(5550)
  })

  it('scales the weights of the known parts up', () => {
    const { score, parts } = healthOf(facts({ cases: 1, invoices: 1, renewalDays: 10 }))
    expect(parts.map(({ key, weight, score: one }) => [key, weight, one])).toEqual([
      ['SUPPORT', 0.3636, 100],
      ['PAYMENT', 0.3636, 100],
      ['USAGE_OR_RENEWAL', 0.2727, 0],
    ])
    expect(score).toBe(72.73)
  })

  it('is 100 for support and payment at most, and 0 at least', () => {
    expect(healthOf(facts({ cases: 9, urgentCount: 9 })).score).toBe(0)
    expect(healthOf(facts({ contacts: 5, contactsActive: 5, hasDecisionMaker: true })).score).toBe(100)
  })
})

describe('suggested actions', () => {
  const { signals } = churnRiskOf(facts({ ageDays: 90, championsLeft: ['c'], urgentCount: 1 }), null, settings)
  const suggested = suggestActions('case', { id: 'a', toEscalate: ['d'] }, signals)

  it('follow from the signals, and none is a custom action', () =>
    expect(suggested.map(({ type, reason, subject: { entityId } }) => [type, reason, entityId])).toEqual([
      ['ESCALATE_CASE', 'OPEN_CASES', 'd'],
      ['CREATE_TASK', 'SILENCE', 'a'],
      ['CREATE_TASK', 'CHAMPION_LEFT', 'a'],
    ]))

  it('have ids that the case, type, reason and subject decide', () => {
    expect(suggestActions('case', { id: 'a', toEscalate: ['d'] }, signals)).toEqual(suggested)
    const other = suggestActions('other', { id: 'a', toEscalate: ['d'] }, signals)
    expect(new Set([...suggested, ...other].map(({ id }) => id)).size).toBe(6)
    expect(suggested[0]!.id).toMatch(/^[\da-f]{8}-[\da-f]{4}-5/)
  })
})

describe('the schedule of scans', () => {
  it.each(['0 6 * * *', '30 5,17 * * MON-FRI', '0 */2 * * *', '15 3 1 * *', '0 * * * *'])('may be %s', (schedule) =>
    expect(scheduleProblems(schedule)).toEqual([]),
  )

  it.each([
    ['', 'WRONG_FORMAT'],
    ['0 6 * *', 'WRONG_FORMAT'],
    ['0 0 6 * * *', 'WRONG_FORMAT'],
    ['@daily', 'WRONG_FORMAT'],
    ['61 6 * * *', 'WRONG_FORMAT'],
    ['0 6 31 2 *', 'WRONG_FORMAT'],
    ['0  6 * * *', 'WRONG_FORMAT'],
    ['* * * * *', 'OUT_OF_RANGE'],
    ['0,30 6 * * *', 'OUT_OF_RANGE'],
  ])('may not be %j', (schedule, code) =>
    expect(scheduleProblems(schedule).map((problem) => [problem.path, problem.code])).toEqual([['scanSchedule', code]]),
  )

  it.each([
    ['Europe/Oslo', '2027-01-15T04:59:00Z', '2027-01-15T05:00:00.000Z'],
    ['Europe/Oslo', '2027-07-15T04:00:00Z', '2027-07-16T04:00:00.000Z'],
    ['Pacific/Auckland', '2027-01-15T00:00:00Z', '2027-01-15T17:00:00.000Z'],
  ])('is one of %s', (zone, now, next) => expect(nextScan('0 6 * * *', zone, new Date(now)).toISOString()).toBe(next))
})
