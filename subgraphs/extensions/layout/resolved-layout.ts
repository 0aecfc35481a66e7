import { Field, ID, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { Json } from '../../kernel/record/scalars.ts'
import type { ShownSection } from './layout-config.ts'

@ObjectType({ description: 'A place of a layout or page that is left out.' })
export class LayoutWarning {
  @OutputField(() => String, {
    description:
      'Why it is left out: `APP_NOT_INSTALLED`, the organization does not have the app; `SLOT_NOT_AVAILABLE`, the installed version of the app has no such place for the record type.',
    example: 'APP_NOT_INSTALLED',
  })
  code!: string

  @OutputField(() => String, { description: 'The place: `app/<appSlug>:<key>`.', example: 'app/maps:place' })
  slot!: string
}

@ObjectType({ description: 'The layout of a record type for the user who asks.' })
export class ResolvedLayout {
  @OutputField(() => String, { description: 'The record type.', example: 'ACCOUNT' })
  objectType!: string

  @OutputField(() => ID, {
    nullable: true,
    description: 'Id of the layout; null if the organization has none that applies: all fields are shown then.',
    example: '019a0c5e-7f00-7d11-9c55-02c4d6e8f013',
  })
  layoutId!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'Name of the layout; null without one.',
    example: 'Accounts, sales',
  })
  name!: string | null

  @OutputField(() => String, {
    nullable: true,
    description: 'The profile that the layout is for; null for the default of the organization, and without a layout.',
    example: null,
  })
  profile!: string | null

  @OutputField(() => Json, {
    description:
      'The arrangement: `{sections: [{label, columns, isCollapsed, items: [{field, isReadOnly, isRequired}]}]}`, without fields that the profile hides. An item that an installed app fills is `{slot, label, url, height}`: the front end shows the https address `url` in `height` pixels, and adds `objectType` and `recordId` to its query; places that no app fills are left out. `isReadOnly` is true where the profile or the field permits no change, `isRequired` also where the field itself needs a value.',
    example: {
      sections: [
        {
          label: 'Details',
          columns: 2,
          isCollapsed: false,
          items: [{ field: 'name', isReadOnly: false, isRequired: true }],
        },
      ],
    },
  })
  config!: { readonly sections: readonly ShownSection[] }

  @Field(() => [LayoutWarning], { description: 'What is left out for another reason than field security.' })
  warnings!: LayoutWarning[]
}
