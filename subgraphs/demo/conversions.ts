import type { DemoAccount } from './accounts.ts'
import { dayMs, hourMs, timeBetween, workTime } from './calendar.ts'
import type { GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

/** The share of leads that were converted. */
const convertedShare = 0.26

export const leadSources = {
  WEB: 24,
  EVENT: 17,
  REFERRAL: 12,
  WEBINAR: 11,
  OUTBOUND: 10,
  PARTNER: 8,
  ADVERTISEMENT: 6,
  SOCIAL: 5,
  EMAIL: 4,
  PHONE: 3,
} as const

/** The conversion of a lead into a contact of an account. Leads, contacts and opportunities are generated from it. */
export interface Conversion {
  readonly leadId: string
  readonly leadMs: number
  readonly atMs: number
  readonly account: DemoAccount
  /** Whether the conversion created the account. Otherwise it found the account by its domain. */
  readonly isNewAccount: boolean
  readonly hasOpportunity: boolean
  readonly leadSource: keyof typeof leadSources
}

export function demoConversions(input: GeneratorInput, accounts: readonly DemoAccount[]): Conversion[] {
  const { profile, midnightMs } = input
  const random = new Random(`conversions ${profile.code}`)
  const yearAgoMs = midnightMs - 360 * dayMs
  const createdMs = ({ given }: DemoAccount) => Date.parse(given.values.createdAt)
  const prospective = accounts.filter(
    ({ given: { values } }) => ['CUSTOMER', 'PROSPECT'].includes(values.type!) && values.accountStatus === 'ACTIVE',
  )
  const recent = prospective.filter(
    (account) => createdMs(account) > yearAgoMs && account.given.values.parentAccountId === null,
  )
  const old = prospective.filter((account) => createdMs(account) < midnightMs - 60 * dayMs)
  const wanted = Math.round(profile.leads * convertedShare)
  const created = random.some(recent, Math.round(wanted * 0.4), Math.round(wanted * 0.4))
  const conversionOf = (account: DemoAccount, isNewAccount: boolean): Conversion => {
    const atMs = isNewAccount
      ? createdMs(account)
      : timeBetween(random, Math.max(createdMs(account) + 20 * dayMs, yearAgoMs), midnightMs - dayMs)
    const leadMs = Math.min(workTime(random, atMs - random.skewed(3, 60) * dayMs), atMs - hourMs)
    return {
      leadId: random.id(leadMs),
      leadMs,
      atMs,
      account,
      isNewAccount,
      hasOpportunity: random.chance(0.85),
      leadSource: random.weighted(leadSources),
    }
  }
  const conversions = created.map((account) => conversionOf(account, true))
  while (conversions.length < wanted) conversions.push(conversionOf(random.pick(old), false))
  return conversions
}
