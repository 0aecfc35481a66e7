import { Entity } from '@mikro-orm/decorators/legacy'
import { ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { nameFieldsMax } from './bounds.ts'

@ObjectType({
  description:
    'A record type that the organization has defined itself. Its records are CustomRecord; its fields are custom fields whose `entity` is `custom:` and its name. Owners and admins change it.',
})
@RequiresScope('CUSTOM_OBJECTS')
@Entity({ schema: 'extensions', tableName: 'custom_object' })
export class CustomObject extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: 63,
    filled: true,
    description:
      'API name: 1 to 63 lower-case ASCII letters, digits and underscores, first a letter. Unique in the organization, also among deleted objects until their records are removed. It never changes.',
    example: 'site_visit',
  })
  name!: string

  @Column(() => String, {
    max: 255,
    filled: true,
    description: 'Name of one record for people.',
    example: 'Site visit',
  })
  label!: string

  @Column(() => String, {
    nullable: true,
    max: 255,
    description: 'Name of several records for people; null if it is the label.',
    example: 'Site visits',
  })
  pluralLabel!: string | null

  @Column(() => String, {
    nullable: true,
    max: 1000,
    description: 'What the records are, for people; null if not described.',
    example: 'Visits of our technicians at a site of the customer.',
  })
  description!: string | null

  @Column(() => String, {
    nullable: true,
    max: 64,
    description:
      'Name of the field whose value is the `name` of the records: a TEXT, EMAIL or PHONE of the object, which it stays while it is the name field. Null: the records have no name. A profile that hides a field which is or was the name field also hides `name`.',
    example: null,
  })
  nameField!: string | null

  /** When the removal of its records began, 30 days after its deletion; from then on it is not restored. */
  @Column(() => DateTime, { internal: true, nullable: true })
  removalStartedAt!: string | null

  /** Records can still have the values of these fields as their names: deleted ones, and those in events. */
  @Column(() => [String], { internal: true, maxItems: nameFieldsMax })
  formerNameFields!: string[]

  @ManagedBy()
  managedBy!: string | null
}
