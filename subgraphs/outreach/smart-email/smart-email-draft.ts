import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime, Json } from '../../kernel/record/scalars.ts'
import { draftFiles } from '../email/email-checks.ts'
import { recipientsMax } from '../email/send-email.inputs.ts'
import { SmartEmailStatus, SmartEmailTone } from './smart-email.enumerations.ts'

const never = { writable: 'NEVER' } as const
export const wishMax = 500
export const draftBodyMax = 100_000

const recordId = (what: string, example: string | null = null) =>
  ({
    writable: 'ON_CREATE',
    indexed: true,
    nullable: true,
    description: `Id of the ${what}, one that the caller sees; null if none.`,
    example,
  }) as const

const addresses = { max: 254, isEmail: true, isCanonical: true, maxItems: recipientsMax } as const
const wish = { nullable: true, max: wishMax } as const

@ObjectType({
  description:
    'A mail that is written before it is sent. Only its owner sees it, unless the owner shares it; then also users who see the records of the owner, such as managers. Only the owner can change, schedule and send it, because the mail bears the name of the owner.',
})
@Directive('@key(fields: "id")')
@RequiresScope('EMAILS')
@Entity({ schema: 'outreach', tableName: 'smart_email_draft' })
export class SmartEmailDraft extends OrgRecord {
  @Column(() => SmartEmailStatus, {
    ...never,
    indexed: true,
    default: 'DRAFT',
    description:
      'How far the draft is. DRAFT and SCHEDULED change into each other; sending makes them SENDING, then SENT or FAILED.',
    example: 'DRAFT',
  })
  status!: SmartEmailStatus

  @Column(() => String, {
    default: '',
    max: 255,
    description: 'Subject of the mail in one line; empty while nobody has written one. Required to send it.',
    example: 'Dock slots in May',
  })
  subject!: string

  @Column(() => String, {
    default: '',
    max: draftBodyMax,
    description:
      'Body of the mail as HTML with at most 500 elements inside one another (50,000 in all); it is sanitised when it is stored. Required to send it.',
    example: '<p>Hello Ida,</p><p>which day would suit you for a call?</p>',
  })
  bodyHtml!: string

  @Column(() => String, {
    ...never,
    default: '',
    max: 500_000,
    derivedFrom: ['bodyHtml'],
    description: 'Body of the mail as text, derived from the HTML.',
    example: 'Hello Ida,\n\nwhich day would suit you for a call?',
  })
  bodyText!: string

  @Column(() => [String], {
    ...addresses,
    description: 'Addresses of the recipients; at least one is required to send it. All of them see each other.',
    example: ['ida@halvorsen-marine.example'],
  })
  toEmails!: string[]

  @Column(() => [String], { ...addresses, description: 'Addresses that get a copy; empty if none.', example: [] })
  ccEmails!: string[]

  @Column(() => [String], {
    ...addresses,
    description:
      'Addresses that get a hidden copy; empty if none. No header of the mail has them, and neither has its thread.',
    example: [],
  })
  bccEmails!: string[]

  @NamesRecord('file')
  @Column(() => [String], draftFiles)
  fileIds!: string[]

  @Column(() => ID, recordId('contact to whom it is written'))
  contactId!: string | null

  @Column(() => ID, recordId('opportunity that it is about'))
  opportunityId!: string | null

  @Column(() => ID, recordId('thread that it continues'))
  threadId!: string | null

  @NamesRecord('email')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the mail of the thread that it answers; null if none.',
    example: null,
  })
  inReplyToMessageId!: string | null

  @Column(() => SmartEmailTone, {
    indexed: true,
    default: 'PROFESSIONAL',
    description: 'How it sounds.',
    example: 'FRIENDLY',
  })
  tone!: SmartEmailTone

  @Column(() => String, { ...wish, description: 'Why it is written; null if not said.', example: 'Agree on a call.' })
  purpose!: string | null

  @Column(() => String, {
    ...wish,
    description: 'What the recipient should do; null if not said.',
    example: 'meeting',
  })
  intent!: string | null

  @Column(() => String, {
    ...wish,
    description: 'Wishes for the style in free words, for a language model; null if none.',
    example: 'No jargon.',
  })
  style!: string | null

  @Column(() => Boolean, {
    default: false,
    description: 'True if users who see the records of the owner can read the draft. Only the owner can change it.',
    example: false,
  })
  isShared!: boolean

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'When it will be, or was to be sent; null if it was not scheduled.',
    example: null,
  })
  scheduledAt!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 100,
    description: 'Time zone in which it was scheduled as IANA name; null if it was not scheduled.',
    example: null,
  })
  timezone!: string | null

  @Column(() => DateTime, {
    ...never,
    nullable: true,
    description: 'When the mail was sent; null before.',
    example: null,
  })
  sentAt!: string | null

  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the mail that it became; null before it is sent.',
    example: null,
  })
  messageId!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 500,
    description: 'Why it was not sent; null unless it FAILED.',
    example: null,
  })
  failureReason!: string | null

  @Column(() => Json, {
    ...never,
    nullable: true,
    description:
      'How the text was written, as `{model, promptVersion, generatedAt, groundedOn: [{entityType, entityId}]}`; null if a person wrote it. `groundedOn` has the records whose values the model got: only those that the user saw, without fields that the profile of the user hides. entityType: CONTACT, ACCOUNT, OPPORTUNITY, EMAIL_THREAD or EMAIL. The rules of the platform, which use no model, are called `local-composer-1`.',
    example: {
      model: 'local-composer-1',
      promptVersion: 'mail-1',
      generatedAt: '2026-11-02T08:15:00.000Z',
      groundedOn: [{ entityType: 'CONTACT', entityId: '019a0c5e-7f00-7a11-9f0e-3c2b1a0d9e8f' }],
    },
  })
  generation!: unknown

  /** What `compose` was asked for and no other column has: names, subject, notes and the summary of the conversation. */
  @Column(() => Json, { ...never, nullable: true, internal: true })
  request!: unknown

  /** How often the text was written anew. */
  @Column(() => Int, { ...never, default: 0, internal: true })
  rewrites!: number

  /** When the job tries to send it; later than `scheduledAt` after a limit was reached. */
  @Column(() => DateTime, { ...never, nullable: true, internal: true })
  nextAttemptAt!: string | null
}
