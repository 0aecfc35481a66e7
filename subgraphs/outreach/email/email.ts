import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { Part, Structure, StructureColumn } from '../../kernel/record/structure.ts'
import { EmailBounceType, EmailDirection, EmailKind, EmailStatus } from './email.enumerations.ts'

const never = { writable: 'NEVER' } as const

@Structure('EmailClick', 'One time that a person followed a link of a mail.')
export class EmailClick {
  @Part(() => String, { max: 2048, description: 'Address of the link.', example: 'https://fjordline.example/slots' })
  url!: string

  @Part(() => DateTime, { description: 'When the link was followed.', example: '2026-11-02T09:20:00.000Z' })
  at!: string
}

@Structure('EmailAttachment', 'An attachment of a mail.')
export class EmailAttachment {
  @NamesRecord('file')
  @Part(() => ID, {
    nullable: true,
    description:
      'Id of the file. Null if it is not kept: in mails of webhooks, and what exceeds the limits of received mails (20 files, 25 MB each, 50 MB together).',
    example: '019a0c5e-7f00-7b1d-8e4f-3a9c5d7e2f60',
  })
  fileId!: string | null

  @Part(() => String, { max: 255, description: 'Name of the file.', example: 'berths.pdf' })
  filename!: string

  @Part(() => String, {
    max: 255,
    description: 'Media type; of a kept file that of its bytes.',
    example: 'application/pdf',
  })
  contentType!: string

  @Part(() => Int, {
    minimum: 0,
    description: 'Size in bytes; estimated for an attachment that is not kept.',
    example: 48_213,
  })
  size!: number
}

const address = { ...never, max: 254, isEmail: true, isCanonical: true } as const
const addresses = { ...address, maxItems: 100 } as const

@ObjectType({ description: 'A mail of a thread. It is visible to users who see the thread.' })
@Directive('@key(fields: "id")')
@RequiresScope('EMAILS')
@Entity({ schema: 'outreach', tableName: 'email_message' })
export class Email extends OrgRecord {
  @NamesRecord('email_thread')
  @Column(() => ID, {
    ...never,
    indexed: true,
    description: 'Id of the thread.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b27',
  })
  threadId!: string

  @Column(() => EmailDirection, { ...never, description: 'Whether it was sent or received.', example: 'OUTBOUND' })
  direction!: EmailDirection

  @Column(() => EmailKind, { ...never, default: 'MAIL', description: 'What kind of mail it is.', example: 'MAIL' })
  kind!: EmailKind

  @Column(() => String, {
    ...address,
    description: 'Address of the sender.',
    example: 'ann@fjordline.example',
  })
  fromEmail!: string

  @Column(() => [String], {
    ...addresses,
    description: 'Addresses of the recipients.',
    example: ['ida@halvorsen-marine.example'],
  })
  toEmails!: string[]

  @Column(() => [String], { ...addresses, description: 'Addresses that get a copy; empty if none.', example: [] })
  ccEmails!: string[]

  /** Addresses that get a hidden copy. Others who see the thread must not learn them, so no API has them. */
  @Column(() => [String], { ...addresses, internal: true })
  bccEmails!: string[]

  @Column(() => String, { ...never, max: 255, description: 'Subject in one line.', example: 'Dock slots in May' })
  subject!: string

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 1_000_000,
    description: 'Body as sanitised HTML; null without one.',
    example: '<p>Hello Ida</p>',
  })
  bodyHtml!: string | null

  @Column(() => String, {
    ...never,
    max: 1_000_000,
    description: 'Body as text.',
    example: 'Hello Ida',
  })
  bodyText!: string

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 998,
    description: 'Message-ID of the mail, the same for every attempt to send it; null if the received mail has none.',
    example: '<019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26@fjordline.example>',
  })
  internetMessageId!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 998,
    description: 'Message-ID of the mail that it answers; null if none.',
    example: null,
  })
  inReplyTo!: string | null

  @Column(() => [String], {
    ...never,
    max: 998,
    maxItems: 50,
    description: 'Message-IDs of the earlier mails of the thread, oldest first; empty if none.',
    example: [],
  })
  referenceIds!: string[]

  @Column(() => EmailStatus, { ...never, default: 'QUEUED', description: 'What is known about it.', example: 'OPENED' })
  status!: EmailStatus

  @Column(() => DateTime, {
    ...never,
    nullable: true,
    description:
      'When it was sent, or refused for its recipients; for a received mail the time in its header, at most now. Null before.',
    example: '2026-11-02T08:15:00.000Z',
  })
  sentAt!: string | null

  @Column(() => DateTime, {
    ...never,
    nullable: true,
    description: 'When it was delivered, or received; null if unknown.',
    example: '2026-11-02T08:15:02.000Z',
  })
  deliveredAt!: string | null

  @Column(() => DateTime, {
    ...never,
    nullable: true,
    description: 'When a person first opened it; null if unknown.',
    example: '2026-11-02T09:18:00.000Z',
  })
  firstOpenedAt!: string | null

  @Column(() => DateTime, {
    ...never,
    nullable: true,
    description: 'When a person last opened it; null if unknown.',
    example: '2026-11-02T09:18:00.000Z',
  })
  lastOpenedAt!: string | null

  @Column(() => Int, { ...never, default: 0, description: 'Number of times that people opened it.', example: 1 })
  openCount!: number

  @Column(() => Int, {
    ...never,
    default: 0,
    description:
      'Number of times that programs opened it, such as the privacy proxies of mail services. They change nothing else.',
    example: 1,
  })
  machineOpenCount!: number

  @StructureColumn(() => EmailClick, {
    ...never,
    list: true,
    maxItems: 100,
    description: 'The first 100 times that people followed its links.',
    example: [],
  })
  clicks!: EmailClick[]

  @Column(() => EmailBounceType, {
    ...never,
    nullable: true,
    description: 'Whether a later attempt can succeed; null if it did not bounce. A SOFT bounce leaves the status.',
    example: null,
  })
  bounceType!: EmailBounceType | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 1000,
    description:
      'What the mail server said, of a hidden copy only its codes; null if it did not bounce. Of several bounces the last one.',
    example: null,
  })
  bounceReason!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 500,
    description: 'Why it was not sent; null unless it FAILED.',
    example: null,
  })
  failureReason!: string | null

  @StructureColumn(() => EmailAttachment, {
    ...never,
    list: true,
    maxItems: 100,
    description:
      'The attachments; empty if none. The files of a received mail are also in `files`, and exactly those who see the mail see them.',
    example: [],
  })
  attachments!: EmailAttachment[]

  @NamesRecord('email_template')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the template that it was made of; null if none.',
    example: null,
  })
  templateId!: string | null

  @NamesRecord('mailbox')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description:
      'Id of the mailbox that sent or received it; null for the mail server of the platform and for webhooks.',
    example: null,
  })
  mailboxId!: string | null

  /** The mail as it leaves: with the pixel and with links through the platform. */
  @Column(() => String, { ...never, nullable: true, max: 2_000_000, internal: true })
  sentHtml!: string | null

  /** The targets of its links; a click names one by its index, so no other address can be reached. */
  @Column(() => [String], { ...never, max: 2048, maxItems: 200, internal: true })
  links!: string[]
}
