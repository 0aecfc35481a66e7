import { releaseFile } from '../../kernel/file/file-store.ts'
import { requireReadable } from '../../kernel/record/field-security.ts'
import { loadableIn } from '../../kernel/record/loadable-records.ts'
import { noteFields } from '../../kernel/record/note-fields.ts'
import { refuse } from '../../kernel/record/prepare-change.ts'
import { requireWritableRole } from '../../kernel/record/save.ts'
import { shapeFor } from '../../kernel/record/shape-source.ts'
import { refusalInSituation } from '../../kernel/record/transitions.ts'
import { inTransaction, type RequestContext } from '../../kernel/request.ts'
import { waitingMax } from './bulk-job.migrations.ts'
import type { BulkJob } from './bulk-job.types.ts'
import { knowing, mappingOf } from './create-job.ts'
import { endJob } from './end-job.ts'
import { requireRoom, type BulkContext } from './job-limits.ts'
import { columnsOfFile } from './parse/file-columns.ts'
import { formatOf } from './read-file.ts'
import { readJob, requireJob, shownJob, type NamedBy, type StoredJob } from './stored-job.ts'

function requireWholeFile({ parts }: StoredJob): void {
  const last = parts.at(-1)?.part ?? 0
  const arrived = new Set(parts.map(({ part }) => part))
  const missing = Array.from({ length: Math.max(last, 1) }, (_, index) => index + 1).filter(
    (part) => !arrived.has(part),
  )
  if (missing.length > 0) throw refusalInSituation(`Parts that have not arrived: ${missing.join(', ')}.`)
}

const namedBy = ({ caller: { kind, credentialId, origin }, queryName }: BulkContext): NamedBy => ({
  kind,
  credentialId,
  queryName,
  ...(origin && { origin }),
})

/** Closes the file of a job, which then waits for its turn. A file whose columns cannot be loaded is refused, and the job stays OPEN. */
async function completeUpload(ctx: BulkContext, job: StoredJob): Promise<BulkJob> {
  if (job.state === 'UPLOAD_COMPLETE') return shownJob(job)
  if (job.state !== 'OPEN')
    throw refusalInSituation(`The bulk job is ${job.state}; only one that is OPEN can become UPLOAD_COMPLETE.`, {
      state: job.state,
    })
  requireWholeFile(job)
  const known = await knowing(ctx, job.object)
  const loadable = loadableIn(known, job.object)
  if (!loadable) throw refusalInSituation(`The record type ${job.object} does not exist any more.`)
  const { organizationId } = ctx.caller
  const format = await formatOf(ctx.files, organizationId, job)
  const { mapping, readOnlyColumns } = job.options
  const rules = { operation: job.operation, matchBy: job.matchBy, mapping: mappingOf(mapping), readOnlyColumns }
  if (job.contentType === 'CSV') {
    const shape = shapeFor(known, loadable.definition)
    const { columns, problems } = columnsOfFile(known, shape, format.columns, rules)
    refuse([...problems])
    noteFields(
      known,
      shape,
      columns.flatMap((column) => column?.customKey ?? []),
    )
    for (const column of columns)
      if (column?.externalIdsOf) requireReadable(ctx.caller, column.externalIdsOf, 'externalId')
  }
  return inTransaction(ctx, async (inner) => {
    const current = await requireJob(inner, job.id, { isLocked: true })
    if (current.state !== 'OPEN' || current.parts.length !== job.parts.length)
      throw refusalInSituation('The bulk job was changed at the same time; repeat the request.')
    await requireRoom(inner.db, organizationId, 'UPLOAD_COMPLETE', waitingMax)
    await inner.db.query(
      `with run as (insert into records.bulk_run (organization_id, id) values ($1, $2))
       update records.bulk_job set job_state = 'UPLOAD_COMPLETE', format = $3, checkpoint = $4 where organization_id = $1 and id = $2`,
      [
        organizationId,
        job.id,
        JSON.stringify({ ...format, namedBy: namedBy(ctx) }),
        JSON.stringify({ byte: format.byte, row: 0 }),
      ],
      'WRITE',
    )
    return shownJob((await readJob(inner.db, organizationId, job.id))!)
  })
}

/** Ends a job. The rows that are being processed at the moment are not written; those before stay. */
async function abortJob(ctx: BulkContext, id: string): Promise<BulkJob> {
  return inTransaction(ctx, async (inner) => {
    const job = await requireJob(inner, id, { isLocked: true })
    if (job.state === 'ABORTED') return shownJob(job)
    if (job.state === 'JOB_COMPLETE' || job.state === 'FAILED')
      throw refusalInSituation(`The bulk job has ended: it is ${job.state}.`, { state: job.state })
    await endJob(inner, job, { state: 'ABORTED' })
    return shownJob((await readJob(inner.db, inner.caller.organizationId, job.id))!)
  })
}

export async function setJobState(
  ctx: BulkContext,
  id: string,
  state: 'UPLOAD_COMPLETE' | 'ABORTED',
): Promise<BulkJob> {
  const job = await requireJob(ctx, id)
  if (job.operation !== 'EXPORT') requireWritableRole(ctx)
  return state === 'ABORTED' ? abortJob(ctx, job.id) : completeUpload(ctx, job)
}

/** Deletes the rows of a job, and takes the owner of its file away. */
export async function deleteJob(
  { db, clock }: Pick<RequestContext, 'db' | 'clock'>,
  organizationId: string,
  job: StoredJob,
): Promise<void> {
  for (const { contentId } of job.parts) await releaseFile(db, organizationId, contentId, clock.now())
  await db.query(
    `with parts as (delete from records.bulk_part where organization_id = $1 and job_id = $2),
       chunks as (delete from records.bulk_chunk where organization_id = $1 and job_id = $2),
       runs as (delete from records.bulk_run where organization_id = $1 and id = $2)
     delete from records.bulk_job where organization_id = $1 and id = $2`,
    [organizationId, job.id],
    'WRITE',
  )
}

/** Waits for the attempt that works on a job. It is to be called before the job is locked, because an attempt locks both in this order, too. */
export async function lockRun(db: RequestContext['db'], organizationId: string, id: string): Promise<void> {
  await db.query(
    'select from records.bulk_run where organization_id = $1 and id = $2 for update',
    [organizationId, id],
    'WRITE',
  )
}

function requireEnded({ state }: StoredJob): void {
  if (state === 'UPLOAD_COMPLETE' || state === 'IN_PROGRESS')
    throw refusalInSituation(`The bulk job is ${state}; abort it first.`, { state })
}

export async function removeJob(ctx: BulkContext, id: string): Promise<string> {
  const found = await requireJob(ctx, id)
  if (found.operation !== 'EXPORT') requireWritableRole(ctx)
  requireEnded(found)
  return inTransaction(ctx, async (inner) => {
    await lockRun(inner.db, inner.caller.organizationId, found.id)
    const job = await requireJob(inner, found.id, { isLocked: true })
    requireEnded(job)
    await deleteJob(inner, inner.caller.organizationId, job)
    return job.id
  })
}
