import { enumeration } from '../../kernel/record/column.ts'

export const CreditNoteStatus = enumeration('CreditNoteStatus', 'Where a credit note is in its life cycle.', {
  DRAFT: 'It is being written: it has no number, and it can be changed and deleted. The default.',
  ISSUED: 'The customer has the credit: it can be applied to invoices and refunded.',
  VOID: 'It was issued by mistake and is not valid.',
})
export type CreditNoteStatus = keyof typeof CreditNoteStatus
