import { Ctx, Int, Mutation, Query, Resolver } from 'type-graphql'
import { IdArg } from '../../../kernel/record/args.ts'
import { ValueArg } from '../../../kernel/record/declared-value.ts'
import { operation } from '../../../kernel/record/operation.ts'
import { RequiresScope, RequiresScopes } from '../../../kernel/record/requires-scope.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { Resource } from '../../../kernel/subgraph/subgraph.ts'
import { fileBytesMax, type FileContext } from '../file.actions.ts'
import { File } from '../file.ts'
import { fileUploadTables } from './file-upload.migrations.ts'
import { FileUpload, partBytes } from './file-upload.ts'
import { beginUpload, completeUpload, readUpload } from './upload.actions.ts'

@Resolver(() => File)
export class FileUploadResolver {
  @Query(() => FileUpload, {
    description: 'How far the upload of a file in parts is, to continue it. NOT_FOUND if none has begun.',
  })
  @RequiresScopes('READ_FILES')
  fileUploadProgress(@IdArg() id: string, @Ctx() ctx: RequestContext): Promise<FileUpload> {
    return readUpload(ctx, id)
  }

  @Mutation(() => FileUpload, {
    description: `Begins to send a file that is UPLOADING in parts of ${partBytes} bytes, over REST, and reserves its bytes. Repeated with the same size, it returns the upload that has begun; another size is INVALID_STATE once a part has arrived.`,
  })
  @RequiresScope('FILES')
  fileUploadBegin(
    @IdArg() id: string,
    @ValueArg('size', () => Int, {
      minimum: 1,
      maximum: fileBytesMax,
      description: 'Bytes of the whole file.',
      example: 48_213_000,
    })
    size: number,
    @Ctx() ctx: FileContext,
  ): Promise<FileUpload> {
    return beginUpload(ctx, id, size)
  }

  @Mutation(() => File, {
    description:
      'Makes the file of its parts: it is READY, and its `sha256` is that of the whole. INVALID_STATE, with the numbers, while parts are missing. After a failure it can be called again.',
  })
  @RequiresScope('FILES')
  fileUploadComplete(@IdArg() id: string, @Ctx() ctx: FileContext): Promise<File> {
    return completeUpload(ctx, id)
  }
}

const place = '/v1/files/{id}/upload'

export const fileUploadResource: Resource = {
  resolver: FileUploadResolver,
  migrations: [fileUploadTables],
  operations: [
    operation(`POST ${place}`, 'fileUploadBegin', {
      summary: 'Begin to send a file in parts',
      answers: 'The upload, with the number of its parts.',
    }),
    operation(`GET ${place}`, 'fileUploadProgress', {
      summary: 'Read how far an upload in parts is',
      answers: 'The upload, with the parts that have arrived.',
    }),
    operation(`POST ${place}/complete`, 'fileUploadComplete', {
      summary: 'Make a file of its parts',
      answers: 'The file, which is READY.',
    }),
  ],
}
