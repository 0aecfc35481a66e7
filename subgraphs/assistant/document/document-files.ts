import type { Readable } from 'node:stream'
import type { OperationContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { ByteRange } from '../../kernel/file/file-store.ts'
import { portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { uploadContent, type DocumentContext } from './document.actions.ts'
import { mediaTypes } from './document.enumerations.ts'
import type { KnowledgeDocument } from './document.types.ts'
import { requireDocument } from './stored-document.ts'

/** A file to download. */
export interface OpenedFile {
  readonly name: string
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
  read(range?: ByteRange): Promise<Readable>
}

export interface DocumentFiles {
  /** `announced`: the length that the client announced; null if it did not. */
  upload(
    operation: OperationContext,
    id: string,
    source: AsyncIterable<Uint8Array>,
    announced: number | null,
  ): Promise<KnowledgeDocument>
  open(operation: OperationContext, id: string): Promise<OpenedFile>
}

export function documentFilesOf(services: Services): DocumentFiles {
  const contextOf = async (operation: OperationContext): Promise<DocumentContext> => {
    await services.shapes.load(operation.caller.organizationId)
    return requestContext(operation, services, { ports: portsOf(services, ['files']) })
  }
  return {
    async upload(operation, id, source, announced) {
      const { fileId: _file, ...document } = await uploadContent(await contextOf(operation), id, source, announced)
      return document
    },
    async open(operation, id) {
      const { fileId, name, format, bytes, sha256 } = await requireDocument(await contextOf(operation), id)
      if (!fileId) throw notFound('The file of the document')
      return {
        name,
        mediaType: mediaTypes[format],
        bytes: bytes!,
        sha256: sha256!,
        read: (range) => services.files.read(operation.caller.organizationId, fileId, range),
      }
    },
  }
}
