import { ID, Int, ObjectType } from 'type-graphql'
import { Column } from './column.ts'
import { DateTime, Json } from './scalars.ts'

export type JsonObject = { [key: string]: unknown }

/** The columns that all records of organizations have. */
@ObjectType()
export abstract class OrgRecord {
  @Column(() => ID, {
    writable: 'ON_CREATE',
    description: 'The id of the record, a UUIDv7. A client may set it on create, so that it can retry an import.',
  })
  id!: string

  @Column(() => ID, { writable: 'NEVER' })
  organizationId!: string

  // Callers with the visibility OWN or TEAM would not see a record without owner.
  @Column(() => ID, {
    indexed: true,
    nullable: true,
    notClearable: true,
    description: 'The user who owns the record. Which users can see the record depends on its owner.',
    user: { field: 'owner', description: 'The user who owns the record; null if `ownerId` is null.' },
  })
  ownerId!: string | null

  @Column(() => String, {
    indexed: true,
    nullable: true,
    max: 255,
    description: 'The identifier of the record in another system.',
  })
  externalId!: string | null

  @Column(() => [String], { max: 100, maxItems: 100, filled: true })
  tags!: string[]

  @Column(() => Json, { nullable: true, description: 'Any JSON value for the use of the client; null when not set.' })
  metadata!: unknown

  @Column(() => Json, { description: 'Custom field values by API name.' })
  customFields!: JsonObject

  @Column(() => Int, {
    writable: 'NEVER',
    description: 'The version of the record: 1 on create, increased by 1 with each change. The ETag in REST.',
  })
  version!: number

  @Column(() => DateTime, { indexed: true, writable: 'NEVER' })
  createdAt!: string

  @Column(() => DateTime, { indexed: true, writable: 'NEVER' })
  updatedAt!: string

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the user who created the record; null if the platform itself did.',
    user: { field: 'createdBy', description: 'The user who created the record; null if `createdById` is null.' },
  })
  createdById!: string | null

  @Column(() => ID, {
    nullable: true,
    writable: 'NEVER',
    description: 'Id of the user who last changed the record; null if the platform itself did.',
    user: { field: 'updatedBy', description: 'The user who last changed the record; null if `updatedById` is null.' },
  })
  updatedById!: string | null

  @Column(() => DateTime, {
    nullable: true,
    writable: 'NEVER',
    description: 'When the record was deleted; null while it is not deleted.',
  })
  deletedAt!: string | null
}
