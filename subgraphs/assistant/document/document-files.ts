import type { OperationContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import type { SentFiles } from '../../kernel/file/sent-files.ts'
import { portsOf, requestContext, type Services } from '../../kernel/request.ts'
import { triedContext } from '../../kernel/subgraph/tried-context.ts'
import { uploadContent, type DocumentContext } from './document.actions.ts'
import { mediaTypes } from './document.enumerations.ts'
import { requireDocument } from './stored-document.ts'

export function documentFilesOf(services: Services): SentFiles {
  const contextOf = async (operation: OperationContext): Promise<DocumentContext> => {
    await services.shapes.load(operation.caller.organizationId)
    const ctx = requestContext(operation, services, { ports: portsOf(services, ['files']) })
    return triedContext(ctx, operation.triedEvents)
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
