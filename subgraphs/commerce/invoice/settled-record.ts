import { ObjectType } from 'type-graphql'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import { Column } from '../../kernel/record/column.ts'
import { Decimal } from '../../kernel/record/scalars.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { creditsMax, InvoiceCredit } from '../credit-note/credit.ts'
import { PricedRecord } from '../line-item/priced-record.ts'
import { InvoicePayment, InvoiceRefund, paymentsMax } from './invoice-payment.ts'

/** The columns that say what is paid and credited of a document with prices, and what is due. */
@ObjectType()
export abstract class SettledRecord extends PricedRecord {
  @Column(() => Decimal, {
    writable: 'NEVER',
    indexed: true,
    default: 0,
    description: 'Sum of the payments that count, less the refunds.',
    example: 1000,
  })
  amountPaid!: ExactNumber

  @Column(() => Decimal, {
    writable: 'NEVER',
    indexed: true,
    default: 0,
    description: 'Sum of the credit notes that are applied, in whole or in part.',
    example: 0,
  })
  amountCredited!: ExactNumber

  @Column(() => Decimal, {
    writable: 'NEVER',
    indexed: true,
    description:
      '`total` - `amountPaid` - `amountCredited`: what is due of the invoice, without fees and interest of reminders. Below 0 after an overpayment.',
    example: 4494.23,
  })
  amountDue!: ExactNumber

  @StructureColumn(() => InvoicePayment, {
    list: true,
    maxItems: paymentsMax,
    writable: 'NEVER',
    description: `The payments in the order in which they were recorded, at most ${paymentsMax}; empty if none.`,
  })
  payments!: InvoicePayment[]

  @StructureColumn(() => InvoiceRefund, {
    list: true,
    maxItems: paymentsMax,
    writable: 'NEVER',
    description: `The refunds of the payments in the order in which they were recorded, at most ${paymentsMax}; empty if none.`,
  })
  refunds!: InvoiceRefund[]

  @StructureColumn(() => InvoiceCredit, {
    list: true,
    maxItems: creditsMax,
    writable: 'NEVER',
    description: `The applications of credit notes in their order, also reversed ones, at most ${creditsMax}; empty if none.`,
  })
  credits!: InvoiceCredit[]
}
