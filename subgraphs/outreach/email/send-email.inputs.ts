import { Field, ID, InputType } from 'type-graphql'
import { attachedFilesMax } from '../../crm/public.ts'
import { Json } from '../../kernel/record/scalars.ts'

export const recipientsMax = 10
/** A body of four bytes each still fits into a request of 1 MB. */
export const bodyMax = 250_000
/** Many mail servers refuse mails of more than 20 MB, and an attachment grows by a third. */
export const attachedBytesMax = 10_485_760

const idOf = (what: string) => ({
  nullable: true,
  description: `Id of the ${what} that the mail concerns, one that the caller sees. Null: that of the thread, or none.`,
})

@InputType({ description: 'A mail to send.' })
export class EmailSendInput {
  @Field(() => [String], {
    description: `Addresses of the recipients: 1 to ${recipientsMax}. All of them see each other.`,
  })
  to!: string[]

  @Field(() => [String], { nullable: true, description: `Addresses that get a copy: at most ${recipientsMax}.` })
  cc?: string[] | null

  @Field(() => [String], {
    nullable: true,
    description: `Addresses that get a hidden copy: at most ${recipientsMax}. No header, thread or answer of the API has them.`,
  })
  bcc?: string[] | null

  @Field(() => String, {
    nullable: true,
    description:
      'Subject: one line of 1 to 255 characters. Required without a template and without a thread, whose subject is then used after `Re:`; it comes before the subject of the template.',
  })
  subject?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Body as HTML of at most ${bodyMax.toLocaleString('en')} characters and 500 elements inside one another (50,000 in all); it is sanitised. Without a template, bodyHtml or bodyText is required.`,
  })
  bodyHtml?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Body as text of at most ${bodyMax.toLocaleString('en')} characters; null: it is derived from the HTML.`,
  })
  bodyText?: string | null

  @Field(() => ID, {
    nullable: true,
    description: 'Id of an ACTIVE template that the caller sees, which makes the mail; bodies must then be absent.',
  })
  templateId?: string | null

  @Field(() => Json, {
    nullable: true,
    description: 'Values of the variables of the template, as in its preview.',
  })
  variables?: unknown

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the thread that the mail continues; null: a new thread begins.',
  })
  threadId?: string | null

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the mailbox that sends it, one that the caller sees and that is on. Null: the mailbox of the last mail of the thread, if the caller sees it, or the mail server of the platform.',
  })
  mailboxId?: string | null

  @Field(() => ID, idOf('contact'))
  contactId?: string | null

  @Field(() => ID, idOf('lead'))
  leadId?: string | null

  @Field(() => ID, idOf('account'))
  accountId?: string | null

  @Field(() => ID, idOf('opportunity'))
  opportunityId?: string | null

  @Field(() => [ID], {
    nullable: true,
    description: `Ids of files to attach: at most ${attachedFilesMax} that the caller sees and that are READY, of at most ${attachedBytesMax.toLocaleString('en')} bytes together. A file that is deleted before the mail leaves makes it FAILED. Needs READ_FILES.`,
  })
  fileIds?: string[] | null

  @Field(() => Boolean, {
    defaultValue: true,
    description: 'Whether opens are counted, by an invisible picture in the HTML.',
  })
  trackOpens!: boolean

  @Field(() => Boolean, {
    defaultValue: true,
    description: 'Whether clicks are counted; links of the HTML then lead through the platform.',
  })
  trackClicks!: boolean
}
