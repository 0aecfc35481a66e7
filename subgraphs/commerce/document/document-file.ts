import { Directive, Field, ObjectType } from 'type-graphql'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'

@ObjectType({ description: 'The PDF of a quote, an order or another document.' })
@Directive('@shareable')
export class DocumentFile {
  @Field(() => String, { description: 'Name of the file.' })
  filename!: string

  @Field(() => String, { description: 'Media type of the file, `application/pdf`.' })
  contentType!: string

  @Field(() => String, { description: 'Bytes of the file in Base64.' })
  content!: string
}

export const documentFile = ({ content, ...file }: MailAttachment): DocumentFile => ({
  ...file,
  content: content.toString('base64'),
})
