import { addresseeOf } from '../../crm/public.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { readReference, requireRecord } from '../../kernel/record/read.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { documentDay } from '../document/document-day.ts'
import { documentSeller } from '../document/document-seller.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import type { PricedDocument } from '../document/priced-document.ts'
import { taxesByRate } from '../document/taxes-by-rate.ts'
import { invoice } from '../invoice/invoice.record.ts'
import type { Invoice } from '../invoice/invoice.ts'
import { creditNote as definition } from './credit-note.record.ts'
import type { CreditNote } from './credit-note.ts'

/** Days are stored as midnight UTC. */
const day = documentDay('UTC')

const titles: Readonly<Record<CreditNote['status'], string>> = {
  DRAFT: 'DRAFT CREDIT NOTE',
  ISSUED: 'CREDIT NOTE',
  VOID: 'VOID CREDIT NOTE',
}

/** The number of the credited invoice; null if there is none or the reader does not see it. */
async function invoiceNumberOf(ctx: RequestContext, id: string | null): Promise<string | null> {
  const found = id === null ? null : await readReference(ctx, invoice, id, new Set(['invoiceNumber']))
  return (found as Invoice | null)?.invoiceNumber ?? null
}

async function documentOf(ctx: RequestContext, note: CreditNote): Promise<PricedDocument> {
  const { customerId: accountId, contactId, issueDate } = note
  const { accountName, contactName, ...customer } = await addresseeOf(ctx, { accountId, contactId })
  return {
    title: titles[note.status],
    number: note.creditNoteNumber ?? 'DRAFT',
    facts: [
      ['Date', issueDate && day(issueDate)],
      ['Invoice', await invoiceNumberOf(ctx, note.invoiceId)],
    ],
    currency: note.currency,
    organization: await documentSeller(ctx),
    customerLabel: 'Credit to',
    customer: { ...customer, name: accountName ?? contactName ?? '', contactName: accountName && contactName },
    lines: note.lineItems,
    subtotal: note.subtotal,
    discountTotal: note.discountTotal,
    taxTotal: note.taxTotal,
    taxes: taxesByRate(note.lineItems),
    shippingTotal: note.shippingTotal,
    total: note.total,
    sections: [['Reason', note.reason]],
  }
}

/** The columns that the document prints. */
const printed = [
  'creditNoteNumber',
  'status',
  'issueDate',
  'invoiceId',
  'currency',
  'customerId',
  'contactId',
  'lineItems',
  'subtotal',
  'discountTotal',
  'taxTotal',
  'shippingTotal',
  'total',
  'reason',
] as const satisfies (keyof CreditNote)[]

/** The PDF of a credit note that the caller sees. 403 if the caller's profile hides a column that it prints. */
export async function creditNoteFile(ctx: RequestContext<'work'>, id: string): Promise<DocumentFile> {
  requireReadable(ctx.caller, definition, ...printed)
  const note = await requireRecord(ctx, definition, id)
  return documentFile(ctx, await documentOf(ctx, note), note)
}
