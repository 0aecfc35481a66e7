import { ID, InputType } from 'type-graphql'
import { InputField } from '../../kernel/record/declared-value.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { noteMax, personMax, QuoteRecordedMethod, reasonMax } from './quote-decision.ts'
import { quote } from './quote.record.ts'

export const quoteTypes = operationTypes(quote, 'QUOTES')

@InputType({ description: 'How a customer accepted a quote, as a user knows it.' })
export class QuoteAcceptInput {
  @InputField(() => String, {
    max: personMax,
    filled: true,
    description: 'Name of the person of the customer who decided.',
    example: 'Ines Duarte',
  })
  name!: string

  @InputField(() => QuoteRecordedMethod, { description: 'How the person told it.', example: 'PHONE' })
  method!: QuoteRecordedMethod

  @InputField(() => DateTime, {
    nullable: true,
    day: 'BEGIN',
    description:
      'When the person decided: not before the quote was sent, and not in the future; null: now. On the day on which the quote was sent, it means the time of the sending.',
    example: null,
  })
  decidedAt?: string | null

  @InputField(() => ID, {
    nullable: true,
    description: 'Id of the contact who decided, whom the caller sees; null if none.',
    example: null,
  })
  contactId?: string | null

  @InputField(() => String, {
    nullable: true,
    max: 254,
    isEmail: true,
    description: 'Email address of the person; null if it is not known.',
    example: 'ines.duarte@example.com',
  })
  email?: string | null

  @InputField(() => String, {
    nullable: true,
    max: noteMax,
    description: 'Note for the organization, which the customer does not see; null if none.',
    example: 'Signed copy follows by post.',
  })
  note?: string | null
}

@InputType({ description: 'How a customer declined a quote, as a user knows it.' })
export class QuoteDeclineInput extends QuoteAcceptInput {
  @InputField(() => String, {
    nullable: true,
    max: reasonMax,
    description: 'Why the customer declined; null without a reason. It is stored as `rejectionReason`.',
    example: 'Budget was cut.',
  })
  reason?: string | null
}
