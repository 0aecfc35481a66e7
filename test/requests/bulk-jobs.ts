import { Readable } from 'node:stream'
import { keepFile } from '../../subgraphs/kernel/file/file-store.ts'
import type { Sender } from './sender.ts'

const csv = Buffer.from('name,website\r\nHalvorsen Marine,https://halvorsen.example\r\n')

export const bulkBodies = {
  bulkJobCreate: (_requests: Sender, whole: boolean) =>
    Promise.resolve({
      object: 'account',
      operation: 'INSERT',
      ...(whole && {
        contentType: 'CSV',
        externalIdField: 'id',
        options: {
          dryRun: false,
          allOrNone: false,
          runHooks: true,
          runAutomations: true,
          emitEvents: 'SUMMARY',
          matchDeleted: 'IGNORE',
          encoding: 'UTF_8',
          delimiter: ',',
          dateFormat: 'ISO',
          decimalSeparator: 'POINT',
          blankMeans: 'KEEP',
          mapping: { Company: 'name' },
          readOnlyColumns: 'IGNORE',
          spreadsheetSafe: true,
        },
      }),
    }),
  bulkJobPartUpload: () => Promise.resolve(csv),
}

/** What exports have and other jobs do not. */
export const bulkParts = {
  bulkJobCreate: {
    query: { filter: null, search: null, fields: ['name'], orderBy: [{ field: 'name', direction: 'ASC' }] },
  },
}

/** Gives the job of the path its file. */
async function withPart({ platform, member: { organizationId } }: Sender, id: string): Promise<void> {
  const { files, tenants } = platform.services
  const written = await files.write(Readable.from([csv]), { organizationId, bytesMax: csv.length })
  await keepFile(tenants.of(organizationId), organizationId, written.id)
  await platform.query(
    `insert into records.bulk_part (organization_id, job_id, part, content_id, bytes, sha256) values ($1, $2, 1, $3, $4, $5)
     on conflict do nothing`,
    [organizationId, id, written.id, written.bytes, written.sha256],
  )
  await platform.query(
    `update records.bulk_job set job_state = 'OPEN', bytes_total = $3, options = options || '{"mapping": null}' where organization_id = $1 and id = $2`,
    [organizationId, id, csv.length],
  )
}

/** A job whose rows failed. */
async function withResults(sender: Sender, id: string): Promise<void> {
  await withPart(sender, id)
  const { platform, member } = sender
  const format = { encoding: 'UTF_8', delimiter: ',', columns: ['name', 'website'], byte: 14 }
  await platform.query(
    `update records.bulk_job set job_state = 'JOB_COMPLETE', format = $3, checkpoint = $4, records_total = 1, records_failed = 1 where organization_id = $1 and id = $2`,
    [member.organizationId, id, JSON.stringify(format), JSON.stringify({ byte: csv.length, row: 1 })],
  )
  await platform.query(
    `insert into records.bulk_chunk (organization_id, job_id, first_row, row_count, byte, succeeded, failed, results)
     values ($1, $2, 1, 1, 14, 0, 1, $3) on conflict do nothing`,
    [member.organizationId, id, JSON.stringify([[1, 'TOO_LONG', 'name', 'name must have at most 255 characters.']])],
  )
}

/** An export that is complete. */
async function withExport(sender: Sender, id: string): Promise<void> {
  await withPart(sender, id)
  const { platform, member } = sender
  const exported = { written: [], sha256: 'a'.repeat(64), fields: ['name', 'website'], hidden: [], ownerIds: [] }
  await platform.query(
    `update records.bulk_job set operation = 'EXPORT', job_state = 'JOB_COMPLETE', query = '{}', exported = $3 where organization_id = $1 and id = $2`,
    [member.organizationId, id, JSON.stringify(exported)],
  )
}

export const bulkPreparations = {
  bulkJobUpdate: withPart,
  bulkJobDownload: withExport,
  bulkJobResults: withResults,
}

export const bulkCredentials = {
  bulkJobPartUpload: ({ member }: Sender) => Promise.resolve({ ...member.headers, 'Content-Type': 'text/csv' }),
}
