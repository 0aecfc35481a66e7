import { buffer } from 'node:stream/consumers'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import type { FileStore } from '../../kernel/file/file-store.ts'
import { fileName } from '../../kernel/file/file-name.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { readReference } from '../../kernel/record/read.ts'
import { notAnswered, type RequestContext } from '../../kernel/request.ts'
import { requireScopes } from '../../kernel/unmet-scopes.ts'
import { file } from './file.record.ts'
import type { File } from './file.ts'

/** A file that somebody attaches to a mail. */
export interface AttachableFile {
  readonly id: string
  readonly name: string
  readonly contentType: string
  readonly size: number
}

/** How many files a mail may have. */
export const attachedFilesMax = 10

const attachedNames = ['name', 'contentType', 'size'] as const
const attachedColumns: ReadonlySet<string> = new Set(['id', 'status', ...attachedNames])

/** The files with these ids, in this order. Null for one that the caller does not see or that has no bytes. */
async function readAttachable(ctx: RequestContext, ids: readonly string[]): Promise<(AttachableFile | null)[]> {
  requireScopes(ctx.caller, [[['READ_FILES']]])
  requireReadable(ctx.caller, file, ...attachedNames)
  const inner = notAnswered(ctx)
  const found = await Promise.all(ids.map((id) => readReference(inner, file, id, attachedColumns)))
  return found.map((row) => (row?.status === 'READY' ? (row as unknown as AttachableFile) : null))
}

/** The files of the argument `fileIds`, each once. Refuses files that the caller does not see, that have no bytes, or that are too large together. */
export async function requireAttachable(
  ctx: RequestContext,
  given: readonly string[],
  bytesMax: number,
): Promise<AttachableFile[]> {
  if (given.length === 0) return []
  if (given.length > attachedFilesMax) {
    const message = `fileIds must have at most ${attachedFilesMax} items.`
    throw invalid({ path: 'fileIds', code: 'TOO_MANY', message })
  }
  const ids = [...new Set(given.map((id) => id.toLowerCase()))]
  const found = await readAttachable(ctx, ids)
  const problems = given.flatMap((id, index): FieldProblem[] => {
    if (found[ids.indexOf(id.toLowerCase())]) return []
    const path = `fileIds.${index}`
    return [{ path, code: 'UNKNOWN_REFERENCE', message: `${path} must be the id of a READY file that you can see.` }]
  })
  if (problems.length > 0) throw invalid(...problems)
  const files = found.filter((each) => each !== null)
  if (files.reduce((sum, { size }) => sum + size, 0) > bytesMax) throw filesTooLarge(bytesMax)
  return files
}

export const filesTooLarge = (bytesMax: number) =>
  invalid({
    path: 'fileIds',
    code: 'TOO_LARGE',
    message: `The files must have at most ${bytesMax.toLocaleString('en')} bytes together.`,
  })

export interface AttachedFile {
  readonly filename: string
  readonly contentType: string
  /** The bytes, which must be bounded. Must not be called in a transaction. */
  read(): Promise<Buffer>
}

/** A file that is attached to a mail; null if it is deleted. */
export async function attachedFile(ctx: RequestContext, files: FileStore, id: string): Promise<AttachedFile | null> {
  const { organizationId } = ctx.caller
  const [found] = await ctx.db.query<Pick<File, 'name' | 'contentType' | 'contentId'>>(
    `select name, content_type as "contentType", content_id as "contentId" from crm.file
     where organization_id = $1 and id = $2 and deleted_at is null and content_id is not null`,
    [organizationId, id],
  )
  if (!found) return null
  return {
    filename: fileName(found.name),
    contentType: found.contentType!,
    read: async () => buffer(await files.read(organizationId, found.contentId!)),
  }
}
