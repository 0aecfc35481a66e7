import { hash } from 'node:crypto'
import { Directive, Field, Int, ObjectType } from 'type-graphql'
import type { MailAttachment } from '../../kernel/mail/outgoing-mail.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Cause } from '../../kernel/work/share.ts'
import type { DocumentFrame, PricedDocument, StatementDocument } from './priced-document.ts'
import { renderDocument } from './render-document.ts'

@ObjectType({ description: 'The PDF of a quote, an order or another document.' })
@Directive('@shareable')
export class DocumentFile {
  @Field(() => String, { description: 'Name of the file.' })
  filename!: string

  @Field(() => String, { description: 'Media type of the file, `application/pdf`.' })
  contentType!: string

  @Field(() => String, { description: 'Bytes of the file in Base64.' })
  content!: string

  @Field(() => Int, { description: 'Version of the record that the file shows.' })
  version!: number

  @Field(() => String, {
    description:
      'Hash of everything that the file shows, also of other records. Files with the same hash look the same.',
  })
  contentHash!: string
}

/** The document of a version of a record as a file, outside of a transaction. */
export async function documentFile(
  ctx: RequestContext<'work'>,
  document: PricedDocument | StatementDocument,
  { version }: { readonly version: number },
  cause: Cause = 'ORGANIZATION',
): Promise<DocumentFile> {
  const { content, ...file } = attachmentOf(document, await renderDocument(ctx, document, cause))
  return { ...file, content: content.toString('base64'), version, contentHash: contentHash(document) }
}

export const attachmentOf = ({ number }: DocumentFrame, content: Buffer): MailAttachment => ({
  filename: `${number}.pdf`,
  contentType: 'application/pdf',
  content,
})

export const contentHash = (document: DocumentFrame): string => hash('sha256', JSON.stringify(document), 'base64url')
