import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { CaseComment } from '../support/case-comment/case-comment.ts'
import type { Case } from '../support/case/case.ts'
import { hoursAfter, slaHours } from '../support/case/case.status.ts'
import type { DemoAccount } from './accounts.ts'
import { dayMs, hourMs, iso, minuteMs } from './calendar.ts'
import { historyOf, type GeneratedCase } from './case-life.ts'
import { nameInSentence } from './companies.ts'
import { Dice } from './dice.ts'
import { membersOf, commonFields, type Setting } from './organization.ts'
import { slotValues } from './vocabulary/stories.ts'
import { filled } from './vocabulary/text.ts'

export interface DemoCases {
  readonly cases: readonly GeneratedRecord<Case>[]
  readonly comments: readonly GeneratedRecord<CaseComment>[]
}

/** Cases in the order of their creation, numbered from one, with their comments. */
export function demoCases(setting: Setting, accounts: readonly DemoAccount[]): DemoCases {
  const { profile } = setting
  const dice = new Dice(`cases ${profile.code}`)
  const customers = accounts.filter(({ given }) => given.values.type === 'CUSTOMER')
  const generated = Array.from({ length: profile.cases }, () => oneCase(setting, dice, customers))
  generated.sort((one, other) =>
    one.values.createdAt < other.values.createdAt ? -1 : one.values.createdAt > other.values.createdAt ? 1 : 0,
  )
  return {
    cases: generated.map(({ values }, index) => ({
      values: { ...values, caseNumber: index + 1 },
      actorId: values.createdById,
      eventId: dice.id(Date.parse(values.createdAt)),
    })),
    comments: generated.flatMap(({ comments }) => comments),
  }
}

/** The distribution of case statuses on an ordinary day. */
const statuses = { NEW: 5, OPEN: 14, PENDING_CUSTOMER: 9, ESCALATED: 4, RESOLVED: 12, CLOSED: 56 } as const

function oneCase(setting: Setting, dice: Dice, customers: readonly DemoAccount[]): GeneratedCase {
  const { profile, midnightMs } = setting
  const customer = dice.pick(customers.slice(0, Math.ceil(customers.length * dice.next())))
  const story = dice.pick(profile.stories)
  const agents = membersOf(setting, profile.supportTeam)
  // A few customers contact the owner of their account directly.
  const agent = dice.chance(0.1) ? customer.owner : dice.pick(agents)
  const owner = dice.chance(0.75) ? agent : customer.owner
  const isUrgentKind = story.type === 'INCIDENT'
  const priority = dice.weighted(
    isUrgentKind ? { LOW: 5, MEDIUM: 40, HIGH: 40, URGENT: 15 } : { LOW: 35, MEDIUM: 50, HIGH: 13, URGENT: 2 },
  )
  const hours = slaHours[priority]
  const end = dice.weighted(statuses)
  const createdMs =
    midnightMs - ageOf(dice, end, hours.resolution, midnightMs - Date.parse(customer.given.values.createdAt))
  const createdAt = iso(createdMs)
  const slots = slotsOf(dice, setting, customer, createdMs)
  const fill = (text: string) => filled(text, slots)
  const values = {
    ...commonFields(setting, dice, createdMs, owner.id),
    ownerId: owner.id,
    subject: sentence(fill(dice.pick(story.subjects))),
    description: fill(story.description),
    status: 'NEW' as const,
    priority,
    type: story.type,
    origin: dice.weighted({ EMAIL: 45, PORTAL: 25, PHONE: 15, WEB: 8, CHAT: 5, INTERNAL: 2 }),
    accountId: customer.given.values.id,
    slaDueAt: hoursAfter(createdAt, hours.resolution),
    firstResponseDueAt: hoursAfter(createdAt, hours.firstResponse),
    firstResponseAt: null,
    pausedAt: null,
    resolvedAt: null,
    closedAt: null,
    escalationLevel: 0,
    reopenCount: 0,
    tags: dice.chance(0.5) ? [story.tag] : [],
  }
  const texts = {
    answer: fill(story.answer),
    note: fill(story.note),
    reply: fill(story.reply),
    solution: fill(story.solution),
  }
  return historyOf({
    setting,
    dice,
    agent: end === 'NEW' && dice.chance(0.7) ? null : agent,
    colleagues: agents,
    values,
    texts,
    end,
  })
}

/** The age of a case with this final status. A case is never older than its account. */
function ageOf(dice: Dice, end: keyof typeof statuses, resolutionHours: number, oldestMs: number): number {
  const resolutionMs = resolutionHours * hourMs
  const age = {
    NEW: () => dice.whole(10, Math.min(20 * 60, resolutionHours * 60)) * minuteMs,
    OPEN: () => resolutionMs * (0.2 + dice.next()) + hourMs,
    ESCALATED: () => resolutionMs * (0.5 + 0.8 * dice.next()) + 2 * hourMs,
    PENDING_CUSTOMER: () => dice.whole(20, 14 * 24) * hourMs,
    RESOLVED: () => resolutionMs * 0.9 + dice.whole(6, 40) * hourMs,
    CLOSED: () => dice.whole(18, 500) * dayMs + dice.whole(0, 24 * 60) * minuteMs,
  }[end]()
  return Math.floor(Math.min(age, oldestMs * (0.3 + 0.65 * dice.next())) / 1000) * 1000
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function slotsOf(
  dice: Dice,
  { profile }: Setting,
  { company }: DemoAccount,
  createdMs: number,
): Record<string, string> {
  const picked = Object.entries(slotValues).map(([name, values]) => [name, dice.pick(values)] as const)
  return {
    ...Object.fromEntries(picked),
    city: company.city.name,
    country: nameInSentence(company.country),
    person: dice.pick(company.country.surnames.map((surname) => `${dice.pick(['Mr', 'Ms'])} ${surname}`)),
    product: dice.pick(profile.catalog.filter(({ type }) => type === 'SUBSCRIPTION')).name,
    invoice: `INV-${new Date(createdMs).getUTCFullYear()}-${dice.whole(100_000, 199_999)}`,
    number: String(dice.whole(1000, 9999)),
    count: String(dice.whole(3, 28)),
    percent: String(dice.whole(81, 94)),
    dock: String(dice.whole(1, 12)),
    location: `${dice.pick(['A', 'B', 'C', 'D'])}-${dice.whole(10, 48)}-${dice.whole(1, 6)}`,
  }
}
