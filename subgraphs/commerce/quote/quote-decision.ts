import { ID } from 'type-graphql'
import { enumeration } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { Part, Structure } from '../../kernel/record/structure.ts'
import { emailLengthMax } from '../../kernel/values/email-address.ts'

/** Maximum lengths of the texts of a decision, on the page and in the API. */
export const personMax = 200
export const reasonMax = 2000
export const noteMax = 2000

const recordedMethods = {
  PHONE: 'On the phone.',
  EMAIL: 'In a mail.',
  PAPER: 'On paper, such as a signed copy.',
  IN_PERSON: 'In a conversation.',
  OTHER: 'In another way; the note can say which.',
} as const

/** The ways in which a user learns of a decision. */
export const QuoteRecordedMethod = enumeration(
  'QuoteRecordedMethod',
  'How a customer told the organization that a quote is accepted or declined.',
  recordedMethods,
)
export type QuoteRecordedMethod = keyof typeof QuoteRecordedMethod

export const QuoteDecisionMethod = enumeration('QuoteDecisionMethod', 'How a customer accepted or rejected a quote.', {
  PUBLIC_PAGE: 'On the public page of the quote.',
  ...recordedMethods,
})
export type QuoteDecisionMethod = keyof typeof QuoteDecisionMethod

@Structure(
  'QuoteDecision',
  'How the customer accepted or rejected a quote. When and who is in `acceptedAt` and `acceptedByName`, or `rejectedAt` and `rejectedByName`.',
)
export class QuoteDecision {
  @Part(() => QuoteDecisionMethod, {
    writable: 'NEVER',
    description: 'How the customer decided.',
    example: 'PHONE',
  })
  method!: QuoteDecisionMethod

  @Part(() => ID, {
    writable: 'NEVER',
    nullable: true,
    description: 'Id of the contact who decided; null if it was not recorded.',
    example: null,
  })
  contactId!: string | null

  @Part(() => String, {
    writable: 'NEVER',
    nullable: true,
    max: emailLengthMax,
    description: 'Email address of the person who decided; null if it was not recorded.',
    example: 'ines.duarte@example.com',
  })
  email!: string | null

  @Part(() => String, {
    writable: 'NEVER',
    nullable: true,
    max: noteMax,
    description: 'Note of the user who recorded it; the customer does not see it. Null if none.',
    example: 'Signed copy follows by post.',
  })
  note!: string | null

  @Part(() => DateTime, {
    writable: 'NEVER',
    description: 'When it was recorded.',
    example: '2026-11-05T14:30:00.000Z',
  })
  recordedAt!: string

  @Part(() => ID, {
    writable: 'NEVER',
    nullable: true,
    description: 'Id of the user who recorded it; null if the customer decided on the public page.',
    example: null,
    user: { field: 'recordedBy', description: 'The user who recorded it; null if `recordedById` is null.' },
  })
  recordedById!: string | null
}
