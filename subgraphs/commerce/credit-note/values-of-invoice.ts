import { invalid, Refusal, type FieldProblem } from '../../kernel/errors.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import type { CreditNote } from './credit-note.ts'

const copied = ['lineItems', 'discountType', 'discountValue', 'shippingTotal'] as const

/** An invoice that the caller sees; null where another check refuses the id. */
async function seen(ctx: RequestContext, id: string): Promise<Invoice | null> {
  try {
    return await requireRecord(ctx, invoice, id)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'NOT_FOUND') return null
    throw error
  }
}

function problemsOf({ status, customerId, currency }: Invoice, values: Partial<CreditNote>): FieldProblem[] {
  const problem = (path: string, message: string): FieldProblem => ({ path, code: 'NOT_ALLOWED', message })
  const isIssued = status !== 'DRAFT' && status !== 'VOID'
  return [
    ...(isIssued
      ? []
      : [problem('invoiceId', `invoiceId must be the id of an issued invoice; this one has the status ${status}.`)]),
    ...(values.customerId != null && values.customerId.toLowerCase() !== customerId
      ? [problem('customerId', 'customerId must be the customer of the invoice.')]
      : []),
    ...(values.currency != null && values.currency !== currency
      ? [problem('currency', `currency must be ${currency}, that of the invoice.`)]
      : []),
  ]
}

/** What follows from the invoice that a change names: its customer and currency, and its lines if the credit note has none. */
export async function valuesOfInvoice(
  ctx: RequestContext,
  values: Partial<CreditNote>,
  previous: CreditNote | null,
): Promise<Partial<CreditNote>> {
  const invoiceId = values.invoiceId === undefined ? previous?.invoiceId : values.invoiceId
  const isConcerned = ['invoiceId', 'customerId', 'currency'].some((name) => name in values)
  if (!invoiceId || !isConcerned) return {}
  const source = await seen(ctx, invoiceId)
  if (!source) return {}
  const problems = problemsOf(source, values)
  if (problems.length > 0) throw invalid(...problems)
  const isWithoutLines = (values.lineItems ?? previous?.lineItems ?? []).length === 0
  requireReadable(ctx.caller, invoice, 'customerId', 'contactId', ...(isWithoutLines ? copied : []))
  const { customerId, currency, contactId, lineItems, discountType, discountValue, shippingTotal } = source
  return {
    customerId,
    currency,
    ...(values.contactId == null && (previous?.contactId ?? null) === null && { contactId }),
    ...(isWithoutLines && { lineItems, discountType, discountValue, shippingTotal }),
  }
}
