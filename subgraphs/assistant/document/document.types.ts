import { ArgsType, Field, ID, InputType, Int, ObjectType } from 'type-graphql'
import { InputField, OutputField } from '../../kernel/record/declared-value.ts'
import { pageRequiring } from '../../kernel/record/inputs.ts'
import { NamesRecord } from '../../kernel/record/named-records.ts'
import { NewestFirstArgs } from '../../kernel/record/newest-first.ts'
import { RequiresScope } from '../../kernel/record/requires-scope.ts'
import { DateTime } from '../../kernel/record/scalars.ts'
import { fileBytesMax, inlineBytesMax, nameMax, queryMax } from './bounds.ts'
import {
  DocumentCategory,
  DocumentFailure,
  DocumentFormat,
  DocumentRecordType,
  DocumentStatus,
} from './document.enumerations.ts'

const documentId = '019a0c5e-7f00-7c31-9b52-6d8e0f1a2b43'
const accountId = '019a0c5e-7f00-7b20-8f34-2d9be1c07a66'
const ownerId = '019a0c5e-7f00-7a10-9a20-0c1d2e3f4a50'
const name = 'Master agreement.pdf'

@ObjectType({ description: 'A document that answers of the assistant quote.' })
@RequiresScope('DOCUMENTS')
export class KnowledgeDocument {
  @OutputField(() => ID, { description: 'Id of the document.', example: documentId })
  id!: string

  @NamesRecord('user')
  @OutputField(() => ID, { description: 'Id of the user who added it.', example: ownerId })
  ownerId!: string

  @OutputField(() => String, { description: 'Name of the file.', example: name })
  name!: string

  @Field(() => DocumentFormat, { simple: true, description: 'Its format.' })
  format!: DocumentFormat

  @Field(() => DocumentCategory, { simple: true, description: 'What it is.' })
  category!: DocumentCategory

  @Field(() => DocumentStatus, { simple: true, description: 'Whether it can be searched.' })
  status!: DocumentStatus

  @Field(() => DocumentFailure, {
    simple: true,
    nullable: true,
    description: 'Why its text cannot be read; null unless it has failed.',
  })
  failureCode!: DocumentFailure | null

  @OutputField(() => String, {
    nullable: true,
    description: 'The same as a sentence; null unless it has failed.',
    example: null,
  })
  failureMessage!: string | null

  @Field(() => DocumentRecordType, {
    simple: true,
    nullable: true,
    description: 'Type of the record that it is about; null if it is about none.',
  })
  recordType!: DocumentRecordType | null

  @OutputField(() => ID, {
    nullable: true,
    description:
      'Id of the record that it is about: exactly those who see the record see the document. Null if it is about none.',
    example: accountId,
  })
  recordId!: string | null

  @OutputField(() => Boolean, {
    description: 'Whether everybody in the organization sees it; without a record, otherwise only its owner does.',
    example: false,
  })
  isShared!: boolean

  @OutputField(() => Int, {
    nullable: true,
    description: 'Bytes of the file; null before it has arrived.',
    example: 48_213,
  })
  bytes!: number | null

  @OutputField(() => String, {
    nullable: true,
    description: 'SHA-256 of the file in hexadecimal; null before it has arrived.',
    example: '6899ee404683a14e8c2a03149860df25d67d34d9cd4dae7350cbe91e4b3976be',
  })
  sha256!: string | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Number of pages; null unless it is a PDF that is READY.',
    example: 12,
  })
  pageCount!: number | null

  @OutputField(() => Int, { nullable: true, description: 'Number of passages; null unless it is READY.', example: 41 })
  passageCount!: number | null

  @OutputField(() => String, {
    description: 'Path on this server at which the file is sent and downloaded, with the same credentials.',
    example: `/v1/documents/${documentId}/content`,
  })
  contentUrl!: string

  @OutputField(() => DateTime, { description: 'When it was added.', example: '2026-11-02T08:15:00.000Z' })
  createdAt!: string

  @OutputField(() => DateTime, {
    description: 'When its status or its category last changed.',
    example: '2026-11-02T08:15:02.000Z',
  })
  updatedAt!: string
}

export const KnowledgeDocumentPage = pageRequiring('KnowledgeDocumentPage', KnowledgeDocument, 'READ_DOCUMENTS')

@InputType({ description: 'A document to add.' })
export class KnowledgeDocumentCreateInput {
  @InputField(() => String, {
    max: nameMax,
    filled: true,
    description: 'Name of the file. It never names a place on the server.',
    example: 'Terms of delivery.md',
  })
  name!: string

  @Field(() => DocumentFormat, {
    nullable: true,
    description: 'Its format; null: that of the ending of `name`.',
  })
  format?: DocumentFormat | null

  @Field(() => DocumentCategory, { nullable: true, description: 'What it is; null: OTHER.' })
  category?: DocumentCategory | null

  @Field(() => DocumentRecordType, {
    nullable: true,
    description: 'Type of the record that it is about, together with `recordId`; null: none.',
  })
  recordType?: DocumentRecordType | null

  @InputField(() => ID, {
    nullable: true,
    description: 'Id of the record that it is about, together with `recordType`; null: none.',
    example: null,
  })
  recordId?: string | null

  @InputField(() => Boolean, {
    nullable: true,
    description:
      'Whether everybody in the organization sees it. Not for a document that is about a record. Null: false.',
    example: true,
  })
  isShared?: boolean | null

  @InputField(() => String, {
    nullable: true,
    max: Math.ceil(inlineBytesMax / 3) * 4,
    description: `The file in Base64, at most ${inlineBytesMax} bytes. Null: it is sent afterwards to \`contentUrl\`, with at most ${fileBytesMax} bytes.`,
    example: 'IyBEZWxpdmVyeQpXZSBkZWxpdmVyIHdpdGhpbiBmaXZlIGRheXMuCg==',
  })
  content?: string | null
}

@InputType({ description: 'Changes of a document.' })
export class KnowledgeDocumentUpdateInput {
  @Field(() => DocumentCategory, { description: 'What it is.' })
  category!: DocumentCategory
}

@ArgsType()
export class KnowledgeDocumentListArgs extends NewestFirstArgs {
  @Field(() => DocumentStatus, { nullable: true, description: 'Only documents with this status; null: all.' })
  status?: DocumentStatus | null

  @InputField(() => ID, {
    nullable: true,
    description: 'Only documents about this record; null: all.',
    example: accountId,
  })
  recordId?: string | null

  @Field(() => DocumentCategory, { nullable: true, description: 'Only documents of this category; null: all.' })
  category?: DocumentCategory | null

  @InputField(() => ID, {
    nullable: true,
    description: 'Only documents about this account or one of its deals; null: all.',
    example: accountId,
  })
  accountId?: string | null
}

@ObjectType({ description: 'A part of a document that fits a search, with its place.' })
@RequiresScope('DOCUMENTS')
export class KnowledgeDocumentPassage {
  @OutputField(() => ID, { description: 'Id of the document.', example: documentId })
  documentId!: string

  @OutputField(() => String, { description: 'Name of the document.', example: name })
  documentName!: string

  @OutputField(() => Int, { description: 'Number of the passage in the document, from 1.', example: 7 })
  position!: number

  @OutputField(() => String, {
    description: 'The passage.',
    example: 'Either party may terminate this agreement. The notice period is ninety days.',
  })
  text!: string

  @OutputField(() => String, {
    description: 'The sentence of the passage that fits best.',
    example: 'The notice period is ninety days.',
  })
  quote!: string

  @OutputField(() => String, {
    nullable: true,
    description: 'The heading above it; null if there is none.',
    example: 'Termination',
  })
  heading!: string | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Page where it begins; null where the format has no pages.',
    example: 3,
  })
  page!: number | null

  @OutputField(() => Int, {
    nullable: true,
    description: 'Line where it begins; null where the format has no lines.',
    example: null,
  })
  line!: number | null
}

@ArgsType()
export class KnowledgeDocumentSearchArgs {
  @InputField(() => String, {
    max: queryMax,
    filled: true,
    description: 'Words to look for.',
    example: 'notice period',
  })
  query!: string

  @InputField(() => ID, {
    nullable: true,
    description: 'Only documents about this record; null: all that the caller sees.',
    example: accountId,
  })
  recordId?: string | null

  @InputField(() => Int, { minimum: 1, maximum: 100, default: 8, description: 'Number of passages.' })
  limit!: number
}
