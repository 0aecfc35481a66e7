import { Field, ObjectType } from 'type-graphql'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'

@ObjectType({ description: 'The mail that a template makes of given values.' })
@RequiresScope('EMAIL_TEMPLATES')
export class EmailTemplatePreview {
  @Field(() => String, { description: 'Subject of the mail in one line, at most 255 characters.' })
  subject!: string

  @Field(() => String, { description: 'Body of the mail as sanitised HTML.' })
  bodyHtml!: string

  @Field(() => String, { description: 'Text alternative of the mail; derived from the HTML if the template has none.' })
  bodyText!: string

  @Field(() => [String], {
    description:
      'Variables that need a value and have none, at most 100 for each part; a mail cannot be sent without them. A variable needs a value if it is declared as required, or if it is one of the platform that the template writes without a fallback and without asking for it in `{% if %}`.',
  })
  missingVariables!: readonly string[]

  @Field(() => [String], {
    description:
      'Variables of the template that are neither declared nor variables of the platform, at most 100 for each part; a mail cannot be sent with them.',
  })
  unknownVariables!: readonly string[]
}
