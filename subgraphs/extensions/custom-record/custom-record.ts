import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ID, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

@ObjectType({
  description:
    'A record of a custom object. The values of the fields that the organization has defined are in `customFields`.',
})
@Directive('@key(fields: "id")')
@RequiresScope('CUSTOM_OBJECTS')
@Entity({ schema: 'extensions', tableName: 'custom_record' })
export class CustomRecord extends OrgRecord {
  @Column(() => String, {
    writable: 'NEVER',
    description: 'Name of its custom object. It never changes.',
    example: 'site_visit',
  })
  object!: string

  @Column(() => String, {
    writable: 'NEVER',
    nullable: true,
    indexed: true,
    max: 255,
    description:
      'Name of the record for people: the value of the field that the object names as `nameField`. Null if the object names none, or the record has no value in it.',
    example: 'Pump 4 leaks',
  })
  name!: string | null

  /** The record at the top with which it was deleted, and with which it is restored; null if it was deleted on its own. */
  @Column(() => ID, { internal: true, nullable: true })
  deletedWithId!: string | null
}
