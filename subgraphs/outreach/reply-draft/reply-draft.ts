import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { draftFiles } from '../email/email-checks.ts'
import { bodyMax } from '../email/send-email.inputs.ts'

const never = { writable: 'NEVER' } as const

export const ReplyDraftStatus = enumeration('ReplyDraftStatus', 'What became of a suggested reply.', {
  PENDING: 'Nobody has decided on it.',
  APPROVED: 'A user approved it. It can be sent.',
  SENT: 'It was sent.',
  REJECTED: 'A user discarded it.',
  EXPIRED: 'A later mail of the thread or 14 days without a decision made it obsolete.',
})
export type ReplyDraftStatus = keyof typeof ReplyDraftStatus

@ObjectType({
  description:
    'A suggested reply to a mail of a customer. The platform writes one for each reply of a person; nothing is sent unless a user sends it. It is visible to users who see the thread.',
})
@Directive('@key(fields: "id")')
@RequiresScope('EMAILS')
@Entity({ schema: 'outreach', tableName: 'reply_draft' })
export class ReplyDraft extends OrgRecord {
  @Column(() => ReplyDraftStatus, {
    indexed: true,
    default: 'PENDING',
    description:
      'What became of it. A change can set APPROVED, and PENDING again; SENT, REJECTED and EXPIRED are final and set by sending, deleting and time.',
    example: 'PENDING',
  })
  status!: ReplyDraftStatus

  @Column(() => ID, {
    ...never,
    indexed: true,
    description: 'Id of the thread.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b27',
  })
  threadId!: string

  @NamesRecord('email')
  @Column(() => ID, {
    ...never,
    description: 'Id of the mail that it answers.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b28',
  })
  replyToMessageId!: string

  @Column(() => String, {
    max: 255,
    filled: true,
    description: 'Subject of the reply, one line without control characters.',
    example: 'Re: Dock slots in May',
  })
  subject!: string

  @Column(() => String, {
    max: bodyMax,
    filled: true,
    description: 'Body of the reply as HTML. It is stored as written, and sanitised when it is sent.',
    example: '<p>Hello,</p><p>thank you for your message.</p>',
  })
  bodyHtml!: string

  @NamesRecord('file')
  @Column(() => [String], draftFiles)
  fileIds!: string[]

  @Column(() => Int, {
    ...never,
    minimum: 0,
    maximum: 100,
    description: 'How well the suggestion fits as the platform sees it, 0 to 100.',
    example: 60,
  })
  confidence!: number

  @Column(() => String, {
    ...never,
    max: 500,
    description: 'Why it was suggested: what the mail seems to be about.',
    example: 'The mail asks for a meeting.',
  })
  reason!: string

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    description: 'When it becomes EXPIRED without a decision: 14 days after the mail.',
    example: '2026-11-16T08:15:00.000Z',
  })
  expiresAt!: string

  @NamesRecord('email')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the mail as it was sent; null unless it is SENT.',
    example: null,
  })
  sentMessageId!: string | null
}
