import {
  average,
  averageTime,
  converted,
  countsBy,
  currencyFigures,
  dayOf,
  daysBetween,
  decimal,
  exact,
  groupsBy,
  money,
  quotient,
  storedDay,
  today,
  totalOf,
  withValue,
  without,
  type Books,
  type Lists,
  type Row,
} from './recomputed.ts'

// Statistics by their descriptions.

const openCases = (rows: readonly Row[]) => without(rows, 'status', 'RESOLVED', 'CLOSED')
const isAfter = (one: unknown, other: unknown): boolean => Date.parse(String(one)) > Date.parse(String(other))

function caseFigures(rows: readonly Row[], { now }: Books) {
  const open = openCases(rows)
  const late = without(open, 'status', 'PENDING_CUSTOMER').filter(
    ({ slaDueAt }) => slaDueAt !== null && isAfter(now.toISOString(), slaDueAt),
  )
  const resolvedLate = rows.filter(
    ({ resolvedAt, slaDueAt }) => resolvedAt !== null && slaDueAt !== null && isAfter(resolvedAt, slaDueAt),
  )
  const reopened = rows.filter(({ reopenCount }) => Number(reopenCount) > 0)
  const everResolved = rows.filter(({ reopenCount, resolvedAt }) => Number(reopenCount) > 0 || resolvedAt !== null)
  const averageFirstResponseMinutes = averageTime(rows, 'createdAt', 'firstResponseAt', 60_000)
  const averageResolutionHours = averageTime(rows, 'createdAt', 'resolvedAt', 3_600_000)
  return {
    total: rows.length,
    open: open.length,
    overdue: late.length,
    unassigned: withValue(open, 'assignedToId', null).length,
    slaBreached: late.length + resolvedLate.length,
    averageFirstResponseMinutes,
    averageResolutionHours,
    avgFirstResponseMinutes: averageFirstResponseMinutes,
    avgResolutionHours: averageResolutionHours,
    reopenRate: quotient(reopened.length, everResolved.length, 4),
    byStatus: countsBy(rows, 'status'),
    byPriority: countsBy(rows, 'priority'),
    byType: countsBy(rows, 'type'),
    byOrigin: countsBy(rows, 'origin'),
  }
}

function opportunityFigures(rows: readonly Row[]) {
  const closed = withValue(rows, 'isClosed', true)
  const won = withValue(rows, 'isWon', true)
  return {
    total: rows.length,
    open: rows.length - closed.length,
    won: won.length,
    lost: closed.length - won.length,
    winRate: quotient(won.length, closed.length, 4),
    byStage: countsBy(rows, 'stage'),
    byForecastCategory: countsBy(rows, 'forecastCategory'),
    byType: countsBy(rows, 'type'),
    openByCurrency: groupsBy(withValue(rows, 'isClosed', false), (row) => String(row['currency'])).map(
      ([currency, own]) => ({
        currency,
        count: own.length,
        amount: exact(totalOf(own, 'amount')),
        expectedRevenue: exact(totalOf(own, 'expectedRevenue')),
      }),
    ),
  }
}

const openInvoices = (rows: readonly Row[]) => withValue(rows, 'status', 'SENT', 'PARTIALLY_PAID', 'OVERDUE')
/** The invoiced sales of the 90 days until a day. */
export const salesUntil = (rows: readonly Row[], day: string) =>
  without(rows, 'status', 'DRAFT', 'VOID').filter(({ issueDate }) => {
    const age = daysBetween(storedDay(issueDate), day)
    return age >= 0 && age < 90
  })

/** The day whose rate converts an invoice or credit note; today while it has none. */
export const issueDay = ({ issueDate }: Row, books: Books): string =>
  issueDate === null ? today(books) : storedDay(issueDate)

/** Figures of invoices in one currency: `past` adds what was invoiced and paid, `due` what is due now. */
function invoiceSums(rows: readonly Row[], books: Books, past: Addition, due: Addition) {
  const counting = without(rows, 'status', 'DRAFT', 'VOID')
  const open = openInvoices(rows)
  const late = open.filter(({ dueDate, status }) => status === 'OVERDUE' || storedDay(dueDate) < today(books))
  const paid = withValue(rows, 'status', 'PAID')
  const days = paid.map(({ issueDate, paidAt }) => Math.max(0, daysBetween(storedDay(issueDate), dayOf(books, paidAt))))
  const totalInvoiced = past(counting, 'total')
  const totalPaid = past(counting, 'amountPaid')
  const totalOutstanding = due(open, 'amountDue')
  return {
    totalInvoiced,
    totalPaid,
    totalCredited: past(counting, 'amountCredited'),
    totalOutstanding,
    totalOverdue: due(late, 'amountDue'),
    averageDaysToPay: quotient(
      days.reduce((all, one) => all + one, 0),
      paid.length,
      2,
    ),
    dso: quotient(decimal(totalOutstanding).times(90), past(salesUntil(rows, today(books)), 'total'), 2),
    collectionRate: quotient(totalPaid, totalInvoiced, 4),
  }
}
type Addition = (rows: readonly Row[], name: string) => number

function invoiceFigures(rows: readonly Row[], books: Books) {
  const past: Addition = (some, name) => money(converted(books, some, name, (row) => issueDay(row, books)).sum)
  const due: Addition = (some, name) => money(converted(books, some, name).sum)
  const inCurrency: Addition = (some, name) => exact(totalOf(some, name))
  return {
    total: rows.length,
    byStatus: countsBy(rows, 'status'),
    countByStatus: countsBy(rows, 'status'),
    currency: books.baseCurrency,
    ...invoiceSums(rows, books, past, due),
    byCurrency: groupsBy(rows, (row) => String(row['currency'])).map(([currency, own]) => ({
      currency,
      count: own.length,
      ...invoiceSums(own, books, inCurrency, inCurrency),
    })),
  }
}

/** The figures of the statistics, by the list whose records they count. */
export const statistics: { readonly [K in keyof Lists]?: (rows: readonly Row[], books: Books) => object } = {
  account: (rows) => ({
    total: rows.length,
    strategic: withValue(rows, 'isStrategic', true).length,
    totalAnnualRevenue: exact(totalOf(rows, 'annualRevenue')),
    averageHealthScore: average(rows, 'healthScore'),
    byType: countsBy(rows, 'type'),
    byStatus: countsBy(rows, 'accountStatus'),
    byRating: countsBy(rows, 'rating'),
    byChurnRisk: countsBy(rows, 'churnRisk'),
    byIndustry: countsBy(rows, 'industry'),
    otherIndustries: 0,
  }),
  contact: (rows) => ({
    total: rows.length,
    emailOptOut: withValue(rows, 'emailOptOut', true).length,
    doNotCall: withValue(rows, 'doNotCall', true).length,
    withoutAccount: withValue(rows, 'accountId', null).length,
    byStatus: countsBy(rows, 'status'),
    byEmailStatus: countsBy(rows, 'emailStatus'),
    byLifecycleStage: countsBy(rows, 'lifecycleStage'),
    byLeadSource: countsBy(rows, 'leadSource'),
  }),
  lead: (rows) => ({
    total: rows.length,
    averageLeadScore: average(rows, 'leadScore'),
    conversionRate: quotient(withValue(rows, 'status', 'CONVERTED').length, rows.length, 4),
    byStatus: countsBy(rows, 'status'),
    byLeadSource: countsBy(rows, 'leadSource'),
    byRating: countsBy(rows, 'rating'),
  }),
  opportunity: opportunityFigures,
  task: (rows) => {
    const open = without(rows, 'status', 'COMPLETED', 'CANCELLED')
    return {
      total: rows.length,
      open: open.length,
      overdue: withValue(rows, 'isOverdue', true).length,
      unassigned: withValue(open, 'assignedToId', null).length,
      byStatus: countsBy(rows, 'status'),
      byPriority: countsBy(rows, 'priority'),
      byType: countsBy(rows, 'type'),
    }
  },
  case: caseFigures,
  activity: (rows) => ({
    total: rows.length,
    automated: withValue(rows, 'isAutomated', true).length,
    byType: countsBy(rows, 'type'),
    byDirection: countsBy(rows, 'direction'),
    byOutcome: countsBy(rows, 'outcome'),
  }),
  product: (rows, books) => {
    const { sum, converted: rated } = converted(books, rows, 'listPrice')
    return {
      total: rows.length,
      active: withValue(rows, 'isActive', true).length,
      inactive: withValue(rows, 'isActive', false).length,
      byType: countsBy(rows, 'type'),
      byCategory: countsBy(rows, 'category'),
      averageListPrice: rated === 0 ? null : money(sum.div(rated)),
      currency: books.baseCurrency,
      listPriceByCurrency: currencyFigures(rows, 'listPrice'),
    }
  },
  quote: (rows, books) => {
    const open = withValue(rows, 'status', 'DRAFT', 'IN_REVIEW', 'APPROVED', 'SENT')
    const accepted = withValue(rows, 'status', 'ACCEPTED', 'CONVERTED')
    const totalOpen = money(converted(books, open, 'total').sum)
    const totalAccepted = money(converted(books, accepted, 'total', ({ acceptedAt }) => dayOf(books, acceptedAt)).sum)
    return {
      total: rows.length,
      byStatus: countsBy(rows, 'status'),
      byApprovalStatus: countsBy(rows, 'approvalStatus'),
      primary: withValue(rows, 'isPrimary', true).length,
      currency: books.baseCurrency,
      totalOpen,
      openAmount: totalOpen,
      openByCurrency: currencyFigures(open, 'total'),
      totalAccepted,
      acceptedAmount: totalAccepted,
      acceptedByCurrency: currencyFigures(accepted, 'total'),
    }
  },
  order: (rows, books) => {
    const sales = without(rows, 'status', 'DRAFT', 'CANCELLED', 'RETURNED')
    return {
      total: rows.length,
      byStatus: countsBy(rows, 'status'),
      byPaymentStatus: countsBy(rows, 'paymentStatus'),
      byInvoiceStatus: countsBy(rows, 'invoiceStatus'),
      totalAmount: money(converted(books, sales, 'total', ({ orderDate }) => dayOf(books, orderDate)).sum),
      currency: books.baseCurrency,
      totalByCurrency: currencyFigures(sales, 'total'),
    }
  },
  invoice: invoiceFigures,
  creditNote: (rows, books) => {
    const issued = withValue(rows, 'status', 'ISSUED')
    return {
      total: rows.length,
      byStatus: countsBy(rows, 'status'),
      totalLeft: money(converted(books, issued, 'amountLeft').sum),
      currency: books.baseCurrency,
      leftByCurrency: currencyFigures(issued, 'amountLeft'),
    }
  },
}
