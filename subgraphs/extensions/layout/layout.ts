import { Entity } from '@mikro-orm/decorators/legacy'
import { ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax } from '../extended-type.ts'
import { layoutTypeNames } from './layout-types.ts'

@ObjectType({
  description:
    'How a front end arranges the fields of a record type, for the users of a profile or for everyone else. For owners and admins; everybody reads the own one with `layoutResolved`.',
})
@RequiresScope('LAYOUTS')
@Entity({ schema: 'extensions', tableName: 'layout' })
export class Layout extends OrgRecord {
  @Column(() => String, {
    writable: 'ON_CREATE',
    indexed: true,
    max: extendedTypeMax,
    filled: true,
    description: `The record type that is arranged: ${layoutTypeNames}. It never changes.`,
    example: 'ACCOUNT',
  })
  objectType!: string

  @Column(() => String, {
    nullable: true,
    max: 100,
    description:
      'Name of the profile whose users have the layout, in any case; null: those whose profile has none, the default of the organization. A record type has one layout for each profile.',
    example: null,
  })
  profile!: string | null

  @Column(() => String, {
    indexed: true,
    max: 100,
    filled: true,
    description: 'Name of the layout, for administrators.',
    example: 'Accounts, sales',
  })
  name!: string

  @Column(() => Json, {
    description:
      'The arrangement: `{sections: [{label, columns, isCollapsed, items}]}`, at most 50 sections with 1 to 4 columns (default 2) and 200 items each. An item is `{field, isReadOnly, isRequired}`, with the name of a field, `customFields.<API name>` for a custom field; or `{slot}`, the place of an app, `app/<appSlug>:<key>`. Each field and slot is there once.',
    example: {
      sections: [
        {
          label: 'Details',
          columns: 2,
          items: [{ field: 'name', isRequired: true }, { field: 'industry' }, { slot: 'app/maps:place' }],
        },
      ],
    },
  })
  config!: unknown

  @ManagedBy()
  managedBy!: string | null
}
