import { Entity } from '@mikro-orm/decorators/legacy'
import { Int, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { Part, Structure, StructureColumn } from '../../kernel/record/structure.ts'
import { ManagedBy } from '../../kernel/record/managed-by.ts'
import { extendedTypeMax } from '../extended-type.ts'
import { layoutTypeNames } from '../layout/layout-types.ts'
import {
  apiNameMax,
  assignmentsMax,
  componentsMax,
  componentsOfPageMax,
  definitionBytesMax,
  labelMax,
  recordTypeMax,
  regionsMax,
} from './bounds.ts'

@Structure('PageAssignment', 'Who has a page, and for which records.')
export class PageAssignment {
  @Part(() => String, {
    nullable: true,
    max: 100,
    description: 'Name of the profile whose users have the page, in any case; null: everyone else.',
    example: 'Sales',
  })
  profile!: string | null

  @Part(() => String, {
    nullable: true,
    max: recordTypeMax,
    description: 'The value of `recordTypeField` of the records; null: all other records.',
    example: null,
  })
  recordType!: string | null

  @Part(() => Int, {
    default: 0,
    minimum: 0,
    maximum: 1_000,
    description:
      'Which page applies if several are assigned to the same profile and record type: that with the least position, then the first by `apiName`.',
    example: 0,
  })
  position!: number
}

@ObjectType({
  description:
    'What a front end shows for a record: fields, lists of related records, texts and places of apps, in regions. Pages are assigned to profiles and record types. For owners and admins; everybody reads the own one with `pageResolved`.',
})
@RequiresScope('PAGES')
@Entity({ schema: 'extensions', tableName: 'page' })
export class Page extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    writable: 'ON_CREATE',
    max: apiNameMax,
    filled: true,
    description:
      'Name of the page in files: 2 to 63 lower-case letters, digits and underscores, first a letter. Unique among the pages of the organization; it never changes.',
    example: 'account_overview',
  })
  apiName!: string

  @Column(() => String, {
    indexed: true,
    max: labelMax,
    filled: true,
    description: 'Name for people.',
    example: 'Account overview',
  })
  label!: string

  @Column(() => String, {
    nullable: true,
    max: 1_000,
    description: 'What the page is for; null if not described.',
    example: 'What sales needs before a call.',
  })
  description!: string | null

  @Column(() => String, {
    indexed: true,
    max: extendedTypeMax,
    filled: true,
    description: `The record type whose records are shown: ${layoutTypeNames}.`,
    example: 'ACCOUNT',
  })
  objectType!: string

  @Column(() => String, {
    nullable: true,
    max: 200,
    description:
      'The field with one of given values that acts as record type, `customFields.<API name>` for a PICKLIST; null if the page makes no difference between records. Required when an assignment has a `recordType`.',
    example: 'type',
  })
  recordTypeField!: string | null

  @StructureColumn(() => PageAssignment, {
    list: true,
    maxItems: assignmentsMax,
    description:
      'Who has the page; without any, nobody. A user has the page for the profile and the record type, else that for the profile, else that for the record type, else that for everyone.',
    example: [{ profile: null, recordType: null, position: 0 }],
  })
  assignments!: PageAssignment[]

  @Column(() => Json, {
    description: `What the page shows: \`{regions: [{name, width, components}]}\`, at most ${regionsMax} regions with ${componentsMax} components each, together ${componentsOfPageMax}, and ${definitionBytesMax} bytes. The guide "Pages of records" describes the components: FIELDS, LAYOUT, RELATED_LIST, TIMELINE, TEXT and APP_SLOT.`,
    example: {
      regions: [
        {
          name: 'main',
          width: 8,
          components: [{ type: 'FIELDS', label: 'Company', items: [{ field: 'name' }, { field: 'industry' }] }],
        },
      ],
    },
  })
  definition!: unknown

  /** Custom objects that the page names, `custom:site_visit`, and custom fields, `ACCOUNT customFields.tier`. */
  @Column(() => [String], { internal: true, writable: 'NEVER' })
  names!: string[]

  @ManagedBy()
  managedBy!: string | null
}
