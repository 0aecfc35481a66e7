import { Field, ID, InputType } from 'type-graphql'
import { operationTypes } from '../../kernel/record/standard-resolver.ts'
import { draftFiles } from '../email/email-checks.ts'
import { recipientsMax } from '../email/send-email.inputs.ts'
import { wishMax } from './smart-email-draft.ts'
import { SmartEmailTone } from './smart-email.enumerations.ts'
import { smartEmailDraft } from './smart-email.record.ts'

export const smartEmailTypes = operationTypes(smartEmailDraft, 'EMAILS')

/** Maximum characters of the texts of a request, by their fields. */
export const composeBounds = {
  purpose: wishMax,
  intent: wishMax,
  style: wishMax,
  recipientName: 255,
  companyName: 255,
  subject: 255,
  body: 10_000,
  conversationSummary: 5_000,
} as const

const text = (name: keyof typeof composeBounds, description: string) => ({
  nullable: true,
  description: `${description} At most ${composeBounds[name].toLocaleString('en')} characters.`,
})

const id = (description: string) => ({ nullable: true, description })

@InputType({ description: 'What a mail is to be about. Every field can be absent.' })
export class SmartEmailComposeInput {
  @Field(
    () => ID,
    id(
      'Id of the contact to whom it is written, one that the caller sees; null: that of the thread if the caller sees it, or none.',
    ),
  )
  contactId?: string | null

  @Field(
    () => ID,
    id('Id of the opportunity that it is about, one that the caller sees; null: that of the thread, or none.'),
  )
  opportunityId?: string | null

  @Field(() => ID, id('A second name of `opportunityId`; the two must not differ.'))
  dealId?: string | null

  @Field(() => ID, id('Id of the thread that it continues, one that the caller sees; null: that of the answered mail.'))
  threadId?: string | null

  @Field(() => ID, id('Id of the mail that it answers, one that the caller sees; null: none.'))
  inReplyToMessageId?: string | null

  @Field(() => [String], {
    nullable: true,
    description: `Addresses of the recipients: at most ${recipientsMax}. Null: the address of the contact, if the caller sees it. No other recipient is ever added.`,
  })
  toEmails?: string[] | null

  @Field(() => [ID], {
    nullable: true,
    description: `${draftFiles.description} The model does not get them. Null: none.`,
  })
  fileIds?: string[] | null

  @Field(() => SmartEmailTone, { nullable: true, description: 'How it sounds; null: PROFESSIONAL.' })
  tone?: SmartEmailTone | null

  @Field(() => String, text('purpose', 'Why it is written.'))
  purpose?: string | null

  @Field(() => String, text('intent', 'What the recipient should do, such as `meeting`, `offer` or `reminder`.'))
  intent?: string | null

  @Field(() => String, text('style', 'Wishes for the style in free words.'))
  style?: string | null

  @Field(() => String, text('recipientName', 'Name for the greeting; null: that of the contact.'))
  recipientName?: string | null

  @Field(() => String, text('companyName', 'Name of the company of the recipient; null: that of the account.'))
  companyName?: string | null

  @Field(() => String, text('subject', 'Subject of the mail in one line; null: it is written.'))
  subject?: string | null

  @Field(() => String, text('body', 'What must be in the mail, as text: notes or a first version.'))
  body?: string | null

  @Field(() => String, text('conversationSummary', 'What was said before, for example on the telephone.'))
  conversationSummary?: string | null
}
