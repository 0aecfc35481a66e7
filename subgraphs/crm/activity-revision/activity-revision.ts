import { Entity } from '@mikro-orm/decorators/legacy'
import { ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

const never = { writable: 'NEVER' } as const

@ObjectType({
  description:
    'An earlier wording of an activity, as it was before a correction. It never changes. Exactly those who see the activity see it.',
})
@RequiresScope('ACTIVITIES')
@Entity({ schema: 'crm', tableName: 'activity_revision' })
export class ActivityRevision {
  @Column(() => ID, {
    ...never,
    description: 'Id of the revision.',
    example: '019a0c5e-7f00-7e61-9a2d-4c8f1b7d3e90',
  })
  id!: string

  @Column(() => ID, {
    ...never,
    description: 'Id of the organization.',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
  })
  organizationId!: string

  @NamesRecord('activity')
  @Column(() => ID, {
    ...never,
    description: 'Id of the activity.',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
  })
  activityId!: string

  @Column(() => Int, {
    ...never,
    description: 'Last `version` of the activity with this wording.',
    example: 1,
  })
  activityVersion!: number

  @Column(() => String, {
    ...never,
    nullable: true,
    hiddenWith: ['activity.subject'],
    description: '`subject` before the correction; null if there was none.',
    example: 'Renewal of the ferry licence',
  })
  subject!: string | null

  @Column(() => String, {
    ...never,
    nullable: true,
    hiddenWith: ['activity.body'],
    description: '`body` before the correction; null if there was none.',
    example: 'They want 14 more seats from January.',
  })
  body!: string | null

  @Column(() => ID, {
    ...never,
    nullable: true,
    description: 'Id of the user who corrected it; null if the platform did.',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    user: { field: 'correctedBy', description: 'The user who corrected it; null if `correctedById` is null.' },
  })
  correctedById!: string | null

  @Column(() => DateTime, {
    ...never,
    description: 'When it was corrected.',
    example: '2026-11-02T09:02:00.000Z',
  })
  createdAt!: string
}
