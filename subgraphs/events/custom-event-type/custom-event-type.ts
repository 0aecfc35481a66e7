import { Entity } from '@mikro-orm/decorators/legacy'
import { Int, ObjectType } from 'type-graphql'
import { Column, enumeration } from '../../kernel/record/column.ts'
import { OrgRecord, type JsonObject } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'

export const PublishAccess = enumeration('PublishAccess', 'Which users may publish events of a custom event type.', {
  ADMINS: 'Owners and admins.',
  MEMBERS: 'Every user who may change records: all roles but READ_ONLY.',
})
export type PublishAccess = keyof typeof PublishAccess

export const apiNamePattern = /^[a-z][a-z0-9_]{1,47}$/
export const apiNameText = 'a small letter, then 1 to 47 small letters, digits and underscores'

@ObjectType({
  description:
    'A type of events that the organization defines and publishes itself, as `custom.<apiName>`. Its schema says what the payload of an event is.',
})
@RequiresScope('CUSTOM_EVENT_TYPES')
@Entity({ schema: 'events', tableName: 'custom_event_type' })
export class CustomEventType extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writable: 'ON_CREATE',
    max: 48,
    filled: true,
    description: `API name, unique in the organization: ${apiNameText}. The events have the type \`custom.<apiName>\`. It never changes.`,
    example: 'machine_stopped',
  })
  apiName!: string

  @Column(() => String, { max: 120, filled: true, description: 'Name for people.', example: 'Machine stopped' })
  label!: string

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'When the event occurs and what it means; null if not set.',
    example: 'A machine in the yard stopped without being told to.',
  })
  description!: string | null

  @Column(() => Json, {
    description:
      'JSON Schema (draft-07) of the payload: an object with 1 to 100 properties that are strings, numbers, integers or booleans, null allowed; at most 16384 characters. Other properties are always refused. Keywords of the schema: $schema, title, description, type, properties, required, additionalProperties (false). Keywords of a property: type, title, description, format (date-time, date, email, uri, uuid), enum, const, minLength, maxLength, pattern (RE2 syntax, at most 256 characters, in at most 10 properties, whose texts then have at most 1000 characters), minimum, maximum, exclusiveMinimum, exclusiveMaximum, examples. A property for which no sample can be derived, such as one with a pattern, needs `examples`. A changed schema is the next version of the type.',
    example: {
      type: 'object',
      required: ['machineId', 'minutes'],
      properties: {
        machineId: { type: 'string', maxLength: 40, examples: ['press-4'] },
        minutes: { type: 'integer', minimum: 0 },
        reason: { type: ['string', 'null'], enum: ['WEAR', 'POWER', null] },
      },
    },
  })
  schema!: JsonObject

  @Column(() => Int, {
    writable: 'NEVER',
    default: 1,
    description:
      'Version of the schema: 1 at first, increased by 1 with each changed schema. Former versions stay readable as `custom.<apiName>@<version>` in the catalog. At most 100. A type that is created again after it was deleted continues with the next version.',
    example: 1,
  })
  schemaVersion!: number

  @Column(() => PublishAccess, {
    default: 'ADMINS',
    description: 'Which users may publish events of this type.',
    example: 'MEMBERS',
  })
  publishAccess!: PublishAccess

  @ManagedBy()
  managedBy!: string | null
}
