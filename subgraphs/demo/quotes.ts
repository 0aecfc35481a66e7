import type { QuoteDecision, QuoteDecisionMethod } from '../commerce/quote/quote-decision.ts'
import type { Quote } from '../commerce/quote/quote.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { linesOf } from './basket-lines.ts'
import { dayMs, hourMs, iso, minuteMs, timeBetween } from './calendar.ts'
import type { DemoOpportunity } from './opportunities.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'
import { quoteNotes, quoteTerms, rejectionReasons } from './vocabulary/quotes.ts'

export interface DemoQuote {
  readonly given: GeneratedRecord<Quote>
  readonly opportunity: DemoOpportunity
}

/** Quotes of deals that came to the proposal, in the order of their creation and numbered from one. */
export function demoQuotes(input: GeneratorInput, opportunities: readonly DemoOpportunity[]): DemoQuote[] {
  const { profile } = input
  const random = new Random(`quotes ${profile.code}`)
  const proposed = opportunities.filter(({ visits }) => visits.some(({ stage }) => stage.name === 'PROPOSAL'))
  const closedMs = ({ given }: DemoOpportunity): number => Date.parse(given.values.closedAt!)
  const won = proposed
    .filter(({ given }) => given.values.isWon)
    .toSorted((one, other) => closedMs(one) - closedMs(other))
  const others = proposed.filter(({ given }) => !given.values.isWon)
  // More accepted quotes than orders, of the deals that were won last, then quotes of other deals.
  const accepted = Math.round(profile.orders * 1.25)
  const ordered = [...won.slice(-accepted), ...others, ...won.slice(0, -accepted)]
  const quotes: DemoQuote[] = []
  for (const opportunity of ordered) {
    if (quotes.length >= profile.quotes) break
    quotes.push(...quotesOf(input, random, opportunity, profile.quotes - quotes.length))
  }
  quotes.sort((one, other) => Date.parse(one.given.values.createdAt) - Date.parse(other.given.values.createdAt))
  return quotes.map((quote, index) => ({
    ...quote,
    given: { ...quote.given, values: { ...quote.given.values, number: index + 1 } },
  }))
}

/** One quote of the deal, or an earlier one that was withdrawn and its revision. */
function quotesOf(input: GeneratorInput, random: Random, opportunity: DemoOpportunity, room: number): DemoQuote[] {
  const { visits } = opportunity
  const last = visits.at(-1)!
  const proposed = visits.find(({ stage }) => stage.name === 'PROPOSAL')!
  const endMs = last.stage.kind === 'OPEN' ? input.midnightMs - minuteMs : last.enteredMs
  const startMs = timeBetween(random, proposed.enteredMs, proposed.enteredMs + (endMs - proposed.enteredMs) * 0.3)
  if (room < 2 || random.chance(0.8)) return [quoteOf(input, random, opportunity, { startMs, endMs, revised: null })]
  const revisedMs = timeBetween(random, startMs + hourMs, startMs + (endMs - startMs) * 0.5)
  const first = quoteOf(input, random, opportunity, { startMs, endMs: revisedMs, revised: 'LATER' })
  return [first, quoteOf(input, random, opportunity, { startMs: revisedMs, endMs, revised: first })]
}

interface Period {
  readonly startMs: number
  readonly endMs: number
  /** The quote that this one revises; LATER if this one is revised. */
  readonly revised: DemoQuote | 'LATER' | null
}

function quoteOf(
  input: GeneratorInput,
  random: Random,
  opportunity: DemoOpportunity,
  { startMs, endMs, revised }: Period,
): DemoQuote {
  const { given, account, owner, contacts, basket } = opportunity
  const earlier = revised === 'LATER' ? null : revised
  const common = commonFields(input, random, startMs, owner.id)
  const content = {
    name: earlier?.given.values.name ?? given.values.name!.split(' - ')[1]!,
    lineItems: linesOf(random, basket, startMs),
    currency: basket.currency,
    discountType: null,
    discountValue: null,
    shippingTotal: 0,
  }
  const values = {
    ...common,
    ownerId: owner.id,
    opportunityId: given.values.id,
    accountId: account.given.values.id,
    contactId: contacts[0]!.given.values.id,
    ...content,
    paymentTerms: random.weighted({ NET_30: 60, NET_45: 20, NET_60: 10, NET_15: 10 }),
    terms: random.pick(quoteTerms),
    notes: random.chance(0.4) ? random.pick(quoteNotes) : null,
    revision: earlier ? 2 : 1,
    revisionOfId: earlier?.given.values.id ?? null,
    isPrimary: revised !== 'LATER',
    ...stateOf(input, random, opportunity, { startMs, endMs, revised }),
  }
  return { given: { values, actorId: owner.id, eventId: random.id(startMs) }, opportunity }
}

const draftValidDays = 30
/** A quote is valid on its whole last day. */
const endOfDay = (atMs: number): number => (Math.floor(atMs / dayMs) + 1) * dayMs - 1
/** How many days a sent quote is valid. */
const validities = [14, 21, 30] as const

/** How the customer decided: on the page of the quote, or as a user recorded it. */
const decided = (
  atMs: number,
  method: QuoteDecisionMethod = 'PUBLIC_PAGE',
  recordedById: string | null = null,
): QuoteDecision => ({ method, contactId: null, email: null, note: null, recordedAt: iso(atMs), recordedById })

/** The states that a quote passes through: it is written, sometimes approved, sent, seen and answered. */
function stateOf(
  { midnightMs, users }: GeneratorInput,
  random: Random,
  { given, contacts, owner }: DemoOpportunity,
  { startMs, endMs, revised }: Period,
) {
  const { isWon = false, isClosed = false } = given.values
  const decider = random.pick(users.filter(({ role }) => ['OWNER', 'ADMIN', 'MANAGER'].includes(role)))
  const reviewer = random.chance(0.35) ? decider : null
  const inTime = (share: number) =>
    timeBetween(random, startMs + (endMs - startMs) * share, startMs + (endMs - startMs) * (share + 0.15))
  const reviewedAt = reviewer && iso(inTime(0.05))
  const approval = reviewer
    ? { approvalStatus: 'APPROVED' as const, reviewedById: reviewer.id, reviewedAt, reviewComment: null }
    : {}
  const sentMs = inTime(0.25)
  const validMs = endOfDay(sentMs + random.pick(validities) * dayMs)
  const sent = { ...approval, sentAt: iso(sentMs), validUntil: iso(validMs) }
  const viewedAt = iso(inTime(0.5))
  const done = (atMs: number, userId: string | null = null) => ({ updatedAt: iso(atMs), updatedById: userId })
  if (revised === 'LATER') return { ...sent, viewedAt, status: 'CANCELLED' as const, ...done(endMs, owner.id) }
  if (isWon) {
    const acceptedMs = endMs - minuteMs
    const { firstName, lastName } = contacts[0]!.person
    const acceptedByName = `${firstName} ${lastName}`
    const validUntil = iso(Math.max(validMs, endOfDay(acceptedMs + dayMs)))
    // A generator of its own, so that the other choices do not depend on this one.
    const isByPhone = new Random(`decision ${given.values.id}`).chance(0.15)
    const decision = isByPhone ? decided(acceptedMs, 'PHONE', owner.id) : decided(acceptedMs)
    const answer = { acceptedAt: iso(acceptedMs), acceptedByName, decision }
    const by = decision.recordedById
    return { ...sent, validUntil, viewedAt, ...answer, status: 'ACCEPTED' as const, ...done(acceptedMs, by) }
  }
  if (isClosed) {
    if (validMs < endMs && random.chance(0.7))
      return { ...sent, viewedAt, status: 'EXPIRED' as const, expiredAt: iso(validMs), ...done(validMs) }
    const rejectedMs = Math.min(endMs - minuteMs, validMs - minuteMs)
    const reason = { rejectionReason: random.pick(rejectionReasons) }
    const answer = { rejectedAt: iso(rejectedMs), ...reason, decision: decided(rejectedMs) }
    return {
      ...sent,
      viewedAt: iso(Math.min(Date.parse(viewedAt), rejectedMs)),
      ...answer,
      status: 'REJECTED' as const,
      ...done(rejectedMs),
    }
  }
  if (given.values.stage === 'PROPOSAL' && random.chance(0.55)) {
    const kind = random.weighted({ DRAFT: 45, IN_REVIEW: 30, APPROVED: 25 })
    if (kind === 'DRAFT')
      return { status: 'DRAFT' as const, validUntil: iso(endOfDay(midnightMs + draftValidDays * dayMs)) }
    const validUntil = iso(endOfDay(midnightMs + draftValidDays * dayMs))
    if (kind === 'IN_REVIEW')
      return {
        status: 'IN_REVIEW' as const,
        approvalStatus: 'PENDING' as const,
        validUntil,
        ...done(inTime(0.2), owner.id),
      }
    const atMs = inTime(0.3)
    const review = { reviewedById: decider.id, reviewedAt: iso(atMs) }
    return {
      status: 'APPROVED' as const,
      approvalStatus: 'APPROVED' as const,
      ...review,
      validUntil,
      ...done(atMs, decider.id),
    }
  }
  if (validMs <= midnightMs)
    return { ...sent, viewedAt, status: 'EXPIRED' as const, expiredAt: iso(validMs), ...done(validMs) }
  const isViewed = random.chance(0.7)
  return {
    ...sent,
    status: 'SENT' as const,
    viewedAt: isViewed ? viewedAt : null,
    ...done(isViewed ? Date.parse(viewedAt) : sentMs, isViewed ? null : owner.id),
  }
}
