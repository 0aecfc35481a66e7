import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import type { CaseComment } from '../support/case-comment/case-comment.ts'
import type { Case } from '../support/case/case.ts'
import { hoursAfter, slaHours } from '../support/case/case.status.ts'
import type { DemoAccount } from './accounts.ts'
import { dayMs, hourMs, iso, minuteMs } from './calendar.ts'
import { withHistory } from './history.ts'
import { historyOf, type GeneratedCase } from './case-history.ts'
import { nameInSentence } from './companies.ts'
import type { DemoContact } from './contacts.ts'
import { formalName } from './people.ts'
import { Random } from './random.ts'
import type { DemoOpportunity } from './opportunities.ts'
import { membersOf, commonFields, type GeneratorInput } from './organization.ts'
import { slotValues } from './vocabulary/stories.ts'
import { withSlotsFilled } from './vocabulary/text.ts'

export interface DemoCases {
  readonly cases: readonly GeneratedRecord<Case>[]
  readonly comments: readonly GeneratedRecord<CaseComment>[]
}

/** Cases in the order of their creation, numbered from one, with their comments. */
export function demoCases(
  input: GeneratorInput,
  accounts: readonly DemoAccount[],
  contacts: readonly DemoContact[],
  opportunities: readonly DemoOpportunity[],
): DemoCases {
  const { profile } = input
  const random = new Random(`cases ${profile.code}`)
  const history = new Random(`history of cases ${profile.code}`)
  const customers = accounts.filter(({ given }) => given.values.type === 'CUSTOMER')
  const known = {
    contacts: Map.groupBy(contacts, ({ account }) => account),
    opportunities: Map.groupBy(opportunities, ({ account }) => account),
  }
  const generated = Array.from({ length: profile.cases }, () => oneCase(input, random, customers, known))
  generated.sort((one, other) =>
    one.values.createdAt < other.values.createdAt ? -1 : one.values.createdAt > other.values.createdAt ? 1 : 0,
  )
  return {
    cases: generated.map(({ values, created, steps }, index) => {
      const actorId = values.createdById
      const eventId = random.id(Date.parse(values.createdAt))
      const given = { values: { ...values, caseNumber: index + 1 }, actorId, eventId }
      return withHistory(history, given, { ...created, caseNumber: index + 1 }, steps)
    }),
    comments: generated.flatMap(({ comments }) => comments),
  }
}

/** The distribution of case statuses on an ordinary day. */
const statuses = { NEW: 5, OPEN: 14, PENDING_CUSTOMER: 9, ESCALATED: 4, RESOLVED: 12, CLOSED: 56 } as const

/** What exists at the accounts. */
interface Known {
  readonly contacts: ReadonlyMap<DemoAccount, readonly DemoContact[]>
  readonly opportunities: ReadonlyMap<DemoAccount, readonly DemoOpportunity[]>
}

function oneCase(
  input: GeneratorInput,
  random: Random,
  customers: readonly DemoAccount[],
  known: Known,
): GeneratedCase {
  const { profile, midnightMs } = input
  const customer = random.pick(customers.slice(0, Math.ceil(customers.length * random.next())))
  const story = random.pick(profile.stories)
  const agents = membersOf(input, profile.supportTeam)
  // A few customers contact the owner of their account directly.
  const agent = random.chance(0.1) ? customer.owner : random.pick(agents)
  const owner = random.chance(0.75) ? agent : customer.owner
  const isUrgentKind = story.type === 'INCIDENT'
  const priority = random.weighted(
    isUrgentKind ? { LOW: 5, MEDIUM: 40, HIGH: 40, URGENT: 15 } : { LOW: 35, MEDIUM: 50, HIGH: 13, URGENT: 2 },
  )
  const hours = slaHours[priority]
  const end = random.weighted(statuses)
  const createdMs =
    midnightMs - ageOf(random, end, hours.resolution, midnightMs - Date.parse(customer.given.values.createdAt))
  const createdAt = iso(createdMs)
  const reporters = known.contacts.get(customer)!.filter(({ given }) => given.values.createdAt < createdAt)
  const reporter = reporters.length > 0 ? random.pick(reporters) : null
  const deal = known.opportunities.get(customer)?.findLast(({ given }) => given.values.createdAt < createdAt)
  const slots = slotsOf(random, input, customer, reporter, createdMs)
  const fill = (text: string) => withSlotsFilled(text, slots)
  const values = {
    ...commonFields(input, random, createdMs, owner.id),
    ownerId: owner.id,
    subject: sentence(fill(random.pick(story.subjects))),
    description: fill(story.description),
    status: 'NEW' as const,
    priority,
    type: story.type,
    origin: random.weighted({ EMAIL: 45, PORTAL: 25, PHONE: 15, WEB: 8, CHAT: 5, INTERNAL: 2 }),
    accountId: customer.given.values.id,
    contactId: reporter?.given.values.id ?? null,
    opportunityId: deal && random.chance(0.25) ? deal.given.values.id : null,
    slaDueAt: hoursAfter(createdAt, hours.resolution),
    firstResponseDueAt: hoursAfter(createdAt, hours.firstResponse),
    firstResponseAt: null,
    pausedAt: null,
    resolvedAt: null,
    closedAt: null,
    escalationLevel: 0,
    reopenCount: 0,
    tags: random.chance(0.5) ? [story.tag] : [],
  }
  const texts = {
    answer: fill(story.answer),
    note: fill(story.note),
    reply: fill(story.reply),
    solution: fill(story.solution),
  }
  return historyOf({
    input,
    random,
    agent: end === 'NEW' && random.chance(0.7) ? null : agent,
    colleagues: agents,
    values,
    texts,
    end,
  })
}

/** The age of a case with this final status. A case is never older than its account. */
function ageOf(random: Random, end: keyof typeof statuses, resolutionHours: number, oldestMs: number): number {
  const resolutionMs = resolutionHours * hourMs
  const age = {
    NEW: () => random.whole(10, Math.min(20 * 60, resolutionHours * 60)) * minuteMs,
    OPEN: () => resolutionMs * (0.2 + random.next()) + hourMs,
    ESCALATED: () => resolutionMs * (0.5 + 0.8 * random.next()) + 2 * hourMs,
    PENDING_CUSTOMER: () => random.whole(20, 14 * 24) * hourMs,
    RESOLVED: () => resolutionMs * 0.9 + random.whole(6, 40) * hourMs,
    CLOSED: () => random.whole(18, 500) * dayMs + random.whole(0, 24 * 60) * minuteMs,
  }[end]()
  return Math.floor(Math.min(age, oldestMs * (0.3 + 0.65 * random.next())) / 1000) * 1000
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function slotsOf(
  random: Random,
  { profile }: GeneratorInput,
  { company }: DemoAccount,
  reporter: DemoContact | null,
  createdMs: number,
): Record<string, string> {
  const picked = Object.entries(slotValues).map(([name, values]) => [name, random.pick(values)] as const)
  return {
    ...Object.fromEntries(picked),
    city: company.city.name,
    country: nameInSentence(company.country),
    person: reporter ? formalName(reporter.person) : `Ms ${random.pick(company.country.surnames)}`,
    product: random.pick(profile.catalog.filter(({ type }) => type === 'SUBSCRIPTION')).name,
    invoice: `INV-${new Date(createdMs).getUTCFullYear()}-${random.whole(100_000, 199_999)}`,
    number: String(random.whole(1000, 9999)),
    count: String(random.whole(3, 28)),
    percent: String(random.whole(81, 94)),
    dock: String(random.whole(1, 12)),
    location: `${random.pick(['A', 'B', 'C', 'D'])}-${random.whole(10, 48)}-${random.whole(1, 6)}`,
  }
}
