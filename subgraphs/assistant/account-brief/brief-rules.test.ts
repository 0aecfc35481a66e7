import { describe, expect, it } from 'vitest'
import { briefByRules } from './brief-rules.ts'
import type { Facts } from './facts.ts'
import { unknownNumber } from './unknown-number.ts'

const nothing: Facts = {
  today: '2026-11-28',
  account: { name: 'Halvorsen Marine', type: null, industry: null, owner: null },
  health: null,
  openDeals: null,
  invoices: null,
  openCases: null,
  lastActivities: null,
}

const much: Facts = {
  today: '2026-11-28',
  account: { name: 'Halvorsen Marine', type: 'CUSTOMER', industry: 'Shipping', owner: 'Ann Lee' },
  health: 71.4,
  openDeals: {
    total: 2,
    first: [
      { name: 'Renewal', stage: 'PROPOSAL', amount: 100, currency: 'EUR', probability: 80, closeDate: '2026-11-27' },
      { name: 'Dock', stage: 'LEAD', amount: 5.5, currency: 'EUR', probability: 10, closeDate: '2026-12-31' },
    ],
  },
  invoices: {
    currency: 'EUR',
    outstanding: JSON.rawJSON('1000000000000000.01'),
    overdueCount: 1,
    overdue: [{ number: 'INV-000007', amountDue: 119, currency: 'EUR', dueDate: '2026-11-01' }],
  },
  openCases: {
    total: 2,
    escalated: 1,
    newest: [{ number: 9, subject: 'Labels', status: 'ESCALATED', priority: 'HIGH' }],
  },
  lastActivities: [{ type: 'EMAIL', subject: 'Berths', date: '2026-11-20' }],
}

describe('the brief by rules', () => {
  it('says what the facts say', () => {
    expect(briefByRules(much)).toEqual({
      summary:
        'Halvorsen Marine is a customer in Shipping and belongs to Ann Lee. 2 deals are open. The first one closes on 2026-11-27: Renewal. 1 invoice is overdue. 2 cases are open. The last activity was an email on 2026-11-20: Berths.',
      highlights: ['The health is good: 71.4.', 'The deal Renewal is likely to be won: 80 percent.'],
      risks: [
        '1 case is escalated.',
        'The invoice INV-000007 is overdue since 2026-11-01: 119 EUR.',
        'The deal Renewal should have closed on 2026-11-27.',
      ],
    })
  })

  it('says nothing about what is not known', () => {
    expect(briefByRules(nothing)).toEqual({ summary: 'Halvorsen Marine.', highlights: [], risks: [] })
    const { name } = nothing.account
    const introduced = (account: object) =>
      briefByRules({ ...nothing, account: { ...nothing.account, ...account } }).summary
    expect([introduced({ industry: 'Shipping' }), introduced({ owner: 'Ann' }), introduced({ type: 'OTHER' })]).toEqual(
      [`${name} is a company in Shipping.`, `${name} belongs to Ann.`, `${name}.`],
    )
  })

  it('says what is well where nothing is wrong', () => {
    const calm: Facts = {
      ...nothing,
      health: 39.9,
      openDeals: { total: 0, first: [] },
      invoices: { currency: 'EUR', outstanding: 12, overdueCount: 0, overdue: [] },
      openCases: { total: 0, escalated: 0, newest: [] },
      lastActivities: [],
    }
    expect(briefByRules(calm)).toEqual({
      summary: 'Halvorsen Marine. 0 deals are open. 0 invoices are overdue. 0 cases are open.',
      highlights: ['Nothing of the open 12 EUR is overdue.', 'No case is open.'],
      risks: ['The health is low: 39.9.'],
    })
  })

  it('has the numbers of the facts only', () => {
    const { summary, highlights, risks } = briefByRules(much)
    expect(unknownNumber([summary, ...highlights, ...risks], much)).toBe(null)
  })

  it('has bounded texts', () => {
    const long = 'x'.repeat(3_000)
    const deals = Array.from({ length: 9 }, () => ({ ...much.openDeals!.first[0]!, name: long }))
    const { summary, highlights, risks } = briefByRules({
      ...much,
      account: { ...much.account, name: long },
      openDeals: { total: 9, first: deals },
    })
    expect([summary.length, highlights.length, highlights[1]!.length, risks.length, risks[5]!.length]).toEqual([
      1_500, 6, 300, 6, 300,
    ])
  })
})
