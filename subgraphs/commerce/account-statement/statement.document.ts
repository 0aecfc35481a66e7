import { addresseeOf, requireAddressee } from '../../crm/public.ts'
import { organizationSettings } from '../../identity/public.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { decimalOf, exactOf, zero } from '../../kernel/values/decimal.ts'
import { amountFormat } from '../document/amount-format.ts'
import { documentDay } from '../document/document-day.ts'
import { documentFile, type DocumentFile } from '../document/document-file.ts'
import { documentSeller } from '../document/document-seller.ts'
import type { DocumentEntry, StatementDocument } from '../document/priced-document.ts'
import { readStatement, type StatementOf } from './read-statement.ts'
import type { AccountStatement, StatementEntry, StatementEntryType } from './statement.types.ts'

/** Days are stored as midnight UTC. */
const day = documentDay('UTC')

const names: Readonly<Record<StatementEntryType, string>> = {
  INVOICE: 'Invoice',
  CREDIT_NOTE: 'Credit note',
  VOID: 'Voided:',
  PAYMENT: 'Payment of',
  REFUND: 'Refund of',
}

const ages: Readonly<Record<string, string>> = {
  CURRENT: 'Not overdue',
  DAYS_1_30: '1 to 30 days overdue',
  DAYS_31_60: '31 to 60 days overdue',
  DAYS_61_90: '61 to 90 days overdue',
  DAYS_OVER_90: 'More than 90 days overdue',
}

function entryOf({ date, type, number, reference, amount, balance }: StatementEntry): DocumentEntry {
  const isCharge = decimalOf(amount).gte(zero)
  return {
    day: day(date),
    text: `${names[type]} ${number}${reference === null ? '' : ` (${reference})`}`,
    charge: isCharge ? amount : null,
    credit: isCharge ? null : exactOf(decimalOf(amount).neg()),
    balance,
  }
}

async function documentOf(ctx: RequestContext, statement: AccountStatement): Promise<StatementDocument> {
  const { accountId, currency, from, to, aging } = statement
  const { accountName, contactName: _contact, ...customer } = await addresseeOf(ctx, { accountId, contactId: null })
  const { paymentInstructions = null } = await organizationSettings(ctx)
  const format = amountFormat(currency)
  return {
    title: 'STATEMENT',
    number: `STATEMENT-${to.slice(0, 10)}-${currency}`,
    facts: [
      ['From', day(from)],
      ['To', day(to)],
    ],
    currency,
    organization: await documentSeller(ctx),
    customerLabel: 'Customer',
    customer: { ...customer, name: accountName ?? '' },
    entries: statement.entries.map(entryOf),
    summary: [
      ['Opening balance', statement.openingBalance],
      ['Invoiced', statement.totalInvoiced],
      ['Credited', statement.totalCredited],
      ['Voided', statement.totalVoided],
      ['Paid', statement.totalPaid],
      ['Refunded', statement.totalRefunded],
      ['Balance', statement.closingBalance],
    ],
    sections: [
      ['Open invoices', aging.map(({ key, amount }) => `${ages[key]!}: ${format.amount(amount)}`).join('\n')],
      ['How to pay', paymentInstructions],
    ],
  }
}

/** The PDF of a statement, for a caller whose profile hides nothing of what it says about the customer. */
export async function statementFile(ctx: RequestContext<'work'>, id: string, of: StatementOf): Promise<DocumentFile> {
  requireAddressee(ctx.caller)
  const statement = await readStatement(ctx, id, of)
  return documentFile(ctx, await documentOf(ctx, statement), { version: 1 })
}
