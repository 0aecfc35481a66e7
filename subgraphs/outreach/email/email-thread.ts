import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { EmailDirection, EmailThreadStatus } from './email.enumerations.ts'

const never = { writable: 'NEVER' } as const

const link = (what: string, example: string | null = null) =>
  ({
    ...never,
    indexed: true,
    nullable: true,
    description: `Id of the ${what} that the mails concern; null if none.`,
    example,
  }) as const

@ObjectType({
  description:
    'A conversation by mail with a customer. It is visible to its owner, and to users who see the records of the owner.',
})
@Directive('@key(fields: "id")')
@RequiresScope('EMAILS')
@Entity({ schema: 'outreach', tableName: 'email_thread' })
export class EmailThread extends OrgRecord {
  @Column(() => String, { ...never, max: 255, description: 'Subject of the first mail.', example: 'Dock slots in May' })
  subject!: string

  @Column(() => EmailThreadStatus, {
    ...never,
    indexed: true,
    default: 'OPEN',
    description: 'Whose turn it is.',
    example: 'AWAITING_RESPONSE',
  })
  status!: EmailThreadStatus

  @Column(() => [String], {
    ...never,
    max: 254,
    isEmail: true,
    isCanonical: true,
    maxItems: 100,
    description: 'The first 100 email addresses of all its mails.',
    example: ['ann@fjordline.example', 'ida@halvorsen-marine.example'],
  })
  participants!: string[]

  @Column(() => ID, link('account', '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26'))
  accountId!: string | null

  @Column(() => ID, link('contact'))
  contactId!: string | null

  @Column(() => ID, link('lead'))
  leadId!: string | null

  @Column(() => ID, link('opportunity'))
  opportunityId!: string | null

  @Column(() => ID, link('case'))
  caseId!: string | null

  @Column(() => Int, { ...never, default: 0, description: 'Number of mails.', example: 2 })
  messageCount!: number

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'When the last mail was sent or received; null before the first one was sent.',
    example: '2026-11-02T08:15:00.000Z',
  })
  lastMessageAt!: string | null

  @Column(() => EmailDirection, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'Whether the last mail was sent or received; null before the first one was sent.',
    example: 'OUTBOUND',
  })
  lastDirection!: EmailDirection | null

  @Column(() => Int, {
    ...never,
    nullable: true,
    description: 'Seconds from the first mail that was sent to the first reply; null without a reply.',
    example: null,
  })
  firstResponseSeconds!: number | null

  @Column(() => Int, { ...never, default: 0, description: 'Number of times that people opened its mails.', example: 3 })
  openCount!: number

  @Column(() => Int, { ...never, default: 0, description: 'Number of times that people followed links.', example: 1 })
  clickCount!: number

  @Column(() => Boolean, {
    ...never,
    indexed: true,
    description:
      'True if a mail was received that nobody has seen. Reading the thread with its mails does not change it.',
    example: false,
  })
  unread!: boolean
}
