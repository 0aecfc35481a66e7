import { ID, Int, ObjectType } from 'type-graphql'
import { Column } from './column.ts'
import { DateTime, Json } from './scalars.ts'

export type JsonObject = { [key: string]: unknown }

/** The columns that all records of organizations have. */
@ObjectType()
export abstract class OrgRecord {
  @Column(() => ID, {
    writable: 'ON_CREATE',
    example: '019a0c5e-7f00-7a93-b1c4-0e6d28f75a41',
    description:
      'Id of the record, a UUIDv7 unless a client chose it. A client may set it on create, so that an import can be retried. It never changes.',
  })
  id!: string

  @Column(() => ID, {
    writable: 'NEVER',
    example: '019a0c5e-7f00-7000-8a10-2f6b9d4c7e01',
    description: 'Id of the organization to which the record belongs. It never changes.',
  })
  organizationId!: string

  // Callers with the visibility OWN or TEAM would not see a record without owner.
  @Column(() => ID, {
    indexed: true,
    nullable: true,
    notClearable: true,
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description:
      'Id of the user who owns the record, an active user of the organization. Which users can see the record depends on its owner. Null only if the record was created without a user; it cannot be cleared.',
    user: { field: 'owner', description: 'The user who owns the record; null if `ownerId` is null.' },
  })
  ownerId!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    isTrimmed: true,
    max: 255,
    example: 'ERP-20417',
    description:
      'Identifier of the record in another system; null if none. Unique among the records of its type that are not deleted. White space around it is removed; upper and lower case differ.',
  })
  externalId!: string | null

  @Column(() => [String], {
    max: 100,
    maxItems: 100,
    filled: true,
    example: ['reference'],
    description: 'Free labels of the record; empty if none.',
  })
  tags!: string[]

  @Column(() => Json, {
    nullable: true,
    example: { importedFrom: 'erp' },
    description: 'Any JSON value for the use of the client; a change replaces the whole value. Null if not set.',
  })
  metadata!: unknown

  @Column(() => Json, {
    example: { costCenter: 'CC-410' },
    description:
      'Values of custom fields by API name; a field without a value is absent. A change affects only the named fields, and null removes a field.',
  })
  customFields!: JsonObject

  @Column(() => Int, {
    writable: 'NEVER',
    example: 1,
    description: 'Version of the record: 1 on create, increased by 1 with each change. REST sends it as `ETag` too.',
  })
  version!: number

  @Column(() => DateTime, {
    indexed: true,
    writable: 'ON_IMPORT',
    derivedDefault: 'the time of the request',
    example: '2026-11-02T08:15:00.000Z',
    description:
      'When the record was created. An owner or admin who imports records may set it, to a time that is not in the future; it never changes.',
  })
  createdAt!: string

  @Column(() => DateTime, {
    indexed: true,
    writable: 'NEVER',
    example: '2026-11-02T08:15:00.000Z',
    description: 'When the record was last changed; at first the time of its creation.',
  })
  updatedAt!: string

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description: 'Id of the user who created the record; null if the platform created it.',
    user: { field: 'createdBy', description: 'The user who created the record; null if `createdById` is null.' },
  })
  createdById!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    example: '019a0c5e-7f00-7c1d-8f21-64d0a95be713',
    description: 'Id of the user who last changed the record; null if the platform changed it.',
    user: { field: 'updatedBy', description: 'The user who last changed the record; null if `updatedById` is null.' },
  })
  updatedById!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    example: null,
    description: 'When the record was deleted; null while it is not deleted.',
  })
  deletedAt!: string | null
}
