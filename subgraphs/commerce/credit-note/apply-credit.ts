import { actorIdOf } from '../../kernel/context.ts'
import { invalid, notFound, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { newId } from '../../kernel/ids.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { save } from '../../kernel/record/save.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf } from '../../kernel/values/decimal.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { withCredits } from '../invoice/invoice-credits.ts'
import { isOpen } from '../invoice/invoice.status.ts'
import { amountProblem } from '../invoice/record-payment.ts'
import { syncOrder } from '../order-invoice/sync-order.ts'
import { changeCreditNote, type Version } from './change-credit-note.ts'
import { requireCreditLeft } from './credit-note.actions.ts'
import { refuseInState } from './credit-note.states.ts'
import type { CreditNote } from './credit-note.ts'
import { creditsMax, type InvoiceCredit } from './credit.ts'

/** Invoices to which one call applies a credit note. */
export const invoicesMax = 50

export interface GivenApplication {
  readonly invoiceId: string
  /** Null: as much as the invoice and the credit note allow. */
  readonly amount?: ExactNumber | null
}

const at = (index: number, name: string) => `applications.${index}.${name}`

function requireDistinct(given: readonly GivenApplication[]): void {
  const ids = given.map(({ invoiceId }) => invoiceId.toLowerCase())
  const problems = ids.flatMap((id, index): FieldProblem[] =>
    ids.indexOf(id) === index
      ? []
      : [{ path: at(index, 'invoiceId'), code: 'NOT_UNIQUE', message: 'invoiceId must be named once.' }],
  )
  if (problems.length > 0) throw invalid(...problems)
}

/** The invoices by id, locked in the order of their ids, so that calls with the same invoices wait for each other. */
async function lockInvoices(
  ctx: RequestContext,
  given: readonly GivenApplication[],
): Promise<ReadonlyMap<string, Invoice>> {
  const locked = new Map<string, Invoice>()
  for (const id of given.map(({ invoiceId }) => invoiceId.toLowerCase()).toSorted())
    try {
      locked.set(id, await requireRecord(ctx, invoice, id, { isLocked: true }))
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'NOT_FOUND') throw error
    }
  return locked
}

function invoiceProblems(note: CreditNote, found: Invoice | undefined, index: number): FieldProblem[] {
  const path = at(index, 'invoiceId')
  if (!found) {
    const message = 'invoiceId must be the id of an existing record that you can see.'
    return [{ path, code: 'UNKNOWN_REFERENCE', message }]
  }
  const problem = (message: string): FieldProblem => ({ path, code: 'NOT_ALLOWED', message })
  if (found.customerId !== note.customerId) return [problem('The invoice must be of the customer of the credit note.')]
  if (found.currency !== note.currency) return [problem(`The invoice must be in ${note.currency}.`)]
  if (!isOpen(found.status)) return [problem(`The invoice must be open; it has the status ${found.status}.`)]
  if (found.credits.length >= creditsMax)
    return [{ path, code: 'TOO_MANY', message: `An invoice has at most ${creditsMax} credits.` }]
  return []
}

/** The applications that were asked for, in their order: none exceeds what is due, nor all of them what is left. */
function creditsFor(
  ctx: RequestContext,
  note: CreditNote,
  given: readonly GivenApplication[],
  invoices: ReadonlyMap<string, Invoice>,
): InvoiceCredit[] {
  let left = decimalOf(note.amountLeft)
  const problems: FieldProblem[] = []
  const credits = given.flatMap(({ invoiceId, amount: wanted }, index): InvoiceCredit[] => {
    const found = invoices.get(invoiceId.toLowerCase())
    const own = invoiceProblems(note, found, index)
    problems.push(...own)
    if (own.length > 0) return []
    const due = decimalOf(found!.amountDue)
    const max = due.lt(left) ? due : left
    const amount = wanted ?? exactOf(max)
    const wrong = amountProblem(amount, note.currency, max, ', what is due and left of the credit note')
    problems.push(...wrong.map((problem) => ({ ...problem, path: at(index, 'amount') })))
    left = left.minus(decimalOf(amount))
    return [
      {
        id: newId(),
        creditNoteId: note.id,
        invoiceId: found!.id,
        amount: exactOf(decimalOf(amount)),
        appliedAt: ctx.clock.now().toISOString(),
        reversedAt: null,
        recordedById: actorIdOf(ctx.caller),
      },
    ]
  })
  if (note.applications.length + credits.length > creditsMax) {
    const message = `A credit note has at most ${creditsMax} applications.`
    problems.push({ path: 'applications', code: 'TOO_MANY', message })
  }
  if (problems.length > 0) throw invalid(...problems)
  return credits
}

/** Saves the invoices with their credits, and then what their orders say about them. */
async function saveInvoices(
  ctx: RequestContext,
  changes: readonly (readonly [previous: Invoice, credits: InvoiceCredit[]])[],
): Promise<void> {
  for (const [previous, credits] of changes) {
    const { implied, events = [] } = await withCredits(ctx, previous, credits)
    await save(ctx, invoice, { operation: 'UPDATE', previous, values: {}, implied, events })
  }
  const orders = new Set(changes.flatMap(([{ orderId }]) => orderId ?? []))
  for (const orderId of [...orders].toSorted()) await syncOrder(ctx, orderId)
}

/** Applies a credit note to open invoices of its customer. Concurrent applications wait for each other, so that they never exceed the credit or what is due. */
export function applyCreditNote(
  ctx: RequestContext,
  id: string,
  given: readonly GivenApplication[],
  expectedVersion: Version,
): Promise<CreditNote> {
  if (given.length < 1 || given.length > invoicesMax) {
    const message = `applications must have between 1 and ${invoicesMax} items.`
    throw invalid({ path: 'applications', code: 'OUT_OF_RANGE', message })
  }
  requireDistinct(given)
  // What is applied, or how much is refused, tells what is due.
  requireReadable(ctx.caller, invoice, 'amountDue')
  return changeCreditNote(ctx, id, expectedVersion, async (previous, inner) => {
    await requireCreditLeft(inner, previous)
    const invoices = await lockInvoices(inner, given)
    const credits = creditsFor(inner, previous, given, invoices)
    await saveInvoices(
      inner,
      credits.map((credit) => {
        const found = invoices.get(credit.invoiceId)!
        return [found, [...found.credits, credit]] as const
      }),
    )
    return { implied: { applications: [...previous.applications, ...credits] }, events: ['credit_note.applied'] }
  })
}

/** Reverses an application: the amount is due again, and left of the credit note. */
export const reverseApplication = (
  ctx: RequestContext,
  id: string,
  applicationId: string,
  expectedVersion: Version,
): Promise<CreditNote> =>
  changeCreditNote(ctx, id, expectedVersion, async (previous, inner) => {
    const application = previous.applications.find((one) => one.id === applicationId.toLowerCase())
    if (!application) throw notFound('The application')
    if (application.reversedAt !== null) await refuseInState(inner, previous, 'The application was reversed already.')
    const reversed = { ...application, reversedAt: inner.clock.now().toISOString() }
    const replaced = (all: readonly InvoiceCredit[]) => all.map((one) => (one.id === reversed.id ? reversed : one))
    const found = await requireRecord(inner, invoice, application.invoiceId, { isLocked: true })
    await saveInvoices(inner, [[found, replaced(found.credits)]])
    return {
      implied: { applications: replaced(previous.applications) },
      events: ['credit_note.application_reversed'],
    }
  })
