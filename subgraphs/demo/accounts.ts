import type { Account } from '../crm/account/account.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso, minuteMs } from './calendar.ts'
import { Companies, nameInSentence, type Company } from './companies.ts'
import { Random } from './random.ts'
import { membersOf, commonFields, recordOwners, type DemoUser, type GeneratorInput } from './organization.ts'
import { renewalMonths } from './vocabulary/custom-fields.ts'
import { technologies } from './vocabulary/industries.ts'
import { withSlotsFilled } from './vocabulary/text.ts'

/** The share of accounts that have a parent account. */
const childrenShare = 0.2
const groupsShare = 0.08

export interface DemoAccount {
  readonly given: GeneratedRecord<Account>
  readonly company: Company
  readonly owner: DemoUser
}

export function demoAccounts(input: GeneratorInput): DemoAccount[] {
  const { profile } = input
  const random = new Random(`accounts ${profile.code}`)
  const companies = new Companies(`companies ${profile.code}`, profile.country)
  const children = Math.round(profile.accounts * childrenShare)
  const accounts: DemoAccount[] = []
  for (let index = 0; index < profile.accounts - children; index++) {
    accounts.push(accountOf(input, random, companies, companies.invent(), null))
  }
  const groups = accounts.slice(0, Math.max(2, Math.round(profile.accounts * groupsShare)))
  for (let index = 0; index < children; index++) {
    // Some subsidiaries have subsidiaries.
    const subsidiaries = accounts.slice(profile.accounts - children)
    const parent = random.pick(subsidiaries.length > 0 && random.chance(0.2) ? subsidiaries : groups)
    accounts.push(accountOf(input, random, companies, companies.subsidiaryOf(parent.company), parent))
  }
  return accounts
}

function accountOf(
  input: GeneratorInput,
  random: Random,
  companies: Companies,
  company: Company,
  parent: DemoAccount | null,
): DemoAccount {
  const { midnightMs, foundedMs } = input
  const owner = ownerFor(input, random, company)
  const earliestMs = parent ? Date.parse(parent.given.values.createdAt) : foundedMs
  const createdMs =
    earliestMs + dayMs + Math.floor(((midnightMs - earliestMs - 5 * dayMs) / minuteMs) * random.next()) * minuteMs
  const editedMs = Math.floor(createdMs + (midnightMs - hourMs - createdMs) * random.next() ** 0.3)
  const values = {
    ...commonFields(input, random, createdMs, owner.id),
    updatedAt: iso(editedMs),
    ownerId: owner.id,
    ...addressOf(random, company),
    ...salesFieldsOf(random, input, editedMs),
    name: company.name,
    industry: company.industry.name,
    website: `https://${company.domain}`,
    domain: company.domain,
    phone: company.phone,
    fax: random.chance(0.15) ? companies.digits(company.country.phone) : null,
    description: withSlotsFilled(company.industry.description, {
      city: company.city.name,
      country: nameInSentence(company.country),
      region: company.country.region,
    }),
    parentAccountId: parent?.given.values.id ?? null,
    externalId: random.unique(() => `C-${10_000 + random.whole(0, 89_999)}`),
    legacyCrmId: random.chance(0.3) ? companies.digits('0017########') : null,
    painPoints: random.some(company.industry.painPoints, 0, 3),
    techStack: random.some(technologies, 1, 5),
    region: company.country.region,
    metadata: random.chance(0.25) ? { source: 'import', batch: `${random.whole(1, 9)}` } : null,
  }
  return { given: { values, actorId: owner.id, eventId: random.id(createdMs) }, company, owner }
}

/** Mostly a member of the team of the region; for some accounts a member of the support team or a user without a team. */
function ownerFor(input: GeneratorInput, random: Random, { country }: Company): DemoUser {
  const { teamOfRegion, supportTeam } = input.profile
  const kind = random.weighted({ region: 80, support: 10, alone: 10 })
  if (kind === 'support') return random.pick(membersOf(input, supportTeam))
  if (kind === 'alone') return random.pick(recordOwners(input).filter(({ team }) => team === null))
  const team = teamOfRegion[country.region]
  const sellers = recordOwners(input).filter((user) => user.team !== null && user.team !== supportTeam)
  return random.pick(team ? membersOf(input, team) : sellers)
}

function addressOf(random: Random, { street, city, postalCode, country }: Company) {
  const ships = random.chance(0.7)
  return {
    billingStreet: street,
    billingCity: city.name,
    billingState: city.state,
    billingPostalCode: postalCode,
    billingCountry: country.name,
    shippingStreet: ships ? street : null,
    shippingCity: ships ? city.name : null,
    shippingState: ships ? city.state : null,
    shippingPostalCode: ships ? postalCode : null,
    shippingCountry: ships ? country.name : null,
  }
}

/** The sales fields of an account, which are consistent with each other. */
function salesFieldsOf(random: Random, { profile, midnightMs }: GeneratorInput, editedMs: number) {
  const type = random.weighted({ CUSTOMER: 58, PROSPECT: 24, PARTNER: 7, RESELLER: 5, COMPETITOR: 3, OTHER: 3 })
  const isCustomer = type === 'CUSTOMER'
  const accountStatus = isCustomer
    ? random.weighted({ ACTIVE: 85, CHURNED: 8, INACTIVE: 7 })
    : type === 'PROSPECT'
      ? random.weighted({ ACTIVE: 60, PENDING: 40 })
      : ('ACTIVE' as const)
  const isLost = accountStatus === 'CHURNED'
  const numberOfEmployees = Math.round(random.skewed(8, 12_000))
  const annualRevenue = Math.round((numberOfEmployees * random.whole(90, 320)) / 10) * 10_000
  const healthScore = isCustomer ? (isLost ? random.whole(5, 30) : Math.round(100 - random.skewed(4, 70))) : null
  const lifetimeValue = isCustomer ? Math.round(random.skewed(6_000, 900_000)) : null
  return {
    type,
    accountStatus,
    numberOfEmployees,
    annualRevenue,
    healthScore,
    lifetimeValue,
    churnRisk:
      healthScore === null
        ? null
        : healthScore < 40
          ? ('HIGH' as const)
          : healthScore < 60
            ? ('MEDIUM' as const)
            : healthScore < 85
              ? ('LOW' as const)
              : ('NONE' as const),
    rating: type === 'PROSPECT' ? random.weighted({ HOT: 20, WARM: 45, COLD: 35 }) : null,
    tier:
      lifetimeValue === null ? null : lifetimeValue > 250_000 ? 'Gold' : lifetimeValue > 50_000 ? 'Silver' : 'Bronze',
    isStrategic: (lifetimeValue ?? 0) > 500_000,
    competitors: type === 'PROSPECT' || random.chance(0.15) ? random.some(profile.competitors, 0, 2) : [],
    tags: tagsOf(random, type, midnightMs - editedMs),
    customFields: isCustomer
      ? {
          contractNumber: `FR-${random.whole(1000, 9999)}`,
          renewalMonth: random.pick(renewalMonths),
          netPromoterScore: random.whole(2, 10),
        }
      : {},
  }
}

function tagsOf(random: Random, type: string, untouchedMs: number): string[] {
  const tags =
    type === 'PROSPECT'
      ? random.some(['trade-fair', 'inbound', 'referral'], 0, 1)
      : random.some(['reference', 'multi-site', 'newsletter'], 0, 2)
  return untouchedMs > 180 * dayMs ? [...tags, 'dormant'] : tags
}
