import { notFound } from '../../kernel/errors.ts'
import { releaseFile } from '../../kernel/file/file-store.ts'
import { eachInBatches } from '../../kernel/jobs/each-in-batches.ts'
import type { Job } from '../../kernel/jobs/job.ts'
import { change } from '../../kernel/record/records-of.ts'
import { systemContext, type Services } from '../../kernel/request.ts'
import { file } from './file.record.ts'

const dayMs = 86_400_000
const batchSize = 200

interface Found extends Record<string, unknown> {
  readonly organizationId: string
  readonly id: string
  readonly at: string
}

const foundBefore =
  (services: Services, column: 'created_at' | 'deleted_at', ms: number, where: string) =>
  (after: Found | null): Promise<Found[]> =>
    services.database.query<Found>(
      `select organization_id as "organizationId", id, ${column} as at from crm.file
       where ${where} and ${column} < $1 and ($2::timestamptz is null or (${column}, id) > ($2, $3::uuid))
       order by ${column}, id limit ${batchSize}`,
      [new Date(services.clock.now().getTime() - ms).toISOString(), after?.at ?? null, after?.id ?? null],
    )

/** Deletes files whose bytes have not arrived within a day. */
export const deleteAbandonedFiles: Job = {
  name: 'file.deleteAbandoned',
  cron: '17 * * * *',
  async run(services) {
    await eachInBatches(
      foundBefore(services, 'created_at', dayMs, `status = 'UPLOADING' and deleted_at is null`),
      ({ organizationId, id }) =>
        change(systemContext(services, organizationId), file, id, ({ status }) => {
          if (status !== 'UPLOADING') throw notFound('The unfinished upload')
          return { operation: 'DELETE', values: {} }
        }),
    )
  },
}

/** Deletes the bytes of files that were deleted seven days ago. */
export const deleteFileContents: Job = {
  name: 'file.deleteContents',
  cron: '27 * * * *',
  async run(services) {
    await eachInBatches(
      foundBefore(services, 'deleted_at', 7 * dayMs, 'deleted_at is not null and content_id is not null'),
      ({ organizationId, id }) => releaseContent(services, organizationId, id),
    )
  },
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
      'update crm.file set content_id = null, version = version + 1 where organization_id = $1 and id = $2',
      [organizationId, id],
      'WRITE',
    )
    await releaseFile(sql, organizationId, row.contentId, clock.now())
  })
