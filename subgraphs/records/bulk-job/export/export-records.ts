import { createHash } from 'node:crypto'
import { keepFile, type WrittenFile } from '../../../kernel/file/file-store.ts'
import { Refusal } from '../../../kernel/errors.ts'
import { loadableIn } from '../../../kernel/record/loadable-records.ts'
import { inTransaction, type RequestContext } from '../../../kernel/request.ts'
import { ownEventLoopTurn } from '../../../kernel/work/turn.ts'
import { endJob } from '../end-job.ts'
import { contextOf } from '../load/job-context.ts'
import { JobEnded, JobFailure, requireLease, requireRunning, type Turn } from '../load/lease.ts'
import type { ExportedFile, StoredJob } from '../stored-job.ts'
import { planExport, type ExportPlan } from './export-query.ts'
import { SplitBytes } from './split-bytes.ts'

const partBytes = 16_000_000
const fileBytesMax = 1_000_000_000
const rowsMax = 10_000_000
/** Statement timeout of an export, within the time of an attempt. */
const statementMs = 220_000
/** How often the lease is renewed and the progress is stored. */
const beatMs = 5_000

interface Progress {
  rows: number
  bytes: number
  readonly hash: ReturnType<typeof createHash>
}

/** The lines of the records with what the file begins with, as they arrive from PostgreSQL. */
async function* linesOf(
  { services, organizationId, signal }: Turn,
  { copy, head, lineEnd }: ExportPlan,
  progress: Progress,
): AsyncGenerator<Buffer> {
  const counted = (bytes: Buffer, rows: number): Buffer => {
    progress.rows += rows
    progress.bytes += bytes.length
    progress.hash.update(bytes)
    if (progress.rows > rowsMax)
      throw new JobFailure('TOO_MANY_ROWS', `An export must have at most ${rowsMax} records; narrow its filter.`)
    if (progress.bytes > fileBytesMax)
      throw new JobFailure(
        'PAYLOAD_TOO_LARGE',
        `The file of an export must have at most ${fileBytesMax} bytes; narrow its filter or its fields.`,
      )
    return bytes
  }
  yield counted(Buffer.from(head), 0)
  const batches = services.streams.lines(organizationId, { text: copy, lineEnd, timeoutMs: statementMs, signal })
  for await (const { bytes, count } of withinTime(batches)) {
    yield counted(bytes, count)
    await ownEventLoopTurn(organizationId)
  }
}

/** The batches of the statement that reads the records, whose timeout fails the export, because another attempt would reach it, too. */
async function* withinTime<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* batches
  } catch (error) {
    if ((error as { readonly code?: unknown } | null)?.code !== '57014') throw error
    const message = `An export must be read within ${statementMs / 1_000} s; narrow its filter.`
    throw new JobFailure('QUERY_TOO_EXPENSIVE', message)
  }
}

/** Renews the lease, and tells how far the export is. Throws if the job has ended or another attempt has it. */
async function beat(
  { services, item, organizationId }: Turn,
  progress: Progress,
  exported: ExportedFile,
): Promise<void> {
  await services.database.transaction(async (db) => {
    await requireLease({ db }, item, { isProgress: true })
    const updated = await db.query(
      `update records.bulk_job set records_succeeded = $3, bytes_total = $4, exported = $5, error_message = null
       where organization_id = $1 and id = $2 and job_state = 'IN_PROGRESS' returning 1`,
      [organizationId, item.id, progress.rows, progress.bytes, JSON.stringify(exported)],
    )
    if (updated.length === 0) throw new JobEnded()
  })
}

/** Renews the lease as long as the work lasts, also while PostgreSQL sorts and sends nothing. Ends the work when the lease is lost. */
async function whileLeased<T>(turn: Turn, renew: () => Promise<void>, work: (turn: Turn) => Promise<T>): Promise<T> {
  const ended = new AbortController()
  let failure: unknown = null
  let renewing = Promise.resolve()
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch((error: unknown) => {
      failure ??= error
      ended.abort()
    })
  }, beatMs)
  try {
    return await work({ ...turn, signal: AbortSignal.any([turn.signal, ended.signal]) })
  } catch (error) {
    throw failure ?? error
  } finally {
    clearInterval(timer)
    await renewing
  }
}

const discardAll = async ({ services, organizationId }: Turn, ids: readonly string[]): Promise<void> => {
  for (const id of ids) await services.files.discard(organizationId, id)
}

/** Makes the written parts the file of the job, and ends it. */
async function complete(
  turn: Turn,
  ending: RequestContext,
  { parts, progress, exported }: { parts: readonly WrittenFile[]; progress: Progress; exported: ExportedFile },
): Promise<void> {
  const { organizationId } = turn
  const sha256 = progress.hash.digest('hex')
  await inTransaction(ending, async (inner) => {
    const job = await requireRunning(inner, turn)
    for (const [index, part] of parts.entries()) {
      await keepFile(inner.db, organizationId, part.id)
      await inner.db.query(
        'insert into records.bulk_part (organization_id, job_id, part, content_id, bytes, sha256) values ($1, $2, $3, $4, $5, $6)',
        [organizationId, job.id, index + 1, part.id, part.bytes, part.sha256],
        'WRITE',
      )
    }
    const updated = await inner.db.query(
      `update records.bulk_job set records_succeeded = $3, bytes_total = $4, exported = $5, error_message = null
       where organization_id = $1 and id = $2 and job_state = 'IN_PROGRESS' returning 1`,
      [organizationId, job.id, progress.rows, progress.bytes, JSON.stringify({ ...exported, written: [], sha256 })],
      'WRITE',
    )
    if (updated.length === 0) throw new JobEnded()
    const done: StoredJob = { ...job, recordsSucceeded: progress.rows }
    await endJob(inner, done, { state: 'JOB_COMPLETE', recordsTotal: progress.rows })
  })
}

/** What decides whether somebody may download the file later. */
function exportedBy({ caller }: RequestContext, { columns, rules }: ExportPlan): ExportedFile {
  return {
    written: [],
    sha256: null,
    fields: columns.map(({ name }) => name),
    hidden: [...(rules?.hidden ?? [])],
    ownerIds: caller.ownerIds ? [...caller.ownerIds] : null,
  }
}

/** What an export cannot go on after, although another job could. */
function failureOf(error: unknown): unknown {
  const isRefusal = error instanceof Refusal
  if (isRefusal && error.code === 'STORAGE_LIMIT_EXCEEDED') return new JobFailure(error.code, error.message)
  return error
}

/**
 * Writes the records that a query finds to a file: one statement, so one snapshot, whose lines PostgreSQL writes. The parts of the file get their owner when
 * it is complete. An attempt that ends before that is repeated from the beginning.
 */
export async function exportRecords(turn: Turn): Promise<boolean> {
  const { services, organizationId, job } = turn
  const { ctx, ending } = await contextOf(services, organizationId, job)
  const loadable = loadableIn(ctx, job.object)
  if (!loadable) throw new JobFailure('NOT_FOUND', `The record type ${job.object} does not exist any more.`)
  await discardAll(turn, job.exported?.written ?? [])
  const plan = await planExport(ctx, loadable, { ...job, query: job.query! })
  const progress: Progress = { rows: 0, bytes: 0, hash: createHash('sha256') }
  const parts: WrittenFile[] = []
  const exported = (): ExportedFile => ({ ...exportedBy(ctx, plan), written: parts.map(({ id }) => id) })
  const renew = (): Promise<void> => beat(turn, progress, exported())
  try {
    await renew()
    await whileLeased(turn, renew, async (leased) => {
      const bytes = new SplitBytes(linesOf(leased, plan, progress))
      try {
        while (await bytes.hasNext()) {
          leased.signal.throwIfAborted()
          parts.push(await services.files.write(bytes.next(partBytes), { organizationId, bytesMax: partBytes }))
          // The next attempt discards the parts of one that was killed.
          await renew()
        }
      } finally {
        await bytes.close()
      }
    })
    await complete(turn, ending, { parts, progress, exported: exported() })
  } catch (error) {
    await discardAll(
      turn,
      parts.map(({ id }) => id),
    )
    throw failureOf(error)
  }
  return true
}
