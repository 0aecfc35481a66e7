import type { Contact } from '../crm/contact/contact.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { DemoAccount } from './accounts.ts'
import { dayMs, timeBetween } from './calendar.ts'
import type { Conversion } from './conversions.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { People, type Person } from './people.ts'
import { Random } from './random.ts'

export interface DemoContact {
  readonly given: GeneratedRecord<Contact>
  readonly person: Person
  readonly account: DemoAccount
  /** The conversion that created the contact; null if none did. */
  readonly conversion: Conversion | null
}

/** The first contact of each account, who is its primary contact, is among the seniors of the positions. */
const seniorShare = 0.45

/** One primary contact for each account, those of the conversions, then further contacts, mostly of customers. */
export function demoContacts(
  input: GeneratorInput,
  accounts: readonly DemoAccount[],
  conversions: readonly Conversion[],
): DemoContact[] {
  const { profile, midnightMs } = input
  const random = new Random(`contacts ${profile.code}`)
  const people = new People(random, profile.positions)
  const conversionOf = new Map(conversions.filter(({ isNewAccount }) => isNewAccount).map((one) => [one.account, one]))
  const firstOf = new Map(
    accounts.map((account) => {
      const accountMs = Date.parse(account.given.values.createdAt)
      const conversion = conversionOf.get(account) ?? null
      const createdMs = conversion?.atMs ?? timeBetween(random, accountMs, Math.min(accountMs + 2 * dayMs, midnightMs))
      return [account, contactOf({ input, random, people, account, conversion, createdMs, superior: null })]
    }),
  )
  const contacts = [...firstOf.values()]
  const add = (account: DemoAccount, conversion: Conversion | null): void => {
    const superior = firstOf.get(account)!
    const createdMs = conversion?.atMs ?? timeBetween(random, Date.parse(superior.given.values.createdAt), midnightMs)
    contacts.push(contactOf({ input, random, people, account, conversion, createdMs, superior }))
  }
  for (const conversion of conversions) if (!conversion.isNewAccount) add(conversion.account, conversion)
  const attractive = accounts.filter(isAttractive)
  const active = attractive.filter(({ given }) => given.values.type === 'CUSTOMER')
  while (contacts.length < profile.contacts) add(random.pick(random.chance(0.6) ? active : attractive), null)
  return contacts
}

const isAttractive = ({ given }: DemoAccount): boolean =>
  given.values.type !== 'COMPETITOR' && given.values.accountStatus === 'ACTIVE'

interface ContactInput {
  readonly input: GeneratorInput
  readonly random: Random
  readonly people: People
  readonly account: DemoAccount
  readonly conversion: Conversion | null
  readonly createdMs: number
  /** The first contact of the account; null for that contact itself. */
  readonly superior: DemoContact | null
}

function contactOf({ input, random, people, account, conversion, createdMs, superior }: ContactInput): DemoContact {
  const { owner, company, given } = account
  const person = people.inventAt(company, superior ? 1 : seniorShare)
  const values = {
    ...commonFields(input, random, createdMs, owner.id),
    ownerId: owner.id,
    ...personFields(person),
    accountId: given.values.id,
    reportsToId: superior && reportsTo(random, person, superior) ? superior.given.values.id : null,
    buyingRole: random.chance(0.75) ? buyingRoleOf(random, person) : null,
    isPrimary: !superior,
    convertedFromLeadId: conversion?.leadId ?? null,
    leadSource:
      conversion?.leadSource ??
      random.weighted({ WEB: 20, EVENT: 18, REFERRAL: 20, OUTBOUND: 15, PARTNER: 8, EMAIL: 9, IMPORT: 10 }),
    lifecycleStage: lifecycleOf(random, account),
    ...mailingAddressOf(random, account),
    ...standingOf(random),
    secondaryEmails: random.chance(0.08) ? [`${person.email.split('@')[0]!}@mail.example`] : [],
    doNotCall: random.chance(0.04),
    engagementScore: random.chance(0.7) ? Math.round(random.skewed(8, 97)) : null,
    externalId: random.chance(0.5) ? random.unique(() => random.digits('P-1#####')) : null,
    tags: random.chance(0.2) ? random.some(['newsletter', 'trade-fair', 'user-group', 'reference'], 1, 2) : [],
  }
  return { given: { values, actorId: owner.id, eventId: random.id(createdMs) }, person, account, conversion }
}

export const personFields = ({ position, ...person }: Person) => ({ ...person, ...position })

const ranks = ['C_LEVEL', 'VP', 'DIRECTOR', 'MANAGER', 'INDIVIDUAL'] as const

const reportsTo = (random: Random, { position }: Person, superior: DemoContact): boolean =>
  ranks.indexOf(position.seniority) > ranks.indexOf(superior.person.position.seniority) && random.chance(0.6)

function buyingRoleOf(random: Random, { position }: Person) {
  if (['C_LEVEL', 'VP'].includes(position.seniority)) return random.weighted({ DECISION_MAKER: 75, INFLUENCER: 25 })
  if (position.department === 'IT') return random.weighted({ EVALUATOR: 60, INFLUENCER: 25, BLOCKER: 15 })
  if (position.seniority === 'INDIVIDUAL') return random.weighted({ END_USER: 70, CHAMPION: 15, INFLUENCER: 15 })
  return random.weighted({ CHAMPION: 35, DECISION_MAKER: 25, EVALUATOR: 20, INFLUENCER: 20 })
}

function lifecycleOf(random: Random, { given }: DemoAccount) {
  const { type } = given.values
  if (type === 'CUSTOMER') return random.weighted({ CUSTOMER: 92, EVANGELIST: 8 })
  if (type === 'PROSPECT') return random.weighted({ SUBSCRIBER: 10, LEAD: 30, MQL: 25, SQL: 35 })
  return 'OTHER' as const
}

const mailingAddressOf = (random: Random, { company }: DemoAccount) =>
  random.chance(0.55)
    ? {
        mailingStreet: company.street,
        mailingCity: company.city.name,
        mailingState: company.city.state,
        mailingPostalCode: company.postalCode,
        mailingCountry: company.country.name,
      }
    : {}

const sources = ['Form on the web site', 'Trade fair', 'Contract', 'Webinar registration'] as const

/** Whether the person is still there, can be reached by email and has agreed to that: fields that are consistent with each other. */
function standingOf(random: Random) {
  const standing = random.weighted({ active: 86, left: 6, unsubscribed: 8 })
  const unknown = { status: 'UNKNOWN', lawfulBasis: null, source: null, recordedAt: null } as const
  const granted = () => ({
    status: 'GRANTED' as const,
    lawfulBasis: 'GDPR Art. 6(1)(a)',
    source: random.pick(sources),
    recordedAt: null,
  })
  if (standing === 'left') return { status: 'INACTIVE' as const, emailStatus: 'BOUNCED' as const, consent: null }
  if (standing === 'unsubscribed')
    return {
      emailStatus: 'UNSUBSCRIBED' as const,
      emailOptOut: true,
      consent: { status: 'DENIED' as const, lawfulBasis: null, source: 'Link in an email', recordedAt: null },
    }
  return {
    emailStatus: random.weighted({ VALID: 75, UNKNOWN: 25 }),
    consent: random.chance(0.6) ? granted() : random.chance(0.3) ? unknown : null,
  }
}
