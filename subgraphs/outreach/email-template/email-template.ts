import { Entity } from '@mikro-orm/decorators/legacy'
import { Directive, ObjectType } from 'type-graphql'
import { Column } from '../../kernel/record/column.ts'
import { OrgRecord } from '../../kernel/record/org-record.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { StructureColumn } from '../../kernel/record/structure.ts'
import { sourceMax } from '../../kernel/template/template-bounds.ts'
import { EmailTemplateCategory, EmailTemplateStatus } from './email-template.enumerations.ts'
import { EmailTemplateVariable } from './template-variable.ts'

@ObjectType({
  description:
    'A mail with variables, for example `{{contact.firstName | there}}`. Only its owner sees it, unless the owner shares it with the organization.',
})
@Directive('@key(fields: "id")')
@RequiresScope('EMAIL_TEMPLATES')
@Entity({ schema: 'outreach', tableName: 'email_template' })
export class EmailTemplate extends OrgRecord {
  @Column(() => String, {
    indexed: true,
    max: 255,
    filled: true,
    description: 'Name of the template.',
    example: 'After the site visit',
  })
  name!: string

  @Column(() => String, {
    max: 500,
    filled: true,
    description:
      'Subject of the mail, a template. A mail has its first 255 characters in one line, without control characters.',
    example: 'Dock slots for {{account.name | your terminal}}',
  })
  subject!: string

  @Column(() => String, {
    max: sourceMax,
    filled: true,
    description:
      'Body of the mail as HTML, a template. It is stored as written; previews and mails contain it without scripts, forms, frames and addresses other than web, mail and telephone. Values of variables are escaped.',
    example:
      '<p>Hello {{contact.firstName | there}},</p><p>the offer is valid until {{offer.deadline}}.</p><p>{{sender.name}}</p>',
  })
  bodyHtml!: string

  @Column(() => String, {
    nullable: true,
    max: sourceMax,
    description: 'Text alternative of the mail, a template; null: it is derived from the HTML of each mail.',
    example: null,
  })
  bodyText!: string | null

  @Column(() => EmailTemplateCategory, {
    indexed: true,
    default: 'OTHER',
    description: 'What a mail of the template is for.',
    example: 'FOLLOW_UP',
  })
  category!: EmailTemplateCategory

  @Column(() => EmailTemplateStatus, {
    indexed: true,
    default: 'DRAFT',
    description: 'Whether the template can be used. Every status can be changed to every other one.',
    example: 'ACTIVE',
  })
  status!: EmailTemplateStatus

  @StructureColumn(() => EmailTemplateVariable, {
    list: true,
    maxItems: 50,
    description: 'The variables that the template declares; empty if none. Their names are unique.',
    example: [
      { name: 'offer.deadline', label: 'End of the offer', required: true, defaultValue: 'the end of the month' },
    ],
  })
  variables!: EmailTemplateVariable[]

  @Column(() => String, {
    nullable: true,
    max: 35,
    description: 'Language of the mail as a BCP 47 tag; null if not set.',
    example: 'en-GB',
  })
  language!: string | null

  @Column(() => Boolean, {
    indexed: true,
    default: false,
    description:
      'True if every user of the organization sees the template and can use it. Only its owner and users with the role OWNER, ADMIN or MANAGER can then change it.',
    example: true,
  })
  isShared!: boolean
}
