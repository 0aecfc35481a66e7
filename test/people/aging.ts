import type { Big } from 'big.js'
import {
  converted,
  dayOf,
  daysBetween,
  decimal,
  exact,
  groupsBy,
  money,
  quotient,
  rateOn,
  storedDay,
  sumOf,
  withValue,
  type Books,
  type Row,
  type Scalar,
} from './recomputed.ts'
import { salesUntil } from './statistics.ts'

// What customers owed at the end of a day.

const buckets = [
  ['CURRENT', null, 0],
  ['DAYS_1_30', 1, 30],
  ['DAYS_31_60', 31, 60],
  ['DAYS_61_90', 61, 90],
  ['DAYS_OVER_90', 91, null],
] as const
const ofCustomer = ['current', 'days1To30', 'days31To60', 'days61To90', 'daysOver90'] as const

interface Movement {
  readonly amount: number
  readonly status?: string
  readonly paidAt?: string
  readonly refundedAt?: string
  readonly appliedAt?: string
  readonly reversedAt?: string | null
}

/** What an invoice owed at the end of a day, at least 0, from what was paid, returned and credited until then. */
function owedAt(invoice: Row, day: string, books: Books): Big {
  const isUntil = (moment: Scalar) => typeof moment === 'string' && dayOf(books, moment) <= day
  const list = (name: string) => invoice[name] as unknown as readonly Movement[]
  const closed = { PAID: invoice['paidAt'], VOID: invoice['voidedAt'], UNCOLLECTIBLE: invoice['uncollectibleAt'] }
  const { status, issueDate } = invoice
  const isOpen = status !== 'DRAFT' && storedDay(issueDate) <= day && !isUntil(closed[status as keyof typeof closed])
  if (!isOpen) return decimal(0)
  const amounts = (movements: readonly Movement[]) => sumOf(movements.map(({ amount }) => decimal(amount)))
  const owed = decimal(invoice['total'])
    .minus(amounts(list('payments').filter((one) => /SUCCEEDED|REFUNDED/.test(one.status!) && isUntil(one.paidAt))))
    .plus(amounts(list('refunds').filter((one) => isUntil(one.refundedAt))))
    .minus(amounts(list('credits').filter((one) => isUntil(one.appliedAt) && !isUntil(one.reversedAt))))
  return owed.gt(0) ? owed : decimal(0)
}

/** What was left of a credit note at the end of a day. */
function leftAt(note: Row, day: string, books: Books): Big {
  const isUntil = (moment: Scalar) => typeof moment === 'string' && dayOf(books, moment) <= day
  if (note['status'] === 'DRAFT' || storedDay(note['issueDate']) > day || isUntil(note['voidedAt'])) return decimal(0)
  const list = (name: string) => note[name] as unknown as readonly Movement[]
  const amounts = (movements: readonly Movement[]) => sumOf(movements.map(({ amount }) => decimal(amount)))
  return decimal(note['total'])
    .minus(amounts(list('applications').filter((one) => isUntil(one.appliedAt) && !isUntil(one.reversedAt))))
    .minus(amounts(list('refunds').filter((one) => isUntil(one.refundedAt))))
}

const medianOf = (numbers: readonly number[]): number | null => {
  if (numbers.length === 0) return null
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2
  // Half to even, as PostgreSQL rounds a double.
  return exact(decimal(middle).round(0, 2))
}

interface Owed {
  readonly row: Row
  readonly age: number
  readonly due: Big
}

export function agingFigures(rows: readonly Row[], notes: readonly Row[], day: string, books: Books) {
  const owed = rows
    .map((row): Owed => ({ row, age: daysBetween(storedDay(row['dueDate']), day), due: owedAt(row, day, books) }))
    .filter(({ due }) => due.gt(0))
  const inBucket = (all: readonly Owed[], [, min, max]: (typeof buckets)[number]) =>
    all.filter(({ age }) => age >= (min ?? -Infinity) && age <= (max ?? Infinity))
  const rate = ({ currency }: Row) => rateOn(books, currency, day)
  const inBase = ({ row, due }: Owed) => (rate(row) ?? decimal(0)).times(due)
  const known = owed.filter(({ row }) => rate(row) !== null)
  const bucketsOf = (all: readonly Owed[], amountOf: (one: Owed) => Big) => {
    const amounts = buckets.map((bucket) => money(sumOf(inBucket(all, bucket).map(amountOf))))
    const total = sumOf(amounts.map(decimal))
    return {
      buckets: buckets.map((bucket, index) => ({
        key: bucket[0],
        minDays: bucket[1],
        maxDays: bucket[2],
        count: inBucket(all, bucket).length,
        amount: amounts[index]!,
        percent: quotient(decimal(amounts[index]).times(100), total, 2) ?? 0,
      })),
      total: exact(total),
    }
  }
  const all = bucketsOf(known, inBase)
  const credits = notes
    .map((row): Owed => ({ row, age: 0, due: leftAt(row, day, books) }))
    .filter(({ due }) => !due.eq(0))
  const afterCredit = (total: Scalar | Big, own: readonly Owed[], amountOf: (one: Owed) => Big) => {
    const unappliedCredit = money(sumOf(own.map(amountOf)))
    return { unappliedCredit, balance: exact(decimal(total).minus(unappliedCredit)) }
  }
  const sales = converted(books, salesUntil(rows, day), 'total', () => day).sum
  const begin = new Date(Date.parse(day) - 90 * 86_400_000).toISOString().slice(0, 10)
  const opening = sumOf(rows.map((row) => inBase({ row, age: 0, due: owedAt(row, begin, books) })))
  const closing = sumOf(known.map(inBase))
  const collectible = opening.plus(sales)
  const customers = [...Map.groupBy(known, ({ row }) => row['customerId'])]
  return {
    asOf: `${day}T00:00:00.000Z`,
    currency: books.baseCurrency,
    ...all,
    ...afterCredit(all.total, credits, inBase),
    byCurrency: groupsBy([...owed, ...credits], ({ row }) => String(row['currency'])).map(([currency, some]) => {
      const own = bucketsOf(
        some.filter((one) => owed.includes(one)),
        ({ due }) => due,
      )
      const ofCredit = some.filter((one) => credits.includes(one))
      return { currency, ...own, ...afterCredit(own.total, ofCredit, ({ due }) => due) }
    }),
    dso: quotient(decimal(all.total).times(90), sales, 2),
    weightedAverageDaysOverdue:
      quotient(sumOf(known.map((one) => inBase(one).times(Math.max(0, one.age)))), closing, 2) ?? 0,
    cei: quotient(collectible.minus(closing).times(100), collectible.minus(all.buckets[0]!.amount), 2),
    byCustomer: customers.map(([customerId, own]) => {
      const parts = buckets.map((bucket) => money(sumOf(inBucket(own, bucket).map(inBase))))
      const first = own.toSorted(
        (one, other) => other.age - one.age || (String(one.row['id']) < String(other.row['id']) ? -1 : 1),
      )[0]!
      const paid = withValue(rows, 'status', 'PAID').filter((row) => row['customerId'] === customerId)
      return {
        customerId,
        ...Object.fromEntries(ofCustomer.map((name, index) => [name, parts[index]])),
        total: exact(sumOf(parts.map(decimal))),
        ...afterCredit(
          sumOf(parts.map(decimal)),
          credits.filter(({ row }) => customerId !== null && row['customerId'] === customerId),
          inBase,
        ),
        oldestInvoiceId: first.row['id'],
        medianDaysLate: medianOf(
          paid.map(({ issueDate, dueDate, paidAt }) => {
            const days = Math.max(0, daysBetween(storedDay(issueDate), dayOf(books, paidAt)))
            return daysBetween(storedDay(dueDate), storedDay(issueDate)) + days
          }),
        ),
      }
    }),
  }
}
