import { notFound } from '../../kernel/errors.ts'
import { readBlocks, readGraph, type GraphReading } from '../../kernel/graph-port/read-blocks.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { dateIn } from '../../kernel/time/days.ts'
import type { Facts } from './facts.ts'

const accountQuery = `query accountBriefAccount($id: ID!) { account(id: $id) { name type industry owner { name } } }`

const healthQuery = `query accountBriefHealth($id: ID!) { account(id: $id) { health { score } } }`

const dealsQuery = `query accountBriefDeals($id: ID!) {
  open: opportunityList(
    filter: { accountId: { eq: $id }, isClosed: { eq: false } }, limit: 5, orderBy: [{ field: closeDate, direction: ASC }]
  ) { total data { id name stage amount currency probability closeDate } }
}`

const invoicesQuery = `query accountBriefInvoices($id: ID!) {
  aging: invoiceAging(customerId: $id) { currency total }
  overdue: invoiceList(
    filter: { accountId: { eq: $id }, status: { eq: OVERDUE } }, limit: 3, orderBy: [{ field: dueDate, direction: ASC }]
  ) { total data { id invoiceNumber amountDue currency dueDate } }
}`

const casesQuery = `query accountBriefCases($id: ID!) {
  open: caseList(filter: { accountId: { eq: $id }, status: { in: [NEW, OPEN, PENDING_CUSTOMER, ESCALATED] } }, limit: 3) {
    total
    data { id caseNumber subject status priority }
  }
  escalated: caseList(filter: { accountId: { eq: $id }, status: { eq: ESCALATED } }, limit: 1) { total }
}`

const activitiesQuery = `query accountBriefActivities($id: ID!, $now: DateTime!) {
  latest: activityList(
    filter: { accountId: { eq: $id }, occurredAt: { lte: $now } }, limit: 5, orderBy: [{ field: occurredAt, direction: DESC }]
  ) { data { id type subject occurredAt } }
}`

interface List<T> {
  readonly total: number
  readonly data: readonly (T & { readonly id: string })[]
}

interface Answers extends Readonly<Record<string, unknown>> {
  readonly HEALTH: { readonly account: { readonly health: { readonly score: number | null } | null } | null }
  readonly DEALS: { readonly open: List<NonNullable<Facts['openDeals']>['first'][number]> }
  readonly INVOICES: {
    readonly aging: { readonly currency: string; readonly total: ExactNumber }
    readonly overdue: List<{
      readonly invoiceNumber: string | null
      readonly amountDue: ExactNumber | null
      readonly currency: string | null
      readonly dueDate: string | null
    }>
  }
  readonly CASES: {
    readonly open: List<{
      readonly caseNumber: number | null
      readonly subject: string | null
      readonly status: string | null
      readonly priority: string | null
    }>
    readonly escalated: { readonly total: number }
  }
  readonly ACTIVITIES: {
    readonly latest: List<{
      readonly type: string | null
      readonly subject: string | null
      readonly occurredAt: string
    }>
  }
}

type Account = Omit<Facts['account'], 'owner'> & { readonly owner: { readonly name: string } | null }

/** The records that facts were read from, by their types. A type without records was read, too. */
export type ReadRecords = Readonly<Record<string, readonly string[]>>

export interface ReadFacts {
  readonly facts: Facts
  readonly records: ReadRecords
}

/** Reads the facts as the caller, so the caller sees all of them. A part that cannot be read is null; without the account there is nothing to tell. */
export async function readFacts(ctx: GraphReading, id: string, zone: string): Promise<ReadFacts> {
  const now = ctx.clock.now()
  const { account } = await readGraph<{ account: Account | null }>(ctx, accountQuery, { id })
  if (!account) throw notFound('The account')
  const { values } = await readBlocks<Answers>(ctx, {
    HEALTH: () => readGraph(ctx, healthQuery, { id }),
    DEALS: () => readGraph(ctx, dealsQuery, { id }),
    INVOICES: () => readGraph(ctx, invoicesQuery, { id }),
    CASES: () => readGraph(ctx, casesQuery, { id }),
    ACTIVITIES: () => readGraph(ctx, activitiesQuery, { id, now: now.toISOString() }),
  })
  const { DEALS, INVOICES, CASES, ACTIVITIES, HEALTH } = values
  const day = (time: string | null): string | null => (time === null ? null : dateIn(zone, new Date(time)))
  const facts: Facts = {
    today: dateIn(zone, now),
    account: { ...account, owner: account.owner?.name ?? null },
    health: HEALTH?.account?.health?.score ?? null,
    openDeals: DEALS && {
      total: DEALS.open.total,
      first: DEALS.open.data.map(({ name, stage, amount, currency, probability, closeDate }) => ({
        name,
        stage,
        amount,
        currency,
        probability,
        closeDate: day(closeDate),
      })),
    },
    invoices: INVOICES && {
      currency: INVOICES.aging.currency,
      outstanding: INVOICES.aging.total,
      overdueCount: INVOICES.overdue.total,
      overdue: INVOICES.overdue.data.map(({ invoiceNumber, amountDue, currency, dueDate }) => ({
        number: invoiceNumber,
        amountDue,
        currency,
        dueDate: day(dueDate),
      })),
    },
    openCases: CASES && {
      total: CASES.open.total,
      escalated: CASES.escalated.total,
      newest: CASES.open.data.map(({ caseNumber, subject, status, priority }) => ({
        number: caseNumber,
        subject,
        status,
        priority,
      })),
    },
    lastActivities:
      ACTIVITIES?.latest.data.map(({ type, subject, occurredAt }) => ({ type, subject, date: day(occurredAt)! })) ??
      null,
  }
  return { facts, records: recordsIn(values) }
}

function recordsIn({
  DEALS,
  INVOICES,
  CASES,
  ACTIVITIES,
}: { readonly [B in keyof Answers]: Answers[B] | null }): ReadRecords {
  const lists = [
    ['opportunity', DEALS?.open],
    ['invoice', INVOICES?.overdue],
    ['case', CASES?.open],
    ['activity', ACTIVITIES?.latest],
  ] as const
  return Object.fromEntries(lists.flatMap(([object, list]) => (list ? [[object, list.data.map(({ id }) => id)]] : [])))
}
