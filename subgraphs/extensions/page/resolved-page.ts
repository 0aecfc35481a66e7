import { Field, ID, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { LayoutWarning } from '../layout/resolved-layout.ts'

export const shownDefinitionText =
  '`{regions: [{name, width, components}]}`. `FIELDS` and `LAYOUT` have `sections: [{label, columns, isCollapsed, items: [{field, isReadOnly, isRequired}]}]`; `RELATED_LIST` has `objectType`, `field`, `kind`, `columns` and `limit`; `TIMELINE` `label` and `limit`; `TEXT` `text`; `APP_SLOT`, and items of sections that an app fills, `slot`, `label`, `url` and `height`. Fields that the profile hides, components of which nothing is left, components with a condition on a hidden field, and places of apps that are not installed are left out.'

export const shownDefinitionExample = {
  regions: [
    {
      name: 'main',
      width: 8,
      components: [
        {
          type: 'FIELDS',
          sections: [
            {
              label: 'Company',
              columns: 2,
              isCollapsed: false,
              items: [{ field: 'name', isReadOnly: false, isRequired: true }],
            },
          ],
          visibleWhen: null,
        },
      ],
    },
  ],
}

@ObjectType({ description: 'The page of a record type for the user who asks.' })
export class ResolvedPage {
  @OutputField(() => String, { description: 'The record type.', example: 'ACCOUNT' })
  objectType!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'The value of the field of record types that was asked for; null if none was.',
    example: 'CUSTOMER',
  })
  recordType!: string | null

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the page; null if none is assigned to the user: the layout of the user is shown then.',
    example: '019a0c5e-7f00-7d11-9c55-02c4d6e8f014',
  })
  pageId!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the page; null without one.',
    example: 'account_overview',
  })
  apiName!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the page for people; null without one.',
    example: 'Account overview',
  })
  label!: string | null

  @OutputField(() => String, {
    list: true,
    description:
      'The fields that act as record type in pages of this record type, without those that the profile hides. The page of a record is that for its value of such a field.',
    example: ['type'],
  })
  recordTypeFields!: string[]

  @OutputField(() => Json, {
    description: `What is shown: ${shownDefinitionText} A component with \`visibleWhen\` is shown for records that meet it.`,
    example: shownDefinitionExample,
  })
  definition!: unknown

  @Field(() => [LayoutWarning], { description: 'What is left out for another reason than field security.' })
  warnings!: LayoutWarning[]
}
