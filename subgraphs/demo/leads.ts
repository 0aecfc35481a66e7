import type { LeadStatus } from '../crm/lead/lead.enumerations.ts'
import type { Lead } from '../crm/lead/lead.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso, minuteMs, timeBetween } from './calendar.ts'
import { Companies, type Company } from './companies.ts'
import type { DemoContact } from './contacts.ts'
import { leadSources, type Conversion } from './conversions.ts'
import type { DemoOpportunity } from './opportunities.ts'
import { commonFields, recordOwners, type DemoUser, type GeneratorInput } from './organization.ts'
import { People, type Person } from './people.ts'
import { Random } from './random.ts'
import { withSlotsFilled } from './vocabulary/text.ts'
import { requests, unqualifiedReasons } from './vocabulary/leads.ts'

export interface DemoLead {
  readonly given: GeneratedRecord<Lead>
  readonly person: Person
  readonly company: Company
  readonly owner: DemoUser
  /** The contact that the conversion created; null if the lead is not converted. */
  readonly contact: DemoContact | null
}

type OpenStatus = Exclude<LeadStatus, 'CONVERTED'>

const statuses: Readonly<Record<OpenStatus, number>> = {
  NEW: 16,
  CONTACTED: 22,
  QUALIFIED: 14,
  NURTURING: 22,
  UNQUALIFIED: 26,
}

/** The greatest age of a lead with this status, in days. */
const ageMax: Readonly<Record<OpenStatus, number>> = {
  NEW: 6,
  CONTACTED: 30,
  QUALIFIED: 45,
  NURTURING: 330,
  UNQUALIFIED: 360,
}

/** Leads that were converted to contacts of the demo, then others in every status. */
export function demoLeads(
  input: GeneratorInput,
  conversions: readonly Conversion[],
  contacts: readonly DemoContact[],
  opportunities: readonly DemoOpportunity[],
): DemoLead[] {
  const { profile } = input
  const random = new Random(`leads ${profile.code}`)
  const companies = new Companies(`companies of leads ${profile.code}`, profile.country)
  const people = new People(random, profile.positions)
  const contactOf = new Map(contacts.map((contact) => [contact.conversion, contact]))
  const opportunityOf = new Map(opportunities.map((opportunity) => [opportunity.conversion, opportunity]))
  const leads = conversions.map((conversion) =>
    convertedLead(input, random, conversion, contactOf.get(conversion)!, opportunityOf.get(conversion) ?? null),
  )
  while (leads.length < profile.leads) leads.push(openLead(input, random, companies, people))
  return leads
}

function convertedLead(
  input: GeneratorInput,
  random: Random,
  { leadId, leadMs, atMs, leadSource, account }: Conversion,
  contact: DemoContact,
  opportunity: DemoOpportunity | null,
): DemoLead {
  const { person } = contact
  const { owner, company } = account
  const { doNotCall = false, emailOptOut = false } = contact.given.values
  const { numberOfEmployees = null, annualRevenue = null } = account.given.values
  const convertedAt = iso(atMs)
  const before = {
    ...commonFields(input, random, leadMs, owner.id),
    id: leadId,
    ownerId: owner.id,
    ...detailsOf(person, company, leadSource),
    description: opportunity?.given.values.description ?? null,
    status: 'QUALIFIED' as const,
    leadScore: random.whole(52, 97),
    firstResponseAt: iso(timeBetween(random, leadMs, atMs)),
    numberOfEmployees,
    annualRevenue,
    doNotCall,
    emailOptOut,
  }
  const values = {
    ...before,
    updatedAt: convertedAt,
    status: 'CONVERTED' as const,
    convertedAt,
    convertedById: owner.id,
    convertedAccountId: account.given.values.id,
    convertedContactId: contact.given.values.id,
    convertedOpportunityId: opportunity?.given.values.id ?? null,
  }
  const given = { values, actorId: owner.id, eventId: random.id(leadMs) }
  return { given, person, company, owner, contact }
}

/** Sources in which the visitor creates the lead, without a user. */
const withoutUser: ReadonlySet<string> = new Set(['WEB', 'WEBINAR', 'ADVERTISEMENT'])

function openLead(input: GeneratorInput, random: Random, companies: Companies, people: People): DemoLead {
  const { profile, midnightMs } = input
  const company = companies.invent()
  const person = people.inventAt(company)
  const status = random.weighted(statuses)
  const lastMs = midnightMs - 2 * hourMs
  const createdMs = timeBetween(random, midnightMs - ageMax[status] * dayMs, lastMs)
  const sellers = recordOwners(input).filter(({ team }) => team !== null && team !== profile.supportTeam)
  const owner = random.pick(sellers)
  const leadSource = random.weighted(leadSources)
  const actorId = withoutUser.has(leadSource) ? null : owner.id
  const respondedMs = Math.min(createdMs + Math.round(random.skewed(20, 2_900)) * minuteMs, lastMs + hourMs)
  const isContacted = status !== 'NEW' && (status !== 'UNQUALIFIED' || random.chance(0.7))
  const isUnqualified = status === 'UNQUALIFIED'
  const updatedMs = status === 'NEW' ? createdMs : timeBetween(random, respondedMs, midnightMs - minuteMs)
  const values = {
    ...commonFields(input, random, createdMs, actorId),
    updatedAt: iso(updatedMs),
    updatedById: status === 'NEW' ? actorId : owner.id,
    ownerId: owner.id,
    ...detailsOf(person, company, leadSource),
    description: random.chance(0.7) ? requestOf(random, input, company) : null,
    status,
    leadScore: random.chance(0.85) ? scoreOf(random, status) : null,
    ...(random.chance(0.06) && { rating: random.pick(['HOT', 'WARM', 'COLD'] as const) }),
    numberOfEmployees: random.chance(0.6) ? Math.round(random.skewed(8, 4_000)) : null,
    unqualifiedReason: isUnqualified ? random.pick(unqualifiedReasons) : null,
    firstResponseAt: isContacted ? iso(respondedMs) : null,
    emailOptOut: isUnqualified && random.chance(0.2),
    doNotCall: isUnqualified && random.chance(0.1),
    tags: random.chance(0.2) ? random.some(['trade-fair', 'newsletter', 'inbound'], 1, 1) : [],
  }
  return { given: { values, actorId, eventId: random.id(createdMs) }, person, company, owner, contact: null }
}

const scoreOf = (random: Random, status: OpenStatus): number =>
  status === 'QUALIFIED' ? random.whole(55, 98) : status === 'UNQUALIFIED' ? random.whole(0, 45) : random.whole(12, 88)

const requestOf = (random: Random, { profile }: GeneratorInput, company: Company): string =>
  withSlotsFilled(random.pick(requests), {
    product: random.pick(profile.catalog.filter(({ category }) => category === profile.mainCategory)).name,
    city: company.city.name,
    pain: random.pick(company.industry.painPoints),
  })

const detailsOf = (person: Person, company: Company, leadSource: Conversion['leadSource']) => ({
  firstName: person.firstName,
  lastName: person.lastName,
  email: person.email,
  phone: person.phone,
  mobilePhone: person.mobilePhone,
  title: person.position.title,
  company: company.name,
  leadSource,
  website: `https://${company.domain}`,
  industry: company.industry.name,
  street: company.street,
  city: company.city.name,
  state: company.city.state,
  postalCode: company.postalCode,
  country: company.country.name,
})
