import { Field, ObjectType } from 'type-graphql'
import { OutputField } from '../../kernel/record/declared-value.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { Json } from '../../kernel/record/scalars.ts'
import { LayoutWarning } from '../layout/resolved-layout.ts'
import { shownDefinitionExample, shownDefinitionText } from './resolved-page.ts'

@ObjectType({ description: 'What is wrong with the definition of a page, and where.' })
@RequiresScopes('SESSION')
export class PageProblem {
  @OutputField(() => String, {
    description: 'Where it is in the definition.',
    example: 'definition.regions.0.components.0.items.1.field',
  })
  path!: string

  @OutputField(() => String, {
    description: 'The problem as a code, as in refusals: `UNKNOWN_FIELD`, `REQUIRED`, `NOT_UNIQUE`.',
    example: 'UNKNOWN_FIELD',
  })
  code!: string

  @OutputField(() => String, {
    description: 'The problem in a sentence.',
    example: 'definition.regions.0.components.0.items.1.field must be a field of the account.',
  })
  message!: string
}

@ObjectType({ description: 'Whether a page can have a definition.' })
@RequiresScopes('SESSION')
export class PageValidation {
  @OutputField(() => Boolean, { description: 'Whether the definition has no problem.', example: true })
  isValid!: boolean

  @OutputField(() => PageProblem, {
    list: true,
    maxItems: 20,
    description: 'What is wrong with the definition, at most 20 problems; empty if nothing is.',
    example: [],
  })
  problems!: readonly PageProblem[]
}

@ObjectType({ description: 'What users with a profile would see of a page that is not stored.' })
@RequiresScopes('SESSION')
export class PagePreview {
  @OutputField(() => String, { description: 'The record type.', example: 'ACCOUNT' })
  objectType!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'The profile for which it is shown; null for a user without one.',
    example: 'Sales',
  })
  profile!: string | null

  @OutputField(() => String, {
    nullable: true,
    description:
      'The value of the record in `recordTypeField`; null without a record, without that field, and if it is hidden from the caller or by the profile.',
    example: null,
  })
  recordType!: string | null

  @OutputField(() => Json, {
    description: `What is shown: ${shownDefinitionText} With a record, only the components whose conditions it meets, and their \`visibleWhen\` is null.`,
    example: shownDefinitionExample,
  })
  definition!: unknown

  @OutputField(() => Json, {
    nullable: true,
    description:
      'The values of the record in the fields that are shown, by their names; null without a record. Neither fields that are hidden from the caller nor fields that the profile hides.',
    example: { name: 'Halvorsen Marine' },
  })
  values!: unknown

  @Field(() => [LayoutWarning], { description: 'What is left out for another reason than field security.' })
  warnings!: LayoutWarning[]
}
