import { Args, Ctx, ID, Info, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg, InputArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../kernel/record/requires-scope.ts'
import type { SelectionInfo } from '../../kernel/record/selection.ts'
import type { RequestContext } from '../../kernel/request.ts'
import { Limits } from '../../kernel/subgraph/limits.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { namingColumn } from '../../kernel/record/merge/naming-rows.ts'
import { documentsMax, fileBytesMax, inlineBytesMax } from './bounds.ts'
import {
  createDocument,
  deleteDocument,
  listDocuments,
  updateDocument,
  type DocumentContext,
} from './document.actions.ts'
import { forgetUploads } from './document.jobs.ts'
import { documentCategory, documentTables } from './document.migrations.ts'
import { documentQueue } from './document.queue.ts'
import {
  KnowledgeDocument,
  KnowledgeDocumentCreateInput,
  KnowledgeDocumentListArgs,
  KnowledgeDocumentPage,
  KnowledgeDocumentPassage,
  KnowledgeDocumentSearchArgs,
  KnowledgeDocumentUpdateInput,
} from './document.types.ts'
import { searchDocuments } from './search-documents.ts'
import { requireDocument } from './stored-document.ts'

@Resolver()
export class DocumentResolver {
  @Query(() => KnowledgeDocumentPage, {
    description:
      'The documents that the caller sees, newest first. `total` and `totalPages` are null if there are more than 10,000.',
  })
  @RequiresScopes('READ_DOCUMENTS')
  knowledgeDocumentList(
    @Args(() => KnowledgeDocumentListArgs) args: KnowledgeDocumentListArgs,
    @Ctx() ctx: RequestContext,
    @Info() info: SelectionInfo,
  ) {
    return listDocuments(ctx, args, info)
  }

  @Query(() => KnowledgeDocument, { description: 'One document that the caller sees.' })
  @RequiresScopes('READ_DOCUMENTS')
  knowledgeDocument(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return requireDocument(ctx, id)
  }

  @Query(() => [KnowledgeDocumentPassage], {
    description:
      'The passages that fit a text best, of the documents that the caller sees, the best first. Passages with the rarest of its words are compared, at most 2,000; words are found in other forms of English words, too.',
  })
  @RequiresScopes('READ_DOCUMENTS')
  knowledgeDocumentSearch(
    @Args(() => KnowledgeDocumentSearchArgs) args: KnowledgeDocumentSearchArgs,
    @Ctx() ctx: RequestContext,
  ) {
    return searchDocuments(ctx, args)
  }

  @Mutation(() => KnowledgeDocument, {
    description: `Adds a document. With \`content\` its text is read at once; without, the file is sent afterwards over REST to \`contentUrl\`. An organization has at most ${documentsMax} documents, then INVALID_STATE; its files have a budget of bytes, then STORAGE_LIMIT_EXCEEDED. Not for users who only read.`,
  })
  @RequiresScope('DOCUMENTS')
  @Limits({ bodyBytes: 2_097_152 })
  knowledgeDocumentCreate(
    @InputArg(() => KnowledgeDocumentCreateInput) input: KnowledgeDocumentCreateInput,
    @Ctx() ctx: DocumentContext,
  ) {
    return createDocument(ctx, input)
  }

  @Mutation(() => KnowledgeDocument, {
    description: 'Changes the category of a document that the caller sees. Not for users who only read.',
  })
  @RequiresScope('DOCUMENTS')
  knowledgeDocumentUpdate(
    @IdArg() id: string,
    @InputArg(() => KnowledgeDocumentUpdateInput) input: KnowledgeDocumentUpdateInput,
    @Ctx() ctx: RequestContext,
  ) {
    return updateDocument(ctx, id, input)
  }

  @Mutation(() => ID, {
    description: 'Deletes a document with its file for good. Not for users who only read. Returns its id.',
  })
  @RequiresScope('DOCUMENTS')
  knowledgeDocumentDelete(@IdArg() id: string, @Ctx() ctx: RequestContext) {
    return deleteDocument(ctx, id)
  }
}

export const documentResource: Resource = {
  resolver: DocumentResolver,
  migrations: [documentTables, documentCategory],
  queues: [documentQueue],
  jobs: [forgetUploads],
  names: [
    namingColumn({
      object: 'document',
      field: 'recordId',
      table: 'assistant.document',
      id: 'record_id',
      kind: 'lower(record_type)',
    }),
  ],
  operations: [
    operation('GET /v1/documents', 'knowledgeDocumentList', {
      summary: 'List documents',
      answers: 'The documents that the caller sees.',
    }),
    operation('POST /v1/documents', 'knowledgeDocumentCreate', {
      summary: 'Add a document',
      description: `Adds a document. With \`content\` its text is read at once; without, send the file with at most ${fileBytesMax} bytes to \`PUT /v1/documents/{id}/content\` within a day. \`content\` has at most ${inlineBytesMax} bytes. An addition to the specification.`,
      status: 201,
      hasLocation: true,
      answers: 'The new document.',
      example: {
        name: 'Terms of delivery.md',
        isShared: true,
        content: 'IyBEZWxpdmVyeQpXZSBkZWxpdmVyIHdpdGhpbiBmaXZlIGRheXMuCg==',
      },
      refusals: [409],
    }),
    operation('GET /v1/documents/search', 'knowledgeDocumentSearch', {
      summary: 'Search documents',
      answers: 'The passages, the best first.',
    }),
    operation('GET /v1/documents/{id}', 'knowledgeDocument', { summary: 'Read a document', answers: 'The document.' }),
    operation('PATCH /v1/documents/{id}', 'knowledgeDocumentUpdate', {
      summary: 'Change a document',
      answers: 'The document as changed.',
      example: { category: 'CONTRACT' },
    }),
    operation('DELETE /v1/documents/{id}', 'knowledgeDocumentDelete', { summary: 'Delete a document', status: 204 }),
  ],
}
