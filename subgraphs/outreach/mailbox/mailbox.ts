import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

export const MailboxSecurity = enumeration('MailboxSecurity', 'How a connection to a mail server is secured.', {
  TLS: 'TLS from the first byte.',
  STARTTLS: 'TLS after the greeting; without it no mail is sent or read.',
  NONE: 'No TLS. Only for servers whose addresses OUTBOUND_ALLOW of the deployment names.',
})
export type MailboxSecurity = keyof typeof MailboxSecurity

/** What is shown in the place of a stored password. */
export const maskedPassword = '[redacted]'

const host = (what: string) =>
  ({
    max: 253,
    description: `Name or address of the ${what} server. Connections are made to public addresses only, unless OUTBOUND_ALLOW of the deployment names them.`,
  }) as const

const port = (fallback: number, server: 'smtp' | 'imap') =>
  ({
    minimum: 25,
    maximum: 65_535,
    default: fallback,
    description: `Port of \`${server}Host\`: 25, 143, 465, 587, 993 or one from 1024 to 65535.`,
    example: fallback,
  }) as const

const password = (server: 'smtp' | 'imap') =>
  ({
    nullable: true,
    max: 500,
    description: `Password of \`${server}User\`, stored encrypted. It is shown as \`${maskedPassword}\`, which leaves it as it is when it is sent; null if none. A change of \`${server}Host\`, \`${server}Port\`, \`${server}Security\` or \`${server}User\` needs the password again.`,
    example: maskedPassword,
  }) as const

@ObjectType({
  description:
    'An email account of a user: mails are sent through its SMTP server, and replies, bounces and other mails are received through its IMAP server. Only its owner sees it, unless the owner shares it with the organization. An organization has at most 100.',
})
@Directive('@key(fields: "id")')
@RequiresScope('MAILBOXES')
@Entity({ schema: 'outreach', tableName: 'mailbox' })
export class Mailbox extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the mailbox.',
    example: 'Ann at Fjordline',
  })
  name!: string

  @Column(() => String, {
    indexed: true,
    max: 254,
    isEmail: true,
    isCanonical: true,
    filled: true,
    description: 'Address from which its mails are sent. Unique among the mailboxes of the organization.',
    example: 'ann@fjordline.example',
  })
  email!: string

  @Column(() => Boolean, {
    indexed: true,
    default: true,
    description: 'False if the mailbox is turned off: it neither sends nor receives mails.',
    example: true,
  })
  isEnabled!: boolean

  @Column(() => Boolean, {
    indexed: true,
    default: false,
    description:
      'True if every user of the organization sees the mailbox and can send from it. Only its owner and users with the role OWNER, ADMIN or MANAGER can then change it.',
    example: false,
  })
  isShared!: boolean

  @Column(() => Int, {
    minimum: 1,
    maximum: 10_000,
    default: 500,
    description: 'Mails that it sends in 24 hours. Further mails wait with the status QUEUED.',
    example: 500,
  })
  dailyLimit!: number

  @Column(() => Int, {
    minimum: 1,
    maximum: 600,
    default: 20,
    description: 'Mails that it sends in a minute. Further mails wait with the status QUEUED.',
    example: 20,
  })
  perMinuteLimit!: number

  @Column(() => String, { ...host('SMTP'), filled: true, example: 'smtp.fjordline.example' })
  smtpHost!: string

  @Column(() => Int, port(465, 'smtp'))
  smtpPort!: number

  @Column(() => MailboxSecurity, {
    default: 'TLS',
    description: 'How connections to `smtpHost` are secured.',
    example: 'TLS',
  })
  smtpSecurity!: MailboxSecurity

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'User for `smtpHost`; null: no sign-in.',
    example: 'ann@fjordline.example',
  })
  smtpUser!: string | null

  @Column(() => String, password('smtp'))
  smtpPassword!: string | null

  @Column(() => String, {
    ...host('IMAP'),
    nullable: true,
    example: 'imap.fjordline.example',
    description: `${host('IMAP').description} Null: the mailbox receives no mails. Mails that arrive in INBOX from then on are received.`,
  })
  imapHost!: string | null

  @Column(() => Int, port(993, 'imap'))
  imapPort!: number

  @Column(() => MailboxSecurity, {
    default: 'TLS',
    description: 'How connections to `imapHost` are secured.',
    example: 'TLS',
  })
  imapSecurity!: MailboxSecurity

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'User for `imapHost`, with which it is required; null if none.',
    example: 'ann@fjordline.example',
  })
  imapUser!: string | null

  @Column(() => String, password('imap'))
  imapPassword!: string | null

  @Column(() => String, { nullable: true, writable: 'NEVER', internal: true })
  sealedSmtpPassword!: string | null

  @Column(() => String, { nullable: true, writable: 'NEVER', internal: true })
  sealedImapPassword!: string | null
}
