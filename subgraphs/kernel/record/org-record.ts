import { ID, Int, ObjectType } from 'type-graphql'
import { Column } from './column.ts'
import { DateTime, Json } from './scalars.ts'

export type JsonObject = { [key: string]: unknown }

/** What every record has. */
@ObjectType()
export abstract class OrgRecord {
  @Column(() => ID, {
    writable: 'ON_CREATE',
    description: 'UUIDv7. May be supplied on create, so that an import can be retried.',
  })
  id!: string

  @Column(() => ID, { writable: 'NEVER' })
  organizationId!: string

  // A record that nobody owns would be lost to OWN and TEAM.
  @Column(() => ID, {
    nullable: true,
    lasting: true,
    description: 'The user who owns the record; record visibility follows it.',
  })
  ownerId!: string | null

  @Column(() => String, { nullable: true, max: 255, description: 'The identifier of the record in another system.' })
  externalId!: string | null

  @Column(() => [String], { max: 100, maxItems: 100, filled: true })
  tags!: string[]

  @Column(() => Json, { nullable: true, description: 'Free-form, for the caller.' })
  metadata!: unknown

  @Column(() => Json, { description: 'Custom field values by API name.' })
  customFields!: JsonObject

  @Column(() => Int, { writable: 'NEVER', description: 'Counts the changes of the record; sent as ETag in REST.' })
  version!: number

  @Column(() => DateTime, { writable: 'NEVER' })
  createdAt!: string

  @Column(() => DateTime, { writable: 'NEVER' })
  updatedAt!: string

  @Column(() => ID, { nullable: true, writable: 'NEVER' })
  createdById!: string | null

  @Column(() => ID, { nullable: true, writable: 'NEVER' })
  updatedById!: string | null

  @Column(() => DateTime, { nullable: true, writable: 'NEVER', description: 'Null while the record is live.' })
  deletedAt!: string | null
}
