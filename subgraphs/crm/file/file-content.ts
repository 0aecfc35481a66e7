import { activeSeller } from '../../identity/public.ts'
import type { OperationContext } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { readDownloadToken } from '../../kernel/file/download-token.ts'
import type { OpenedFile, SentFiles } from '../../kernel/file/sent-files.ts'
import { isHidden } from '../../kernel/record/field-security.ts'
import { requireRecord, stateOf } from '../../kernel/record/read.ts'
import { portsOf, requestContext, systemContext, type Services } from '../../kernel/request.ts'
import { triedContext } from '../../kernel/subgraph/tried-context.ts'
import { fileParent } from './file.enumerations.ts'
import { uploadFile, type FileContext } from './file.actions.ts'
import { file } from './file.record.ts'
import type { File } from './file.ts'
import { receivePart } from './upload/upload.actions.ts'

/** The bytes of files, for the process that has the connection to the client. */
export interface RecordFiles extends SentFiles {
  /** The file that a link names; 404 when the link has expired, and while the organization is suspended. */
  openLinked(token: string): Promise<OpenedFile>
}

export function recordFilesOf(services: Services): RecordFiles {
  const contextOf = async (operation: OperationContext): Promise<FileContext> => {
    await services.shapes.load(operation.caller.organizationId)
    const ctx = requestContext(operation, services, { ports: portsOf(services, ['files']) })
    return triedContext(ctx, operation.triedEvents)
  }
  const opened = (found: File, name: string): OpenedFile => {
    const { organizationId, contentId, contentType, size, sha256 } = found
    if (contentId === null) throw notFound('The content of the file')
    return {
      name,
      mediaType: contentType!,
      bytes: size!,
      sha256: sha256!,
      read: (range) => services.files.read(organizationId, contentId, range),
    }
  }
  return {
    async upload(operation, id, source, announced) {
      const ctx = await contextOf(operation)
      const uploaded = await uploadFile(ctx, id, source, announced)
      const shown = file.columns.shown.filter(({ name }) => !isHidden(ctx.caller, file, name))
      return Object.fromEntries(shown.map(({ name }) => [name, uploaded[name as keyof File]]))
    },
    async uploadPart(operation, id, part, sent) {
      return receivePart(await contextOf(operation), id, part, sent)
    },
    async open(operation, id) {
      const ctx = await contextOf(operation)
      const found = await requireRecord(ctx, file, id)
      return opened(found, isHidden(ctx.caller, file, 'name') ? 'file' : found.name)
    },
    async openLinked(token) {
      const link = readDownloadToken(services.keys, token, services.clock.now())
      if (!link) throw notFound('The file, or the link has expired. It')
      await services.shapes.load(link.organizationId)
      const ctx = systemContext(services, link.organizationId)
      if (!(await activeSeller(ctx))) throw notFound('The file')
      const found = await requireRecord(ctx, file, link.id)
      const { relatedToType, relatedToId } = found
      if (relatedToType !== null) {
        const parent = fileParent(ctx, relatedToType)
        if (!parent || (await stateOf(ctx, parent, relatedToId!)) !== 'LIVE') throw notFound('The file')
      }
      return opened(found, found.name)
    },
  }
}
