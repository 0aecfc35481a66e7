import { requireVisibleAccount } from '../../crm/public.ts'
import { baseCurrencyOf } from '../../identity/public.ts'
import { invalid } from '../../kernel/errors.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import { readSource } from '../../kernel/record/read-source.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { currencyProblems } from '../../kernel/values/currency.ts'
import { decimalOf, exactOf, sumOf } from '../../kernel/values/decimal.ts'
import { creditNote } from '../credit-note/credit-note.record.ts'
import { dayIn, dayOf, timezoneOf } from '../invoice/invoice-day.ts'
import { invoice } from '../invoice/invoice.record.ts'
import { bucketsOf, dayWithEnd } from '../invoice-aging/aging.ts'
import { openSums } from '../invoice-aging/open-balances.ts'
import { payment } from '../payment/payment.record.ts'
import { entriesMax, type AccountStatement, type StatementEntry, type StatementEntryType } from './statement.types.ts'

export interface StatementOf {
  readonly from?: string | null | undefined
  readonly to?: string | null | undefined
  readonly currency?: string | null | undefined
}

type Move = Omit<StatementEntry, 'balance' | 'type'> & { readonly type: StatementEntryType | 'OPENING' }

function requirePeriod(from: string, to: string, today: string): void {
  if (to > today) throw invalid({ path: 'to', code: 'OUT_OF_RANGE', message: 'to must not be in the future.' })
  if (from > to) throw invalid({ path: 'from', code: 'OUT_OF_RANGE', message: 'from must not be after to.' })
}

interface Period {
  readonly accountId: string
  readonly currency: string
  readonly from: string
  readonly to: string
  readonly zone: string
}

/** SQL of the order of the changes of one day. Payments and refunds follow each other in time. */
const rank = (type: string) =>
  `case ${type} when 'INVOICE' then 0 when 'CREDIT_NOTE' then 0 when 'VOID' then 2 else 1 end`

/** The balance before the period and its moves, of one snapshot. */
async function movesOf(ctx: RequestContext, { accountId, currency, from, to, zone }: Period): Promise<Move[]> {
  const predicate = computedOver(ctx)
  const { values } = predicate
  const account = values.add(accountId)
  const isOf = (alias: string, column: string) =>
    `${alias}.${column} = ${account} and ${alias}.currency = ${currencyParameter}`
  const currencyParameter = values.add(currency)
  const zoneParameter = values.add(zone)
  const localDay = (time: string) => `date_trunc('day', ${time} at time zone ${zoneParameter}) at time zone 'UTC'`
  return ctx.db.query<Move & Record<string, unknown>>(
    `with move as (
       select t.id, 'INVOICE' as type, t.issue_date as day, t.issue_date as at, t.id as invoice_id, null::uuid as credit_note_id, t.invoice_number as number,
         null as reference, t.total as amount
       from ${readSource(invoice)} t
       where ${predicate.live(invoice, 't')} and ${isOf('t', 'customer_id')} and t.status <> 'DRAFT'
       union all
       select t.id, 'VOID', ${localDay('t.voided_at')}, t.voided_at, t.id, null, t.invoice_number, null, -t.total
       from ${readSource(invoice)} t
       where ${predicate.live(invoice, 't')} and ${isOf('t', 'customer_id')} and t.status = 'VOID'
       union all
       select c.id, 'CREDIT_NOTE', c.issue_date, c.issue_date, null, c.id, c.credit_note_number, null, -c.total
       from ${readSource(creditNote)} c
       where ${predicate.live(creditNote, 'c')} and ${isOf('c', 'customer_id')} and c.status <> 'DRAFT'
       union all
       select c.id, 'VOID', ${localDay('c.voided_at')}, c.voided_at, null, c.id, c.credit_note_number, null, c.total
       from ${readSource(creditNote)} c
       where ${predicate.live(creditNote, 'c')} and ${isOf('c', 'customer_id')} and c.status = 'VOID'
       union all
       select p.id, p.type, ${localDay('p.paid_at')}, p.paid_at, p.invoice_id, p.credit_note_id, null, p.reference,
         case p.type when 'PAYMENT' then -p.amount else p.amount end
       from ${readSource(payment)} p
       where ${predicate.live(payment, 'p')} and ${isOf('p', 'account_id')} and p.status in ('SUCCEEDED', 'REFUNDED')
     ), shown as (
       select * from move where day between ${values.add(from)} and ${values.add(to)}
       order by day, ${rank('type')}, at, id limit ${entriesMax + 1}
     )
     select null as id, 'OPENING' as type, null as date, null as "invoiceId", null as "creditNoteId", null as number, null as reference,
       coalesce(sum(amount), 0) as amount, 0 as position from move where day < ${values.add(from)}
     union all
     select s.id, s.type, to_char(s.day at time zone 'UTC', 'YYYY-MM-DD"T00:00:00.000Z"'), s.invoice_id, s.credit_note_id,
       coalesce(s.number, i.invoice_number, n.credit_note_number), s.reference, s.amount, row_number() over (order by s.day, ${rank('s.type')}, s.at, s.id)
     from shown s left join ${readSource(invoice)} i on i.organization_id = ${predicate.organization()} and i.id = s.invoice_id
       left join ${readSource(creditNote)} n on n.organization_id = ${predicate.organization()} and n.id = s.credit_note_id
     order by position`,
    values.list,
    'SCAN',
  )
}

function withBalances(opening: ExactNumber, moves: readonly Move[]): StatementEntry[] {
  let balance = decimalOf(opening)
  return moves.map(({ id, type, date, invoiceId, creditNoteId, number, reference, amount }) => {
    balance = balance.plus(decimalOf(amount))
    return {
      id,
      type: type as StatementEntryType,
      date,
      invoiceId,
      creditNoteId,
      number,
      reference,
      amount,
      balance: exactOf(balance),
    }
  })
}

function requireWholeEntries({ caller }: RequestContext): void {
  requireReadable(caller, invoice, 'customerId', 'invoiceNumber', 'issueDate', 'dueDate')
  requireReadable(caller, creditNote, 'customerId', 'creditNoteNumber', 'issueDate')
  requireReadable(caller, payment, 'accountId', 'reference')
}

/** The statement of an account that the caller sees, over the invoices that the caller sees. */
export async function readStatement(ctx: RequestContext, id: string, of: StatementOf): Promise<AccountStatement> {
  requireWholeEntries(ctx)
  const accountId = await requireVisibleAccount(ctx, id)
  const zone = await timezoneOf(ctx)
  const today = dayIn(zone, ctx.clock.now())
  const to = of.to ? dayOf(of.to) : today
  const from = of.from ? dayOf(of.from) : `${to.slice(0, 8)}01T00:00:00.000Z`
  requirePeriod(from, to, today)
  const currency = of.currency ?? (await baseCurrencyOf(ctx))
  const problems = currencyProblems('currency', currency)
  if (problems.length > 0) throw invalid(...problems)
  const [[opening, ...moves], { buckets }] = await Promise.all([
    movesOf(ctx, { accountId, currency, from, to, zone }),
    openSums(ctx, dayWithEnd(zone, to, today), accountId, currency),
  ])
  if (moves.length > entriesMax) {
    const message = `The period has more than ${entriesMax} entries; choose a shorter one.`
    throw invalid({ path: 'from', code: 'TOO_MANY', message })
  }
  const totalOf = (type: StatementEntryType) =>
    sumOf(moves.filter((move) => move.type === type).map(({ amount }) => decimalOf(amount)))
  const openingBalance = opening!.amount
  const entries = withBalances(openingBalance, moves)
  const period = `from=${from.slice(0, 10)}&to=${to.slice(0, 10)}&currency=${currency}`
  return {
    accountId,
    currency,
    from,
    to,
    openingBalance,
    entries,
    totalInvoiced: exactOf(totalOf('INVOICE')),
    totalCredited: exactOf(totalOf('CREDIT_NOTE').neg()),
    totalVoided: exactOf(totalOf('VOID').neg()),
    totalPaid: exactOf(totalOf('PAYMENT').neg()),
    totalRefunded: exactOf(totalOf('REFUND')),
    closingBalance: entries.at(-1)?.balance ?? openingBalance,
    aging: bucketsOf(buckets, currency, (other) => (other === currency ? 1 : undefined)).buckets,
    documentUrl: `/v1/accounts/${accountId}/statement/document?${period}`,
  }
}
