import type { Sql } from '../../../kernel/database/sql.ts'
import { notFound } from '../../../kernel/errors.ts'
import { endReservation, releaseFile } from '../../../kernel/file/file-store.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import type { FileUpload } from './file-upload.ts'

export interface StoredPart {
  readonly part: number
  readonly contentId: string
  readonly sha256: string
}

export interface StoredUpload {
  readonly fileId: string
  readonly reservationId: string
  readonly size: number
  readonly partSize: number
  readonly parts: readonly StoredPart[]
}

/** The upload of a file that the caller sees; null if none has begun. */
export async function findUpload(db: Sql, organizationId: string, fileId: string): Promise<StoredUpload | null> {
  const [found] = await db.query<StoredUpload & Record<string, unknown>>(
    `select u.file_id as "fileId", u.reservation_id as "reservationId", u.size, u.part_size as "partSize", coalesce((
       select json_agg(json_build_object('part', p.part, 'contentId', p.content_id, 'sha256', p.sha256) order by p.part)
       from crm.file_part p where p.organization_id = u.organization_id and p.file_id = u.file_id), '[]') as parts
     from crm.file_upload u where u.organization_id = $1 and u.file_id = $2`,
    [organizationId, fileId],
    'WRITE',
  )
  return found ?? null
}

export async function requireUpload({ db, caller }: RequestContext, fileId: string): Promise<StoredUpload> {
  const found = await findUpload(db, caller.organizationId, fileId)
  if (!found) throw notFound('The upload of the file in parts')
  return found
}

export const partCountOf = ({ size, partSize }: Pick<StoredUpload, 'size' | 'partSize'>): number =>
  Math.ceil(size / partSize)

/** Bytes that a part must have; null if there is no such part. */
export function bytesOfPart(upload: StoredUpload, part: number): number | null {
  const count = partCountOf(upload)
  if (!Number.isInteger(part) || part < 1 || part > count) return null
  return part < count ? upload.partSize : upload.size - (count - 1) * upload.partSize
}

export const shownUpload = (upload: StoredUpload): FileUpload => ({
  id: upload.fileId,
  size: upload.size,
  partSize: upload.partSize,
  partCount: partCountOf(upload),
  receivedParts: upload.parts.map(({ part }) => part),
})

/**
 * Ends an upload and gives back its reserved bytes, in the transaction that gives the file its bytes or deletes it. Returns the ids of the
 * parts, to be deleted after the commit (`deleteParts`); the job `files.sweep` deletes what a killed process leaves.
 */
export async function endUpload(
  { db, caller, clock }: Pick<RequestContext, 'db' | 'caller' | 'clock'>,
  fileId: string,
): Promise<string[]> {
  const { organizationId } = caller
  const [ended] = await db.query<{ reservationId: string }>(
    `delete from crm.file_upload where organization_id = $1 and file_id = $2 returning reservation_id as "reservationId"`,
    [organizationId, fileId],
    'WRITE',
  )
  if (!ended) return []
  await endReservation(db, organizationId, ended.reservationId)
  const parts = await db.query<{ contentId: string }>(
    `delete from crm.file_part where organization_id = $1 and file_id = $2 returning content_id as "contentId"`,
    [organizationId, fileId],
    'WRITE',
  )
  for (const { contentId } of parts) await releaseFile(db, organizationId, contentId, clock.now())
  return parts.map(({ contentId }) => contentId)
}

/**
 * Deletes the parts of an upload that has ended. Inside a transaction, such as that of an idempotency key, it could still be rolled back, so the job
 * `files.sweep` deletes them.
 */
export async function deleteParts(ctx: RequestContext<'files'>, parts: readonly string[]): Promise<void> {
  if (!ctx.db.open) await ctx.files.deleteReleased(ctx.caller.organizationId, parts)
}
