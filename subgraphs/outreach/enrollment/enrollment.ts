import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { SequenceEntityType, SequenceEnrollmentStatus } from './enrollment.enumerations.ts'

const never = { writable: 'NEVER' } as const
const time = { ...never, nullable: true } as const
/** A first time that the worker and the tracking of mails set without a new version. */
const firstTime = { ...time, isUnversioned: true } as const

@ObjectType({
  description:
    'The way of a lead or contact through a sequence. A record has at most one running enrollment in a sequence, ACTIVE or PAUSED.',
})
@Directive('@key(fields: "id")')
@RequiresScope('SEQUENCES')
@Entity({ schema: 'outreach', tableName: 'sequence_enrollment' })
export class SequenceEnrollment extends OrgRecord {
  @Column(() => ID, {
    ...never,
    indexed: true,
    description: 'Id of the sequence.',
    example: '019a0c5e-7f00-7d10-8b3a-91f0c2ab5d01',
  })
  sequenceId!: string

  @Column(() => SequenceEntityType, {
    ...never,
    indexed: true,
    decidesEdges: true,
    description: 'What is enrolled.',
    example: 'CONTACT',
  })
  entityType!: SequenceEntityType

  @Column(() => ID, {
    ...never,
    indexed: true,
    description: 'Id of the lead or contact.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b26',
  })
  entityId!: string

  /** Its account at the time of the enrollment, for stopCompanyOnReply. */
  @Column(() => ID, { ...never, nullable: true, internal: true })
  accountId!: string | null

  /** Its canonical address at the time of the enrollment: a reply, a bounce or an unsubscribe finds the enrollment by it. */
  @Column(() => String, { ...never, nullable: true, internal: true })
  email!: string | null

  @Column(() => SequenceEnrollmentStatus, {
    ...never,
    indexed: true,
    default: 'ACTIVE',
    description: 'Where the enrollment stands.',
    example: 'ACTIVE',
  })
  status!: SequenceEnrollmentStatus

  @NamesRecord('sequence_step')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the step that is executed next; null when the enrollment has ended.',
    example: '019a0c5e-7f00-7d11-9c55-02c4d6e8f013',
  })
  currentStepId!: string | null

  @Column(() => Int, {
    ...never,
    nullable: true,
    description:
      'Position of that step when it was scheduled, from 1; a later reordering of the steps does not change it. Null when the enrollment has ended.',
    example: 2,
  })
  currentStepPosition!: number | null

  /** The round, see the migration. */
  @Column(() => Int, { ...never, internal: true, default: 1 })
  visit!: number

  @Column(() => DateTime, {
    ...time,
    description:
      'When that step is executed, or later if the send window or the daily limit of the sender require it. While the sequence is paused the time stands still, and it is moved by the length of the pause when the sequence goes on. Null unless the status is ACTIVE.',
    example: '2026-11-05T08:00:00.000Z',
  })
  nextRunAt!: string | null

  /** `paused_ms` of the sequence when `nextRunAt` was calculated, see the migration. */
  @Column(() => Float, { ...never, internal: true, default: 0 })
  pausedMs!: number

  /** The worker looks at it again only after its sequence goes on. */
  @Column(() => Boolean, { ...never, internal: true })
  isParked!: boolean

  /** The delay that is left, in milliseconds, while the status is PAUSED. */
  @Column(() => Float, { ...never, nullable: true, internal: true })
  remainingMs!: number | null

  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the user who enrolled the record; null if the platform did.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'enrolledBy', description: 'The user who enrolled the record; null if `enrolledById` is null.' },
  })
  enrolledById!: string | null

  @Column(() => ID, {
    ...never,
    indexed: true,
    nullable: true,
    description:
      'Id of the user in whose name mails are sent and tasks are created; null only if it was enrolled without a user.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'sender', description: 'The user in whose name mails are sent; null if `senderId` is null.' },
  })
  senderId!: string | null

  /** IANA name of the time zone of the recipient; null if unknown. */
  @Column(() => String, { ...never, nullable: true, internal: true })
  timeZone!: string | null

  @Column(() => DateTime, {
    ...never,
    description: 'When the record was enrolled.',
    example: '2026-11-02T08:15:00.000Z',
  })
  enrolledAt!: string

  @Column(() => DateTime, {
    ...time,
    description: 'When the enrollment was paused; null unless it is PAUSED.',
    example: null,
  })
  pausedAt!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 500,
    description: 'Why it was paused; null unless it is PAUSED, or if no reason was given.',
    example: null,
  })
  pauseReason!: string | null

  @Column(() => DateTime, { ...time, description: 'When the enrollment ended; null before.', example: null })
  finishedAt!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    max: 500,
    description: 'Why the enrollment ended; null before, and if every step was executed.',
    example: null,
  })
  exitReason!: string | null

  @NamesRecord('email_thread')
  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the thread of its mails; null before the first mail.',
    example: '019a0c5e-7f00-7b52-9d0e-5a4c7e1f3b27',
  })
  threadId!: string | null

  @Column(() => DateTime, {
    ...firstTime,
    description: 'When its first mail was queued; null before.',
    example: '2026-11-02T08:15:00.000Z',
  })
  contactedAt!: string | null

  @Column(() => DateTime, {
    ...firstTime,
    description: 'When the person first opened one of its mails; null if unknown.',
    example: '2026-11-02T09:18:00.000Z',
  })
  openedAt!: string | null

  @Column(() => DateTime, {
    ...firstTime,
    description: 'When the person first followed a link of one of its mails; null if unknown.',
    example: null,
  })
  clickedAt!: string | null

  @Column(() => DateTime, { ...firstTime, description: 'When the person first replied; null before.', example: null })
  repliedAt!: string | null

  @Column(() => DateTime, {
    ...firstTime,
    description: 'When one of its mails bounced; null if none did.',
    example: null,
  })
  bouncedAt!: string | null

  @Column(() => DateTime, {
    ...firstTime,
    description: 'When the person unsubscribed or complained; null if not.',
    example: null,
  })
  unsubscribedAt!: string | null

  @Column(() => DateTime, {
    ...firstTime,
    description: 'When a meeting with the person was first logged during the enrollment; null if none was.',
    example: null,
  })
  meetingAt!: string | null

  /** Failed executions of the current step. */
  @Column(() => Int, { ...never, internal: true, default: 0 })
  failures!: number
}
