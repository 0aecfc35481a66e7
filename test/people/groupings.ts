import {
  converted,
  dayOf,
  groupsBy,
  money,
  storedDay,
  today,
  type Books,
  type Lists,
  type Row,
  type Scalar,
} from './recomputed.ts'
import { issueDay } from './statistics.ts'

// Groups of records with sums, and how a reader computes them.

/** The month of a moment in the time zone of the organization, or of a day. */
const monthOf = (books: Books, moment: Scalar) => dayOf(books, moment).slice(0, 7)

export interface Grouping {
  readonly list: keyof Lists
  readonly groupBy: string
  /** What the groups of a row are named; by default the values of the fields. */
  readonly keysOf?: (row: Row, books: Books) => readonly Scalar[]
  readonly sum?: readonly string[]
  /** The day whose rate converts the amounts of a row; by default today. */
  readonly ratedOn?: (row: Row, books: Books) => string
  readonly only?: readonly [name: string, value: Scalar]
}

const closeDay = (row: Row, books: Books) => (row['isClosed'] === true ? dayOf(books, row['closeDate']) : today(books))
const storedMonth = (value: Scalar) => (value === null ? null : storedDay(value).slice(0, 7))
const deals = { list: 'opportunity', sum: ['amount', 'expectedRevenue'], ratedOn: closeDay } as const
const invoices = { list: 'invoice', sum: ['total', 'amountPaid', 'amountDue'], ratedOn: issueDay } as const

export const groupings: readonly Grouping[] = [
  { ...deals, groupBy: 'stage' },
  { ...deals, groupBy: 'ownerId' },
  { ...deals, groupBy: 'isClosed,isWon' },
  { ...deals, groupBy: 'type,currency' },
  { ...deals, groupBy: 'closeDate:month', keysOf: ({ closeDate }, books) => [monthOf(books, closeDate)] },
  {
    ...deals,
    groupBy: 'closeDate:month,ownerId',
    keysOf: ({ closeDate, ownerId }, books) => [monthOf(books, closeDate), ownerId],
    only: ['isWon', true],
  },
  { ...invoices, groupBy: 'status' },
  { ...invoices, groupBy: 'customerId' },
  { ...invoices, groupBy: 'issueDate:month', keysOf: ({ issueDate }) => [storedMonth(issueDate)] },
  {
    ...invoices,
    groupBy: 'dueDate:month,currency',
    keysOf: ({ dueDate, currency }) => [storedMonth(dueDate), currency],
  },
  {
    list: 'creditNote',
    groupBy: 'issueDate:month',
    keysOf: ({ issueDate }) => [storedMonth(issueDate)],
    sum: ['total', 'amountLeft'],
    ratedOn: issueDay,
  },
  {
    list: 'payment',
    groupBy: 'paidAt:month,type',
    keysOf: ({ paidAt, type }, books) => [monthOf(books, paidAt), type],
    sum: ['amount'],
    ratedOn: ({ paidAt }, books) => dayOf(books, paidAt),
  },
  {
    list: 'order',
    groupBy: 'orderDate:month,status',
    keysOf: ({ orderDate, status }, books) => [monthOf(books, orderDate), status],
    sum: ['total'],
    ratedOn: ({ orderDate }, books) => dayOf(books, orderDate),
  },
  {
    list: 'quote',
    groupBy: 'status,ownerId',
    sum: ['total'],
    ratedOn: ({ acceptedAt }, books) => (acceptedAt === null ? today(books) : dayOf(books, acceptedAt)),
  },
  { list: 'task', groupBy: 'status,priority' },
  { list: 'task', groupBy: 'assignedToId' },
  { list: 'case', groupBy: 'priority,status' },
  { list: 'case', groupBy: 'createdAt:month', keysOf: ({ createdAt }, books) => [monthOf(books, createdAt)] },
  { list: 'activity', groupBy: 'type,ownerId' },
  { list: 'activity', groupBy: 'createdAt:day', keysOf: ({ createdAt }, books) => [dayOf(books, createdAt)] },
  { list: 'lead', groupBy: 'status,leadSource' },
]

/** The groups of rows in one form: `[keys, count, ...figures]`, in the order of their keys. */
export const inOrder = (groups: readonly (readonly [keys: readonly unknown[], ...figures: unknown[]])[]) =>
  groups.map((group) => JSON.stringify(group)).toSorted()

export function expectedGroups({ keysOf, groupBy, sum = [], ratedOn }: Grouping, rows: readonly Row[], books: Books) {
  const keys = keysOf ?? ((row: Row) => groupBy.split(',').map((name) => row[name]))
  const texts = (row: Row) => keys(row, books).map((value) => (value === null ? null : String(value)))
  const sumsOf = (own: readonly Row[]) =>
    sum.map((name) => {
      const found = converted(books, own, name, ratedOn && ((row) => ratedOn(row, books)))
      return [name, money(found.sum), found.unconverted]
    })
  const groups = groupsBy(rows, (row) => JSON.stringify(texts(row)))
  return {
    groups: inOrder(groups.map(([text, own]) => [JSON.parse(text) as unknown[], own.length, ...sumsOf(own)])),
    total: [rows.length, ...sumsOf(rows)],
  }
}
