import type { Link } from '../crm/related-record/related-types.ts'
import type { Case } from '../support/case/case.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { DemoAccount } from './accounts.ts'
import { dayMs } from './calendar.ts'
import type { Company } from './companies.ts'
import type { DemoContact } from './contacts.ts'
import type { DemoLead } from './leads.ts'
import type { DemoOpportunity } from './opportunities.ts'
import type { DemoUser, GeneratorInput } from './organization.ts'
import { formalName, type Person } from './people.ts'
import type { Random } from './random.ts'
import { withSlotsFilled } from './vocabulary/text.ts'

/** Somebody of the other side. */
export interface Partner {
  readonly type: 'CONTACT' | 'LEAD'
  readonly id: string
  readonly person: Person
}

/** A record about which people talk and work, with its time. */
export interface Subject {
  readonly related: { readonly relatedToType: string; readonly relatedToId: string } & Partial<
    Record<Link, string | null>
  >
  readonly owner: DemoUser
  readonly partners: readonly Partner[]
  readonly company: Company
  readonly product: string | null
  readonly fromMs: number
  readonly toMs: number
  /** The key of the texts that fit at this time. */
  readonly phaseAt: (atMs: number) => string
}

const partnerOf = ({ given, person }: DemoContact): Partner => ({ type: 'CONTACT', id: given.values.id, person })

export function subjectOfOpportunity(opportunity: DemoOpportunity, midnightMs: number): Subject {
  const { given, account, owner, contacts, visits, basket } = opportunity
  const last = visits.at(-1)!
  return {
    related: {
      relatedToType: 'OPPORTUNITY',
      relatedToId: given.values.id,
      accountId: account.given.values.id,
      opportunityId: given.values.id,
    },
    owner,
    partners: contacts.map(partnerOf),
    company: account.company,
    product: basket.lines[0]!.product.name,
    fromMs: visits[0]!.enteredMs,
    toMs: last.stage.kind === 'OPEN' ? midnightMs : Math.min(last.enteredMs + 5 * dayMs, midnightMs),
    phaseAt: (atMs) => (visits.findLast(({ enteredMs }) => enteredMs <= atMs) ?? visits[0]!).stage.name,
  }
}

/** The conversion of a lead moves the work on it to the contact. */
export function subjectOfLead({ given, person, company, owner, contact }: DemoLead, midnightMs: number): Subject {
  const { id, convertedAt, convertedOpportunityId, createdAt } = given.values
  return {
    related: contact
      ? {
          relatedToType: 'CONTACT',
          relatedToId: contact.given.values.id,
          accountId: contact.account.given.values.id,
          contactId: contact.given.values.id,
          opportunityId: convertedOpportunityId ?? null,
        }
      : { relatedToType: 'LEAD', relatedToId: id, leadId: id },
    owner,
    partners: [{ type: 'LEAD', id, person }],
    company,
    product: null,
    fromMs: Date.parse(createdAt),
    toMs: convertedAt ? Date.parse(convertedAt) : midnightMs,
    phaseAt: () => 'LEAD',
  }
}

export function subjectOfContact(contact: DemoContact, midnightMs: number): Subject {
  const { given, account } = contact
  return {
    related: {
      relatedToType: 'CONTACT',
      relatedToId: given.values.id,
      accountId: account.given.values.id,
      contactId: given.values.id,
    },
    owner: account.owner,
    partners: [partnerOf(contact)],
    company: account.company,
    product: null,
    fromMs: Math.max(Date.parse(given.values.createdAt), midnightMs - 365 * dayMs),
    toMs: midnightMs,
    phaseAt: () => 'CUSTOMER',
  }
}

export function subjectOfAccount(account: DemoAccount, contacts: readonly DemoContact[], midnightMs: number): Subject {
  const [first] = contacts
  const { id } = account.given.values
  return {
    ...subjectOfContact(first!, midnightMs),
    related: { relatedToType: 'ACCOUNT', relatedToId: id, accountId: id },
    partners: contacts.map(partnerOf),
  }
}

export function subjectOfCase(
  { values }: GeneratedRecord<Case>,
  contact: DemoContact,
  agent: DemoUser,
  midnightMs: number,
): Subject {
  const { id, createdAt, resolvedAt, accountId, contactId, opportunityId } = values
  return {
    related: {
      relatedToType: 'CASE',
      relatedToId: id,
      caseId: id,
      accountId: accountId ?? null,
      contactId: contactId ?? null,
      opportunityId: opportunityId ?? null,
    },
    owner: agent,
    partners: [partnerOf(contact)],
    company: contact.account.company,
    product: null,
    fromMs: Date.parse(createdAt),
    toMs: resolvedAt ? Date.parse(resolvedAt) : midnightMs,
    phaseAt: () => 'CASE',
  }
}

/** Fills the slots of a text about the subject. */
export function fillFor(
  { profile }: GeneratorInput,
  random: Random,
  { company, product }: Subject,
  partner: Partner,
): (text: string) => string {
  const slots = {
    person: formalName(partner.person),
    product: product ?? random.pick(profile.catalog.filter(({ category }) => category === profile.mainCategory)).name,
    company: company.brand,
    city: company.city.name,
    industry: company.industry.name,
    pain: random.pick(company.industry.painPoints),
    competitor: random.pick(profile.competitors),
    percent: String(random.whole(5, 25)),
    count: String(random.whole(8, 60)),
    weeks: String(random.whole(4, 12)),
  }
  return (text) => withSlotsFilled(text, slots)
}
