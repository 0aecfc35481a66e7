import { buffer } from 'node:stream/consumers'
import { fileName } from '../../kernel/file/file-name.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { readReference } from '../../kernel/record/read.ts'
import { notAnswered, type RequestContext, type Services } from '../../kernel/request.ts'
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

const attachedNames = ['name', 'contentType', 'size'] as const
const attachedColumns: ReadonlySet<string> = new Set(['id', 'status', ...attachedNames])

/** The files with these ids, in this order. Null for one that the caller does not see or that has no bytes. Needs READ_FILES. */
export async function attachableFiles(ctx: RequestContext, ids: readonly string[]): Promise<(AttachableFile | null)[]> {
  requireScopes(ctx.caller, [[['READ_FILES']]])
  requireReadable(ctx.caller, file, ...attachedNames)
  const inner = notAnswered(ctx)
  const found = await Promise.all(ids.map((id) => readReference(inner, file, id, attachedColumns)))
  return found.map((row) => (row?.status === 'READY' ? (row as unknown as AttachableFile) : null))
}

export interface AttachedContent {
  readonly filename: string
  readonly contentType: string
  readonly content: Buffer
}

/** The bytes of a file that is attached to a mail; null if the file is deleted. For files whose size is bounded. */
export async function attachedContent(
  ctx: RequestContext,
  { files }: Pick<Services, 'files'>,
  id: string,
): Promise<AttachedContent | null> {
  const { organizationId } = ctx.caller
  const [found] = await ctx.db.query<Pick<File, 'name' | 'contentType' | 'contentId'>>(
    `select name, content_type as "contentType", content_id as "contentId" from crm.file
     where organization_id = $1 and id = $2 and deleted_at is null and content_id is not null`,
    [organizationId, id],
  )
  if (!found) return null
  const content = await buffer(await files.read(organizationId, found.contentId!))
  return { filename: fileName(found.name), contentType: found.contentType!, content }
}
