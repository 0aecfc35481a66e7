import type { Product } from '../commerce/product/product.ts'
import type { Opportunity } from '../crm/opportunity/opportunity.ts'
import { baseAmountOf } from '../identity/public.ts'
import type { ExchangeRate } from '../identity/currency/exchange-rate.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { DemoAccount } from './accounts.ts'
import { basketOf, type Basket } from './baskets.ts'
import { dayMs, iso, workTime } from './calendar.ts'
import { closeDatesOf } from './close-dates.ts'
import type { DemoContact } from './contacts.ts'
import { leadSources, type Conversion } from './conversions.ts'
import { foreignCurrency, rateAt, ratesAt } from './currencies.ts'
import { amountKnownMs, amountOf, textsOf, workOf } from './deal-fields.ts'
import { planOf, valuesAfter, visitsOf, type Visit } from './deal-stages.ts'
import { commonFields, type DemoUser, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { taxRateOf } from './vocabulary/places.ts'

export interface DemoOpportunity {
  readonly given: GeneratedRecord<Opportunity>
  readonly account: DemoAccount
  readonly owner: DemoUser
  /** The people with whom the deal is discussed; the primary contact is the first. */
  readonly contacts: readonly DemoContact[]
  readonly visits: readonly Visit[]
  readonly basket: Basket
  readonly conversion: Conversion | null
}

export interface SalesInput {
  readonly input: GeneratorInput
  readonly products: readonly GeneratedRecord<Product>[]
  readonly rates: readonly GeneratedRecord<ExchangeRate>[]
  readonly accounts: readonly DemoAccount[]
  readonly contacts: readonly DemoContact[]
  readonly conversions: readonly Conversion[]
}

type Target = 'WON' | 'LOST' | 'OPEN'

const createdMsOf = ({ given }: DemoAccount): number => Date.parse(given.values.createdAt)

/** The deals of the conversions, then others: about a third each is won, lost and open. */
export function demoOpportunities(sales: SalesInput): DemoOpportunity[] {
  const { input, accounts, contacts, conversions } = sales
  const { profile, midnightMs } = input
  const random = new Random(`opportunities ${profile.code}`)
  const contactsOf = Map.groupBy(contacts, ({ account }) => account)
  const made = conversions
    .filter(({ hasOpportunity }) => hasOpportunity)
    .map((conversion) => {
      const { account, atMs } = conversion
      const type = isCustomer(account) && !conversion.isNewAccount ? 'EXPANSION' : 'NEW_BUSINESS'
      const isRecent = atMs > midnightMs - 90 * dayMs
      const target =
        isRecent && random.chance(0.6) ? 'OPEN' : isCustomer(account) && random.chance(0.55) ? 'WON' : 'LOST'
      const plan = planOf(random, input.stages, target, 0)
      const visits = visitsOf(random, plan, atMs, midnightMs)
      return opportunityOf(sales, random, contactsOf, { account, visits, type, conversion })
    })
  while (made.length < profile.opportunities) {
    const target = random.weighted({ WON: 33, LOST: 28, OPEN: 39 })
    const isRenewal = random.chance(0.2)
    const plan = planOf(random, input.stages, target, isRenewal ? 1 : Number(random.chance(0.2)))
    const daysAgo = target === 'OPEN' ? 0 : random.whole(2, 340)
    const createdMs = workTime(random, midnightMs - dayMs * (daysAgo + plan.days.reduce((sum, days) => sum + days, 0)))
    const buyers = accounts.filter((account) => mayBuy(account, target, createdMs - 4 * dayMs))
    const account = random.pick(buyers)
    const visits = visitsOf(random, plan, createdMs, midnightMs)
    const type = !isCustomer(account) ? 'NEW_BUSINESS' : isRenewal ? 'RENEWAL' : newOrMore(account, createdMs)
    made.push(opportunityOf(sales, random, contactsOf, { account, visits, type, conversion: null }))
  }
  return made
}

const isCustomer = ({ given }: DemoAccount): boolean => given.values.type === 'CUSTOMER'

/** The first deal with a customer who came recently is new business. */
const newOrMore = (account: DemoAccount, atMs: number) =>
  atMs - createdMsOf(account) < 120 * dayMs ? ('NEW_BUSINESS' as const) : ('EXPANSION' as const)

/** Whoever buys is a customer. Somebody who has left has no open deal. */
function mayBuy(account: DemoAccount, target: Target, beforeMs: number): boolean {
  const { type, accountStatus } = account.given.values
  if (createdMsOf(account) > beforeMs) return false
  if (target === 'WON') return type === 'CUSTOMER'
  return ['CUSTOMER', 'PROSPECT', 'RESELLER'].includes(type!) && (target === 'LOST' || accountStatus === 'ACTIVE')
}

interface Deal {
  readonly account: DemoAccount
  readonly visits: readonly Visit[]
  readonly type: 'NEW_BUSINESS' | 'EXPANSION' | 'RENEWAL'
  readonly conversion: Conversion | null
}

function opportunityOf(
  { input, products, rates }: SalesInput,
  random: Random,
  contactsOf: ReadonlyMap<DemoAccount, readonly DemoContact[]>,
  { account, visits, type, conversion }: Deal,
): DemoOpportunity {
  const { profile } = input
  const createdMs = visits[0]!.enteredMs
  const last = visits.at(-1)!
  const owner =
    conversion || random.chance(0.85)
      ? account.owner
      : random.pick(input.users.filter(({ role }) => role === 'MANAGER'))
  const { country } = account.company
  const isForeign = random.chance(0.3)
  const currency = isForeign ? foreignCurrency(input, country.name) : profile.currency
  const rate = rateAt(input, rates, currency, createdMs)
  const basket = basketOf({ input, random, products, currency, rate, taxRate: taxRateOf(profile.country, country) })
  const people = peopleOf(random, contactsOf.get(account)!, conversion, createdMs)
  const texts = textsOf({ input, random, type, account, person: people[0]!.person, basket, last })
  const state = valuesAfter(visits, texts.given, owner.id)
  const amount = amountOf(random, basket, visits)
  // A closed deal has the rate of its close date, an open one that of the day on which its amount was set.
  const amountMs = last.stage.kind === 'OPEN' ? amountKnownMs(visits) : last.enteredMs
  const values = {
    ...commonFields(input, random, createdMs, owner.id),
    updatedAt: iso(last.enteredMs),
    ownerId: owner.id,
    accountId: account.given.values.id,
    pipelineId: input.pipelineId,
    type,
    amount,
    currency,
    ...baseAmountOf(ratesAt(input, rates, currency, amountMs), amount, currency),
    leadSource: conversion?.leadSource ?? (random.chance(0.6) ? random.weighted(leadSources) : null),
    primaryContactId: people[0]!.given.values.id,
    contactRoles: people.map(({ given }, index) => ({
      contactId: given.values.id,
      role: given.values.buyingRole ?? null,
      isPrimary: index === 0,
    })),
    ...texts.values,
    ...closeDatesOf(random, visits, input.midnightMs),
    ...workOf(random, last),
    ...state,
  }
  return {
    given: { values, actorId: owner.id, eventId: random.id(createdMs) },
    account,
    owner,
    contacts: people,
    visits,
    basket,
    conversion,
  }
}

/** One to four contacts who were known when the deal began; the contact of the conversion is the first. */
function peopleOf(
  random: Random,
  contacts: readonly DemoContact[],
  conversion: Conversion | null,
  createdMs: number,
): DemoContact[] {
  const known = contacts.filter(({ given }) => Date.parse(given.values.createdAt) <= createdMs)
  const first = conversion ? contacts.find((one) => one.conversion === conversion)! : random.pick(known)
  return [
    first,
    ...random.some(
      known.filter((one) => one !== first),
      0,
      3,
    ),
  ]
}
