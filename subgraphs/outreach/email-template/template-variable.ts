import { Part, Structure } from '../../kernel/record/structure.ts'

@Structure('EmailTemplateVariable', 'A variable that an email template declares, in addition to those of the platform.')
export class EmailTemplateVariable {
  @Part(() => String, {
    max: 100,
    filled: true,
    description:
      'Name of the variable as the template writes it: words of letters, digits and `_`, separated by dots. A name of the platform, such as `contact.firstName`, may be declared to give it a default value or to make it optional.',
    example: 'offer.deadline',
  })
  name!: string

  @Part(() => String, {
    nullable: true,
    max: 100,
    description: 'Name of the variable for people; null if not set.',
    example: 'End of the offer',
  })
  label!: string | null

  @Part(() => Boolean, {
    default: false,
    description:
      'True if a mail cannot be sent without a value of the variable; false if it is then written as nothing.',
    example: true,
  })
  required!: boolean

  @Part(() => String, {
    nullable: true,
    max: 500,
    description: 'Text for mails without a value of the variable; null if none.',
    example: 'the end of the month',
  })
  defaultValue!: string | null
}
