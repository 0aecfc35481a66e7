import { invalid, Refusal } from '../../kernel/errors.ts'
import { keepFile } from '../../kernel/file/file-store.ts'
import type { SentPart } from '../../kernel/file/sent-files.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction } from '../../kernel/request.ts'
import type { BulkJob } from './bulk-job.types.ts'
import type { BulkContext } from './job-limits.ts'
import { readJob, requireJob, shownJob, type StoredJob } from './stored-job.ts'

const partBytesMax = 100_000_000
const fileBytesMax = 1_000_000_000
const partsMax = 1_000

function requireOpen({ state }: StoredJob): void {
  if (state !== 'OPEN')
    throw refusalInSituation(`The bulk job is ${state}; only one that is OPEN takes parts of its file.`, { state })
}

const problemOf = (path: string, code: string, message: string) => invalid({ path, code, message })

/** Takes a part of the file of a job. The same bytes again change nothing; other bytes are refused. */
export async function receiveBulkPart(
  ctx: BulkContext,
  id: string,
  part: number,
  { source, announced, sha256 }: SentPart,
): Promise<BulkJob> {
  requireWritableRole(ctx)
  if (!Number.isInteger(part) || part < 1 || part > partsMax)
    throw problemOf('part', 'OUT_OF_RANGE', `part must be between 1 and ${partsMax}.`)
  const job = await requireJob(ctx, id)
  requireOpen(job)
  const { organizationId } = ctx.caller
  const isKnown = job.parts.some((each) => each.part === part)
  const bytesMax = Math.min(partBytesMax, isKnown ? fileBytesMax : fileBytesMax - job.bytesTotal)
  const written = await ctx.files.write(source, { organizationId, bytesMax, announced })
  let isKept = false
  try {
    if (written.bytes === 0) throw problemOf('data', 'EMPTY', 'A part must have at least one byte.')
    if (sha256 !== null && Buffer.from(written.sha256, 'hex').toString('base64') !== sha256)
      throw problemOf(
        'Content-Digest',
        'NOT_EQUAL',
        'The bytes that arrived have another SHA-256 than Content-Digest; send the part again.',
      )
    const stored = await inTransaction(ctx, async (inner) => {
      const current = await requireJob(inner, id, { isLocked: true })
      requireOpen(current)
      const known = current.parts.find((each) => each.part === part)
      if (known && known.sha256 !== written.sha256)
        throw refusalInSituation(
          `Part ${part} has arrived with other bytes; delete the job, and create another one for other bytes.`,
        )
      if (known) return { job: current, isNew: false }
      if (current.bytesTotal + written.bytes > fileBytesMax)
        throw new Refusal('PAYLOAD_TOO_LARGE', `The file of a bulk job must have at most ${fileBytesMax} bytes.`)
      await keepFile(inner.db, organizationId, written.id)
      await inner.db.query(
        `with part as (insert into records.bulk_part (organization_id, job_id, part, content_id, bytes, sha256) values ($1, $2, $3, $4, $5, $6))
         update records.bulk_job set bytes_total = bytes_total + $5 where organization_id = $1 and id = $2`,
        [organizationId, current.id, part, written.id, written.bytes, written.sha256],
        'WRITE',
      )
      return { job: (await readJob(inner.db, organizationId, current.id))!, isNew: true }
    })
    isKept = stored.isNew
    return shownJob(stored.job)
  } finally {
    if (!isKept) await ctx.files.discard(organizationId, written.id)
  }
}
