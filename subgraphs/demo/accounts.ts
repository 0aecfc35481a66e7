import type { Account } from '../crm/account/account.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso, minuteMs } from './calendar.ts'
import { Companies, nameInSentence, type Company } from './companies.ts'
import { Dice } from './dice.ts'
import { membersOf, commonFields, recordOwners, type DemoUser, type Setting } from './organization.ts'
import { technologies } from './vocabulary/industries.ts'
import { filled } from './vocabulary/text.ts'

/** The share of accounts that have a parent account. */
const childrenShare = 0.2
const groupsShare = 0.08

export interface DemoAccount {
  readonly given: GeneratedRecord<Account>
  readonly company: Company
  readonly owner: DemoUser
}

export function demoAccounts(setting: Setting): DemoAccount[] {
  const { profile } = setting
  const dice = new Dice(`accounts ${profile.code}`)
  const companies = new Companies(`companies ${profile.code}`)
  const children = Math.round(profile.accounts * childrenShare)
  const accounts: DemoAccount[] = []
  for (let index = 0; index < profile.accounts - children; index++) {
    accounts.push(accountOf(setting, dice, companies, companies.invent(), null))
  }
  const groups = accounts.slice(0, Math.max(2, Math.round(profile.accounts * groupsShare)))
  for (let index = 0; index < children; index++) {
    // Some subsidiaries have subsidiaries.
    const subsidiaries = accounts.slice(profile.accounts - children)
    const parent = dice.pick(subsidiaries.length > 0 && dice.chance(0.2) ? subsidiaries : groups)
    accounts.push(accountOf(setting, dice, companies, companies.subsidiaryOf(parent.company), parent))
  }
  return accounts
}

function accountOf(
  setting: Setting,
  dice: Dice,
  companies: Companies,
  company: Company,
  parent: DemoAccount | null,
): DemoAccount {
  const { midnightMs, foundedMs } = setting
  const owner = ownerFor(setting, dice, company)
  const earliestMs = parent ? Date.parse(parent.given.values.createdAt) : foundedMs
  const createdMs =
    earliestMs + dayMs + Math.floor(((midnightMs - earliestMs - 5 * dayMs) / minuteMs) * dice.next()) * minuteMs
  const lastActivityMs = Math.floor(createdMs + (midnightMs - hourMs - createdMs) * dice.next() ** 0.3)
  const values = {
    ...commonFields(setting, dice, createdMs, owner.id),
    updatedAt: iso(lastActivityMs),
    ownerId: owner.id,
    ...addressOf(dice, company),
    ...salesFieldsOf(dice, lastActivityMs, midnightMs),
    name: company.name,
    industry: company.industry.name,
    website: `https://${company.domain}`,
    domain: company.domain,
    phone: company.phone,
    fax: dice.chance(0.15) ? companies.digits(company.country.phone) : null,
    description: filled(company.industry.description, {
      city: company.city.name,
      country: nameInSentence(company.country),
      region: company.country.region,
    }),
    parentAccountId: parent?.given.values.id ?? null,
    externalId: `C-${10_000 + dice.whole(0, 89_999)}`,
    legacyCrmId: dice.chance(0.3) ? companies.digits('0017########') : null,
    painPoints: dice.some(company.industry.painPoints, 0, 3),
    techStack: dice.some(technologies, 1, 5),
    region: company.country.region,
    lastActivityDate: iso(lastActivityMs),
    metadata: dice.chance(0.25) ? { source: 'import', batch: `${dice.whole(1, 9)}` } : null,
  }
  return { given: { values, actorId: owner.id, eventId: dice.id(createdMs) }, company, owner }
}

/** Mostly a member of the team of the region; for some accounts a member of the support team or a user without a team. */
function ownerFor(setting: Setting, dice: Dice, { country }: Company): DemoUser {
  const { teamOfRegion, supportTeam } = setting.profile
  const kind = dice.weighted({ region: 80, support: 10, alone: 10 })
  if (kind === 'support') return dice.pick(membersOf(setting, supportTeam))
  if (kind === 'alone') return dice.pick(recordOwners(setting).filter(({ team }) => team === null))
  const team = teamOfRegion[country.region]
  const sellers = recordOwners(setting).filter((user) => user.team !== null && user.team !== supportTeam)
  return dice.pick(team ? membersOf(setting, team) : sellers)
}

function addressOf(dice: Dice, { street, city, postalCode, country }: Company) {
  const ships = dice.chance(0.7)
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

const competitors = ['Palletron', 'Cargowise Nord', 'Logivance', 'StoreMatic', 'Quaylink'] as const
const renewalMonths = ['January', 'March', 'June', 'September', 'November'] as const

/** The sales fields of an account, which are consistent with each other. */
function salesFieldsOf(dice: Dice, lastActivityMs: number, midnightMs: number) {
  const type = dice.weighted({ CUSTOMER: 58, PROSPECT: 24, PARTNER: 7, RESELLER: 5, COMPETITOR: 3, OTHER: 3 })
  const isCustomer = type === 'CUSTOMER'
  const accountStatus = isCustomer
    ? dice.weighted({ ACTIVE: 85, CHURNED: 8, INACTIVE: 7 })
    : type === 'PROSPECT'
      ? dice.weighted({ ACTIVE: 60, PENDING: 40 })
      : ('ACTIVE' as const)
  const isLost = accountStatus === 'CHURNED'
  const numberOfEmployees = Math.round(dice.skewed(8, 12_000))
  const annualRevenue = Math.round((numberOfEmployees * dice.whole(90, 320)) / 10) * 10_000
  const healthScore = isCustomer ? (isLost ? dice.whole(5, 30) : Math.round(100 - dice.skewed(4, 70))) : null
  const lifetimeValue = isCustomer ? Math.round(dice.skewed(6_000, 900_000)) : null
  const isActive = accountStatus === 'ACTIVE' && type !== 'COMPETITOR'
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
    rating: type === 'PROSPECT' ? dice.weighted({ HOT: 20, WARM: 45, COLD: 35 }) : null,
    tier:
      lifetimeValue === null ? null : lifetimeValue > 250_000 ? 'Gold' : lifetimeValue > 50_000 ? 'Silver' : 'Bronze',
    isStrategic: (lifetimeValue ?? 0) > 500_000,
    competitors: type === 'PROSPECT' || dice.chance(0.15) ? dice.some(competitors, 0, 2) : [],
    nextActivityDate:
      isActive && dice.chance(0.5) ? iso(midnightMs + dice.whole(1, 45) * dayMs + dice.whole(8, 16) * hourMs) : null,
    tags: tagsOf(dice, type, midnightMs - lastActivityMs),
    customFields: isCustomer
      ? {
          contractNumber: `FR-${dice.whole(1000, 9999)}`,
          renewalMonth: dice.pick(renewalMonths),
          netPromoterScore: dice.whole(2, 10),
        }
      : {},
  }
}

function tagsOf(dice: Dice, type: string, inactiveMs: number): string[] {
  const tags =
    type === 'PROSPECT'
      ? dice.some(['trade-fair', 'inbound', 'referral'], 0, 1)
      : dice.some(['reference', 'multi-site', 'newsletter'], 0, 2)
  return inactiveMs > 180 * dayMs ? [...tags, 'dormant'] : tags
}
