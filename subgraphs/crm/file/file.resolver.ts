import { Ctx, Query, Resolver } from 'type-graphql'
import { notFound } from '../../kernel/errors.ts'
import { downloadToken } from '../../kernel/file/download-token.ts'
import { IdArg } from '../../kernel/record/args.ts'
import { operation } from '../../kernel/record/operation.ts'
import { requireRecord } from '../../kernel/record/read.ts'
import { RequiresScopes } from '../../kernel/record/requires-scope.ts'
import { createdAfter, restArea, updatedAfter } from '../../kernel/record/rest-area.ts'
import { standardResolver } from '../../kernel/record/standard-resolver.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { Resource } from '../../kernel/subgraph/subgraph.ts'
import { restoreFile } from './file.actions.ts'
import { FileDownloadLink, fileTypes } from './file.inputs.ts'
import { deleteAbandonedFiles, deleteFileContents } from './file.jobs.ts'
import { filesOfMails, fileTable } from './file.migrations.ts'
import { file } from './file.record.ts'
import { fileStats, FileStats } from './file.stats.ts'
import { File } from './file.ts'

const linkMs = 5 * 60_000

@Resolver(() => File)
export class FileResolver extends standardResolver(file, {
  scope: 'FILES',
  types: fileTypes,
  actions: { restore: restoreFile },
  stats: { type: FileStats, read: fileStats },
  restoreDescription:
    'Restores a deleted file. Refused with INVALID_STATE when its bytes are deleted, seven days after the file.',
}) {
  @Query(() => FileDownloadLink, {
    description:
      'A link to the bytes of a file that the caller sees, for a browser or another program without credentials. NOT_FOUND while the file is UPLOADING.',
  })
  @RequiresScopes('READ_FILES')
  async fileDownloadLink(@IdArg() id: string, @Ctx() ctx: RequestContext<'keys'>): Promise<FileDownloadLink> {
    const found = await requireRecord(ctx, file, id)
    if (found.contentId === null) throw notFound('The content of the file')
    const expiresAt = new Date(ctx.clock.now().getTime() + linkMs)
    const token = downloadToken(ctx.keys, { organizationId: found.organizationId, id: found.id, expiresAt })
    return {
      downloadUrl: `${ctx.settings.publicUrl}/v1/public/files/${token}`,
      expiresAt: expiresAt.toISOString(),
    }
  }
}

export const fileResource: Resource = {
  resolver: FileResolver,
  entities: { File: file },
  migrations: [fileTable, filesOfMails],
  jobs: [deleteAbandonedFiles, deleteFileContents],
  rest: restArea(file, {
    path: 'files',
    filters: [
      'status',
      { name: 'relatedToType', column: 'relatedToType', operator: 'in' },
      'relatedToId',
      'ownerId',
      'externalId',
      createdAfter,
      updatedAfter,
    ],
  }),
  operations: [
    operation('GET /v1/files/{id}/download-link', 'fileDownloadLink', {
      summary: 'Make a link to download a file',
      answers: 'The link, and when it expires.',
    }),
  ],
}
