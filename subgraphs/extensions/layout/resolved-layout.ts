import { Field, ID, ObjectType } from 'type-graphql'
import { Json } from '../../kernel/record/scalars.ts'
import type { LayoutConfig } from './layout-config.ts'

@ObjectType({ description: 'A place of a layout that is left out.' })
export class LayoutWarning {
  @Field(() => String, {
    description: 'Why it is left out: `APP_NOT_INSTALLED`, the organization does not have the app.',
  })
  code!: string

  @Field(() => String, { description: 'The place: `app/<appSlug>:<key>`.' })
  slot!: string
}

@ObjectType({ description: 'The layout of a record type for the user who asks.' })
export class ResolvedLayout {
  @Field(() => String, { description: 'The record type.' })
  objectType!: string

  @Field(() => ID, {
    nullable: true,
    description: 'Id of the layout; null if the organization has none that applies: all fields are shown then.',
  })
  layoutId!: string | null

  @Field(() => String, { nullable: true, description: 'Name of the layout; null without one.' })
  name!: string | null

  @Field(() => String, {
    nullable: true,
    description: 'The profile that the layout is for; null for the default of the organization, and without a layout.',
  })
  profile!: string | null

  @Field(() => Json, {
    description:
      'The arrangement: `{sections: [{label, columns, isCollapsed, items: [{field, isReadOnly, isRequired}]}]}`, without fields that the profile hides and without places of apps that are not installed. `isReadOnly` is true where the profile or the field permits no change, `isRequired` also where the field itself needs a value.',
  })
  config!: LayoutConfig

  @Field(() => [LayoutWarning], { description: 'What is left out for another reason than field security.' })
  warnings!: LayoutWarning[]
}
