import { Field, ID, InputType } from 'type-graphql'
import { Day } from '../../kernel/record/declared-class.ts'
import { dayMeaning } from '../../kernel/record/describe.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { noteMax, personMax, QuoteRecordedMethod, reasonMax } from './quote-decision.ts'
import { quote } from './quote.record.ts'

export const quoteTypes = operationTypes(quote, 'QUOTES')

@InputType({ description: 'How a customer accepted a quote, as a user knows it.' })
export class QuoteAcceptInput {
  @Field(() => String, {
    description: `Name of the person of the customer who decided, 1 to ${personMax} characters.`,
  })
  name!: string

  @Field(() => QuoteRecordedMethod, { description: 'How the person told it.' })
  method!: QuoteRecordedMethod

  @Field(() => DateTime, {
    nullable: true,
    description: `When the person decided: not before the quote was sent, and not in the future; null: now. ${dayMeaning('BEGIN')} On the day on which the quote was sent, it means the time of the sending.`,
  })
  @Day('BEGIN')
  decidedAt?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the contact who decided, whom the caller sees; null if none.',
  })
  contactId?: string | null

  @Field(() => String, { nullable: true, description: 'Email address of the person; null if it is not known.' })
  email?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Note for the organization, at most ${noteMax} characters; the customer does not see it. Null if none.`,
  })
  note?: string | null
}

@InputType({ description: 'How a customer declined a quote, as a user knows it.' })
export class QuoteDeclineInput extends QuoteAcceptInput {
  @Field(() => String, {
    nullable: true,
    description: `Why the customer declined, at most ${reasonMax} characters; null without a reason. It is stored as \`rejectionReason\`.`,
  })
  reason?: string | null
}
