import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Decimal } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { documentUrlOptions } from '../document/document-url.ts'
import { LineItem, linesMax } from '../line-item/line-item.ts'
import { PricedRecord } from '../line-item/priced-record.ts'
import { CreditNoteRefund, creditsMax, InvoiceCredit } from './credit.ts'
import { CreditNoteStatus } from './credit-note.enumerations.ts'

/** Maximum length of the reason of a credit note, and of that of voiding it. */
export const reasonMax = 2000

const never = { writable: 'NEVER' } as const
const moment = (description: string) => ({ ...never, nullable: true, description, example: null })

@ObjectType({
  description:
    'What the organization owes a customer, such as for returned goods: lines with prices, taxes as in invoices, and what became of the credit. It is applied to open invoices of the customer or paid to the customer.',
})
@Directive('@key(fields: "id")')
@RequiresScope('INVOICES')
@Entity({ schema: 'commerce', tableName: 'credit_note' })
export class CreditNote extends PricedRecord {
  @Column(() => String, {
    ...never,
    indexed: true,
    nullable: true,
    max: 20,
    description:
      'Number of the credit note, counted for each organization and year of `issueDate` without gaps. Null in a DRAFT; it never changes.',
    example: 'CN-2026-000007',
  })
  creditNoteNumber!: string | null

  @Column(() => CreditNoteStatus, {
    ...never,
    indexed: true,
    default: 'DRAFT',
    decidesEdges: true,
    description: 'Where the credit note is in its life cycle. Its own operations change it.',
    example: 'DRAFT',
  })
  status!: CreditNoteStatus

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description:
      'Id of the invoice that is credited, an issued one; null if none. It gives the customer, the contact and the currency, and the lines if none are sent.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  invoiceId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    decidesEdges: true,
    description: 'Id of the account that gets the credit; null if none. Without one it cannot be issued.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  customerId!: string | null

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    derivedFrom: ['customerId'],
    description: 'The same as `customerId`, under the name that other records use.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  accountId!: string | null

  @Column(() => ID, {
    indexed: true,
    nullable: true,
    description: 'Id of the contact who gets the credit note; null if none.',
    example: null,
  })
  contactId!: string | null

  @Column(() => DateTime, {
    isUtcDay: true,
    indexed: true,
    nullable: true,
    description:
      'Day of the credit note, as midnight UTC; a time of day is cut off. Null in a DRAFT until it is set: it is then the day of issuing in the time zone of the organization.',
    example: '2026-11-02T00:00:00.000Z',
  })
  issueDate!: string | null

  @StructureColumn(() => LineItem, {
    list: true,
    maxItems: linesMax,
    description:
      'The lines in their order; empty if none. A change replaces all of them; only a DRAFT can change. Prices are those of the invoice, so the total is above 0.',
  })
  lineItems!: LineItem[]

  @Column(() => Decimal, {
    ...never,
    indexed: true,
    default: 0,
    description: 'Sum of the applications that count.',
    example: 0,
  })
  amountApplied!: ExactNumber

  @Column(() => Decimal, { ...never, indexed: true, default: 0, description: 'Sum of the refunds.', example: 0 })
  amountRefunded!: ExactNumber

  @Column(() => Decimal, {
    ...never,
    indexed: true,
    description:
      'What can be applied or refunded: `total` - `amountApplied` - `amountRefunded`; 0 unless it is ISSUED.',
    example: 0,
  })
  amountLeft!: ExactNumber

  @StructureColumn(() => InvoiceCredit, {
    ...never,
    list: true,
    maxItems: creditsMax,
    description: `The applications to invoices in their order, also reversed ones, at most ${creditsMax}; empty if none.`,
  })
  applications!: InvoiceCredit[]

  @StructureColumn(() => CreditNoteRefund, {
    ...never,
    list: true,
    maxItems: creditsMax,
    description: `The refunds in their order, at most ${creditsMax}; empty if none.`,
  })
  refunds!: CreditNoteRefund[]

  @Column(() => String, {
    nullable: true,
    max: reasonMax,
    description: 'Why the customer gets the credit, which the document prints; null without a reason.',
    example: 'Two boxes were damaged.',
  })
  reason!: string | null

  @Column(() => String, {
    nullable: true,
    max: 20_000,
    description: 'Notes for the organization, as free text; the customer does not see them. Null if none.',
    example: null,
  })
  notes!: string | null

  @Column(() => DateTime, { indexed: true, ...moment('When the credit note was issued; null before.') })
  issuedAt!: string | null

  @Column(() => DateTime, moment('When the credit note was voided; null if not.'))
  voidedAt!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: reasonMax,
    description: 'Why the credit note was voided; null if not voided or without a reason.',
    example: null,
  })
  voidReason!: string | null

  @Column(() => String, documentUrlOptions('credit-notes', 'credit note'))
  documentUrl!: string
}
