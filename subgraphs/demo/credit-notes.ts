import type { CreditNote } from '../commerce/credit-note/credit-note.ts'
import type { InvoiceCredit } from '../commerce/credit-note/credit.ts'
import type { Invoice } from '../commerce/invoice/invoice.ts'
import { dayOf } from '../commerce/invoice/invoice-day.ts'
import type { LineItem } from '../commerce/line-item/line-item.ts'
import { pricingOf } from '../commerce/line-item/pricing.ts'
import type { Sql } from '../kernel/database/sql.ts'
import { textOfNumber } from '../kernel/json/exact-number.ts'
import type { GeneratedRecord } from '../kernel/record/insert-records.ts'
import { dayMs, hourMs, iso } from './calendar.ts'
import { withHistory } from './history.ts'
import { commonFields, type GeneratorInput } from './organization.ts'
import { Random } from './random.ts'

type GeneratedNote = GeneratedRecord<CreditNote>
type GeneratedInvoice = GeneratedRecord<Invoice>

interface Credited {
  readonly creditNotes: readonly GeneratedNote[]
  /** All invoices, of which one has a credit. */
  readonly invoices: readonly GeneratedInvoice[]
}

/**
 * Two credit notes: one for damaged goods of an invoice that nobody has paid, which is applied to it, and one for a late delivery that was paid
 * already, of which everything is left.
 */
export function demoCreditNotes(input: GeneratorInput, invoices: readonly GeneratedInvoice[]): Credited {
  const random = new Random(`credit notes ${input.profile.code}`)
  const unpaid = invoices.find(({ values }) => values.status === 'SENT')
  const paid = invoices
    .filter(({ values }) => values.status === 'PAID' && values.lastPaymentAt! < iso(input.midnightMs - 3 * dayMs))
    .toSorted((a, b) => a.values.lastPaymentAt!.localeCompare(b.values.lastPaymentAt!))
    .at(-1)
  const open =
    paid &&
    issuedNote(input, random, paid.values, {
      createdMs: Date.parse(paid.values.lastPaymentAt!) + dayMs,
      part: 0.1,
      line: 'Allowance for the late delivery',
      reason: 'The goods arrived two weeks after the agreed day.',
    })
  const applied =
    unpaid &&
    issuedNote(input, random, unpaid.values, {
      createdMs: Date.parse(unpaid.values.sentAt!) + dayMs,
      part: 0.2,
      line: 'Allowance for damaged packaging',
      reason: 'A part of the goods arrived in damaged packaging.',
    })
  const credit = applied && creditOf(random, applied, unpaid.values)
  const notes = [...(open ? [open] : []), ...(applied ? [withCredit(applied, credit!)] : [])]
  return {
    creditNotes: numbered(notes).map((note) => withSteps(random, note)),
    invoices: invoices.map((one) => (one === unpaid ? creditedInvoice(random, one, credit!) : one)),
  }
}

interface Wanted {
  readonly createdMs: number
  /** How much of the first line of the invoice is credited. */
  readonly part: number
  readonly line: string
  readonly reason: string
}

/** A credit note of an invoice, with the tax of its first line. */
function issuedNote(
  input: GeneratorInput,
  random: Random,
  source: GeneratedInvoice['values'],
  { createdMs, part, line, reason }: Wanted,
): GeneratedNote {
  const [first] = source.lineItems!
  const unitPrice = Math.ceil(Number(textOfNumber(first!.lineTotal)) * part)
  const header = { currency: source.currency!, discountType: null, discountValue: null, shippingTotal: 0 }
  const allowance = {
    ...first!,
    id: random.id(createdMs),
    productId: null,
    sku: null,
    name: line,
    description: first!.name,
    quantity: 1,
    unitPrice,
    listPrice: null,
    discountPercent: 0,
    discountAmount: 0,
  }
  const { lines, ...totals } = pricingOf([allowance], header)
  const lineItems: LineItem[] = [{ ...allowance, ...lines[0]! }]
  const issuedMs = createdMs + hourMs
  const values = {
    ...commonFields(input, random, createdMs, source.ownerId!),
    ...header,
    ...totals,
    ownerId: source.ownerId!,
    lineItems,
    status: 'ISSUED' as const,
    invoiceId: source.id,
    customerId: source.customerId!,
    contactId: source.contactId ?? null,
    issueDate: dayOf(iso(issuedMs)),
    issuedAt: iso(issuedMs),
    reason,
  }
  return { values, actorId: source.ownerId!, eventId: random.id(createdMs) }
}

function creditOf(random: Random, { values }: GeneratedNote, source: GeneratedInvoice['values']): InvoiceCredit {
  const appliedMs = Date.parse(values.issuedAt!) + hourMs
  return {
    id: random.id(appliedMs),
    creditNoteId: values.id,
    invoiceId: source.id,
    amount: values.total!,
    appliedAt: iso(appliedMs),
    reversedAt: null,
    recordedById: source.ownerId!,
  }
}

const withCredit = (note: GeneratedNote, credit: InvoiceCredit): GeneratedNote => ({
  ...note,
  values: { ...note.values, applications: [credit] },
})

/** The invoice after the application: its status is that of a part that is settled. */
function creditedInvoice(random: Random, one: GeneratedInvoice, credit: InvoiceCredit): GeneratedInvoice {
  const appliedMs = Date.parse(credit.appliedAt)
  const change = {
    occurredAt: credit.appliedAt,
    actorId: credit.recordedById,
    before: { status: one.values.status!, credits: [] },
    events: [],
    isEventReplaced: false,
    eventIds: [random.id(appliedMs)],
  }
  return {
    ...one,
    values: { ...one.values, status: 'PARTIALLY_PAID', credits: [credit] },
    changes: [...one.changes!, change],
  }
}

/** Numbers the credit notes of each year in the order of their issue. */
function numbered(notes: readonly GeneratedNote[]): GeneratedNote[] {
  const counts = new Map<string, number>()
  return notes
    .toSorted((a, b) => a.values.issuedAt!.localeCompare(b.values.issuedAt!))
    .map((note) => {
      const year = note.values.issueDate!.slice(0, 4)
      const number = (counts.get(year) ?? 0) + 1
      counts.set(year, number)
      const creditNoteNumber = `CN-${year}-${String(number).padStart(6, '0')}`
      return { ...note, values: { ...note.values, creditNoteNumber } }
    })
}

/** The events of a credit note: it was created, issued and, with an application, applied. */
function withSteps(random: Random, note: GeneratedNote): GeneratedNote {
  const { ownerId, creditNoteNumber, issueDate, issuedAt, applications = [] } = note.values
  const draft = { status: 'DRAFT' as const, creditNoteNumber: null, issueDate: null, issuedAt: null, applications: [] }
  const issued = {
    status: 'ISSUED' as const,
    creditNoteNumber: creditNoteNumber!,
    issueDate: issueDate!,
    issuedAt: issuedAt!,
  }
  return withHistory(random, note, draft, [
    { atMs: Date.parse(issuedAt!), actorId: ownerId!, values: issued, events: ['credit_note.issued'] },
    ...applications.map(({ appliedAt }) => ({
      atMs: Date.parse(appliedAt),
      actorId: ownerId!,
      values: { applications },
      events: ['credit_note.applied'],
    })),
  ])
}

/** Continues the numbers of the generated credit notes. */
export const loadCreditNoteNumbers = (sql: Sql, { organizationId }: GeneratorInput): Promise<unknown> =>
  sql.query(
    `insert into kernel.record_number (organization_id, object, value)
     select organization_id, 'credit_note:' || substr(credit_note_number, 4, 4), count(*) from commerce.credit_note
     where organization_id = $1 and credit_note_number is not null group by 1, 2`,
    [organizationId],
  )
