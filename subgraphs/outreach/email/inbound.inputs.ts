import { Field, InputType, Int, ObjectType } from 'type-graphql'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { enumeration } from '../../kernel/record/column.ts'
import { EmailBounceType } from './email.enumerations.ts'

export const EmailStatusEvent = enumeration('EmailStatusEvent', 'What became known about a sent mail.', {
  DELIVERED: 'The mail server of the recipient accepted it.',
  OPENED: 'It was opened. A `userAgent` of a program counts apart.',
  CLICKED: 'A link was followed.',
  BOUNCED: 'It was not delivered.',
  COMPLAINED: 'The recipient reported it as spam.',
  UNSUBSCRIBED: 'The recipient wants no more mails.',
})
export type EmailStatusEvent = keyof typeof EmailStatusEvent

@InputType({ description: 'What a mail service reports about a sent mail.' })
export class EmailStatusInput {
  @Field(() => String, {
    description: 'Id of the mail, or its Message-ID with or without angle brackets; at most 998 characters.',
  })
  messageId!: string

  @Field(() => EmailStatusEvent, { description: 'What became known.' })
  event!: EmailStatusEvent

  @Field(() => DateTime, { nullable: true, description: 'When it happened; null or a time in the future: now.' })
  timestamp?: string | null

  @Field(() => String, { nullable: true, description: 'CLICKED: address of the link, at most 2,048 characters.' })
  url?: string | null

  @Field(() => EmailBounceType, {
    nullable: true,
    description: 'BOUNCED: whether a later attempt can succeed; null: HARD.',
  })
  bounceType?: EmailBounceType | null

  @Field(() => String, { nullable: true, description: 'BOUNCED: what the mail server said, at most 1,000 characters.' })
  reason?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'OPENED and CLICKED: the program, at most 1,000 characters; null: a person is assumed.',
  })
  userAgent?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Address of the reader, at most 45 characters. It is not stored.',
  })
  ip?: string | null
}

@InputType({ description: 'An attachment of a received mail, without its content.' })
export class InboundAttachmentInput {
  @Field(() => String, { description: 'Name of the file, at most 255 characters.' })
  filename!: string

  @Field(() => String, { description: 'Media type, at most 255 characters.' })
  contentType!: string

  @Field(() => Int, { description: 'Size in bytes, not negative.' })
  size!: number
}

/** With the angle brackets that are added to one without them, it has at most the 998 characters that are stored. */
export const messageIdMax = 996
const givenId = `with or without angle brackets, at most ${messageIdMax} characters`

@InputType({ description: 'A mail that a mail service received.' })
export class EmailInboundInput {
  @Field(() => String, { description: 'Address of the sender.' })
  from!: string

  @Field(() => [String], { description: 'Addresses of the recipients: 1 to 100.' })
  to!: string[]

  @Field(() => [String], { nullable: true, description: 'Addresses that got a copy: at most 100.' })
  cc?: string[] | null

  @Field(() => String, { nullable: true, description: 'Subject; its first 255 characters are stored in one line.' })
  subject?: string | null

  @Field(() => String, {
    nullable: true,
    description:
      'Body as HTML, at most 250,000 characters; it is sanitised. Of more than 500 elements inside one another, or 50,000 in all, only the text is stored.',
  })
  html?: string | null

  @Field(() => String, {
    nullable: true,
    description: 'Body as text, at most 250,000 characters; null: it is derived from the HTML.',
  })
  text?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Message-ID, ${givenId}. A mail with a known one is stored only once.`,
  })
  messageId?: string | null

  @Field(() => String, {
    nullable: true,
    description: `Message-ID of the mail that it answers, ${givenId}.`,
  })
  inReplyTo?: string | null

  @Field(() => [String], {
    nullable: true,
    description: `Message-IDs of the earlier mails, oldest first: at most 50, each ${givenId}.`,
  })
  references?: string[] | null

  @Field(() => DateTime, { nullable: true, description: 'When it was received; null or a time in the future: now.' })
  receivedAt?: string | null

  @Field(() => Json, {
    nullable: true,
    description:
      'Headers by name; a list for one that occurs several times. `Auto-Submitted`, `Precedence`, `X-Autoreply` and the like tell automatic mails; `Return-Path`, `Content-Type` and `X-Failed-Recipients` tell bounces, complaints and receipts. At most 32,000 characters as JSON.',
  })
  headers?: unknown

  @Field(() => [InboundAttachmentInput], {
    nullable: true,
    description: 'The attachments without their content: at most 100.',
  })
  attachments?: InboundAttachmentInput[] | null
}

@ObjectType({ description: 'What became of a webhook call about mails.' })
@RequiresScope('EMAILS')
export class EmailWebhookResult {
  @Field(() => Boolean, { description: 'True if it was accepted.' })
  accepted!: boolean

  @Field(() => String, {
    nullable: true,
    description: 'Id of the mail; null if it was stored already or concerns no mail.',
  })
  emailId!: string | null

  @Field(() => String, { nullable: true, description: 'Id of the thread; null if `emailId` is.' })
  threadId!: string | null
}
