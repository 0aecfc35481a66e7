import { dueRecords } from '../../identity/public.ts'
import { notFound } from '../../kernel/errors.ts'
import { releaseFile } from '../../kernel/file/file-store.ts'
import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { change } from '../../kernel/record/records-of.ts'
import { inTransaction, systemContext, type Services } from '../../kernel/request.ts'
import { file } from './file.record.ts'
import { endUpload } from './upload/stored-upload.ts'

const dayMs = 86_400_000
const batchSize = 200

/** Deletes files whose bytes have not arrived within a day. */
export const deleteAbandonedFiles = dueRecords(file, {
  name: 'file.deleteAbandoned',
  cron: '17 * * * *',
  by: 'createdAt',
  afterMs: dayMs,
  of: `status = 'UPLOADING'`,
  // An import says when a file was created, which can be long before its upload.
  when: `r.updated_at <= $1::timestamptz - interval '1 day'`,
  work: (ctx, { id }) =>
    change(ctx, file, id, ({ status }) => {
      if (status !== 'UPLOADING') throw notFound('The unfinished upload')
      return { operation: 'DELETE', values: {} }
    }),
})

interface Found extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
  readonly at: string
}

/** Deletes the bytes of files that were deleted seven days ago, of suspended organizations too: their disk is needed. */
export const deleteFileContents: Job = {
  name: 'file.deleteContents',
  cron: '27 * * * *',
  async run(services) {
    await endDeletedUploads(services)
    const before = new Date(services.clock.now().getTime() - 7 * dayMs).toISOString()
    await eachInBatches<Found>(
      (after) =>
        services.database.query<Found>(
          `select organization_id as "organizationId", id, deleted_at as at from crm.file
           where deleted_at is not null and content_id is not null and deleted_at < $1
             and ($2::timestamptz is null or (deleted_at, id) > ($2, $3::uuid))
           order by deleted_at, id limit ${batchSize}`,
          [before, after?.at ?? null, after?.id ?? null],
        ),
      ({ organizationId, id }) => releaseContent(services, organizationId, id),
    )
  },
}

interface Deleted extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
}

/** Ends the uploads in parts of files that are deleted, at once: their bytes are reserved. A file that is restored can be sent again. */
async function endDeletedUploads(services: Services): Promise<void> {
  await eachInBatches<Deleted>(
    (after) =>
      services.database.query<Deleted>(
        `select u.organization_id as "organizationId", u.file_id as id from crm.file_upload u
         join crm.file f on f.organization_id = u.organization_id and f.id = u.file_id
         where f.deleted_at is not null and ($1::uuid is null or (u.organization_id, u.file_id) > ($1, $2::uuid))
         order by u.organization_id, u.file_id limit ${batchSize}`,
        [after?.organizationId ?? null, after?.id ?? null],
      ),
    async ({ organizationId, id }) => {
      const parts = await inTransaction(systemContext(services, organizationId), (ctx) => endUpload(ctx, id))
      await services.files.deleteReleased(organizationId, parts)
    },
  )
}

const releaseContent = ({ database, clock }: Services, organizationId: string, id: string): Promise<void> =>
  database.transaction(async (sql) => {
    const [row] = await sql.query<{ contentId: string }>(
      `select content_id as "contentId" from crm.file
       where organization_id = $1 and id = $2 and deleted_at is not null and content_id is not null for update`,
      [organizationId, id],
      'WRITE',
    )
    if (!row) return
    await sql.query(
      'update crm.file set content_id = null where organization_id = $1 and id = $2',
      [organizationId, id],
      'WRITE',
    )
    await releaseFile(sql, organizationId, row.contentId, clock.now())
  })
