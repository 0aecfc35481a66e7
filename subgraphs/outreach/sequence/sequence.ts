import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, Float, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { defaultsOf, StructureColumn } from '../../kernel/record/structure.ts'
import { SequenceEntityType } from '../enrollment/enrollment.enumerations.ts'
import { SequenceStatus } from './sequence.enumerations.ts'
import { SequenceSettings } from './sequence-settings.ts'

const never = { writable: 'NEVER' } as const

@ObjectType({ description: 'Steps such as mails, tasks and delays through which leads and contacts are led.' })
@Directive('@key(fields: "id")')
@RequiresScope('SEQUENCES')
@Entity({ schema: 'outreach', tableName: 'sequence' })
export class Sequence extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the sequence.',
    example: 'After Nor-Shipping',
  })
  name!: string

  @Column(() => String, {
    nullable: true,
    max: 2000,
    description: 'What the sequence is for; null if not set.',
    example: 'Visitors of our stand who asked for an offer',
  })
  description!: string | null

  @Column(() => SequenceStatus, {
    ...never,
    indexed: true,
    default: 'DRAFT',
    description: 'Whether the sequence runs. `toggle` and `archive` change it.',
    example: 'ACTIVE',
  })
  status!: SequenceStatus

  @Column(() => [SequenceEntityType], {
    derivedDefault: 'LEAD and CONTACT',
    maxItems: 2,
    description: 'What can be enrolled: LEAD, CONTACT or both.',
    example: ['LEAD', 'CONTACT'],
  })
  entityTypes!: SequenceEntityType[]

  @StructureColumn(() => SequenceSettings, {
    derivedDefault: 'the defaults of its parts',
    description:
      'When mails are sent, and what ends an enrollment. A change replaces all settings: an absent one gets its default. It applies to what is executed from then on.',
    example: { ...defaultsOf(SequenceSettings), stopOnOpportunityStage: ['CLOSED_WON'] },
  })
  settings!: SequenceSettings

  @Column(() => Int, { ...never, default: 0, description: 'Number of its steps, 0 to 50.', example: 3 })
  stepCount!: number

  @Column(() => Int, {
    ...never,
    default: 0,
    description: 'Number of changes of its steps: each of them is a new version of the sequence.',
    example: 4,
  })
  stepRevision!: number

  @Column(() => DateTime, {
    ...never,
    indexed: true,
    nullable: true,
    description: 'When the sequence was last set to ACTIVE; null before.',
    example: '2026-11-02T08:15:00.000Z',
  })
  activatedAt!: string | null

  @Column(() => DateTime, {
    ...never,
    nullable: true,
    description: 'Since when the sequence stands still; null while it is ACTIVE and before it was ACTIVE.',
    example: null,
  })
  pausedAt!: string | null

  /** Milliseconds of all earlier pauses, see the migration. */
  @Column(() => Float, { ...never, internal: true, default: 0 })
  pausedMs!: number
}
