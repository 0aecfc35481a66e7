import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { RelatedRecord } from '../related-record/related-record.ts'
import { ActivityDirection, ActivityOutcome, ActivitySentiment, ActivityType } from './activity.enumerations.ts'
import { Participant } from './participant.ts'

/** Facts are set when the activity is logged. Only a correction changes `subject` and `body`, and nothing changes the others. */
const fact = { writable: 'ON_CREATE' } as const

export const subjectMax = 255
export const bodyMax = 20_000

@ObjectType({
  description:
    'Something that happened with a customer, for example a call: an entry of the timeline. What happened never changes; its wording can be corrected, and it can be deleted.',
})
@Directive('@key(fields: "id")')
@RequiresScope('ACTIVITIES')
@Entity({ schema: 'crm', tableName: 'activity' })
export class Activity extends RelatedRecord {
  @Column(() => ActivityType, { ...fact, indexed: true, description: 'What happened.', example: 'CALL' })
  type!: ActivityType

  @Column(() => ActivityDirection, {
    ...fact,
    nullable: true,
    description: 'Who addressed whom; null if it does not apply.',
    example: 'OUTBOUND',
  })
  direction!: ActivityDirection | null

  @Column(() => String, {
    ...fact,
    nullable: true,
    max: subjectMax,
    description: 'What it was about, in one line; null if none. `activityCorrect` corrects it.',
    example: 'Renewal of the ferry licences',
  })
  subject!: string | null

  @Column(() => String, {
    ...fact,
    nullable: true,
    max: bodyMax,
    description: 'What was said or written, as free text; null if none. `activityCorrect` corrects it.',
    example: 'They want 40 more seats from January. Sends the list of vessels on Friday.',
  })
  body!: string | null

  @Column(() => ActivityOutcome, {
    ...fact,
    indexed: true,
    nullable: true,
    description: 'How it ended; null if it does not apply.',
    example: 'CONNECTED',
  })
  outcome!: ActivityOutcome | null

  @Column(() => DateTime, {
    ...fact,
    indexed: true,
    indexedByDay: true,
    derivedDefault: 'the time of the request',
    description:
      'When it happened or began. At most five minutes in the future, but a MEETING may be planned up to two years ahead.',
    example: '2026-10-28T13:00:00.000Z',
  })
  occurredAt!: string

  @Column(() => DateTime, {
    ...fact,
    nullable: true,
    description: 'When it ended, not before `occurredAt`; null if unknown.',
    example: '2026-10-28T13:12:00.000Z',
  })
  endedAt!: string | null

  @Column(() => Int, {
    ...fact,
    nullable: true,
    minimum: 0,
    maximum: 31_622_400,
    description:
      'How long it took, in seconds; null if unknown. Unless given, it is the time from `occurredAt` to `endedAt`.',
    example: 720,
  })
  durationSeconds!: number | null

  @Column(() => ID, {
    ...fact,
    indexed: true,
    nullable: true,
    description:
      'Id of the user of the organization who did it, who may have left since; null if no user did. Unless given, it is the user who logs it.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'actor', description: 'The user who did it; null if `actorId` is null.' },
  })
  actorId!: string | null

  @StructureColumn(() => Participant, {
    ...fact,
    list: true,
    maxItems: 100,
    description: 'Who took part, in the given order; empty if unknown.',
    example: [
      { type: 'USER', id: '019a0c5e-7f00-7c1d-8f21-64d0a95be713', email: null, role: 'caller' },
      { type: 'EMAIL', id: null, email: 'ida@halvorsen-marine.example', role: 'called' },
    ],
  })
  participants!: Participant[]

  @Column(() => ActivitySentiment, {
    ...fact,
    nullable: true,
    description: 'Mood of the contact; null if unknown.',
    example: 'POSITIVE',
  })
  sentiment!: ActivitySentiment | null

  @Column(() => String, {
    ...fact,
    nullable: true,
    max: 100,
    description: 'Name of the system or feature that logged it; null if a user did.',
    example: null,
  })
  source!: string | null

  @Column(() => String, {
    ...fact,
    nullable: true,
    max: 255,
    description: 'Id of the entry in that system, for example of a call in the telephone system; null if none.',
    example: null,
  })
  sourceId!: string | null

  @Column(() => Boolean, {
    ...fact,
    description:
      'True if software did it without a person, for example a bulk email. It then does not count as engagement.',
    example: false,
  })
  isAutomated!: boolean

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When its wording was corrected last; null if never.',
    example: null,
  })
  correctedAt!: string | null

  /** A meeting that had not begun when the platform last looked (`activity.begin`). */
  @Column(() => Boolean, { internal: true, writable: 'NEVER' })
  isPlanned!: boolean
}
