import { ID, Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { DateTime } from '../../kernel/record/scalars.ts'

/** The columns of a trigger that are not settings. */
@ObjectType()
export abstract class AiTriggerRow {
  @Column(() => ID, {
    writable: 'ON_CREATE',
    example: '019a0c5e-7f00-7b21-9c44-5e8d2a7f1c71',
    description:
      'Id of the trigger, a UUIDv7 unless a client chose it. A client may set it on create, so that an import can be retried. It never changes.',
  })
  id!: string

  @Column(() => ID, {
    writable: 'NEVER',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
    description: 'Id of the organization to which the trigger belongs. It never changes.',
  })
  organizationId!: string

  @Column(() => Int, {
    writable: 'NEVER',
    example: 1,
    description:
      'Version of the trigger: 1 on create, increased by 1 with each change of its settings. REST sends it as `ETag` too.',
  })
  version!: number

  @Column(() => DateTime, {
    writable: 'NEVER',
    example: '2026-11-02T08:15:00.000Z',
    description: 'When the trigger was created.',
  })
  createdAt!: string

  @Column(() => DateTime, {
    writable: 'NEVER',
    example: '2026-11-02T08:15:00.000Z',
    description: 'When its settings were last changed; at first the time of its creation.',
  })
  updatedAt!: string

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description: 'Id of the user who created the trigger; null if the platform created it.',
    user: { field: 'createdBy', description: 'The user who created it; null if `createdById` is null.' },
  })
  createdById!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description: 'Id of the user who last changed its settings; null if the platform changed them.',
    user: { field: 'updatedBy', description: 'The user who last changed it; null if `updatedById` is null.' },
  })
  updatedById!: string | null

  @Column(() => DateTime, { nullable: true, internal: true })
  deletedAt!: string | null
}
