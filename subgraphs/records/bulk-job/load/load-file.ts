import { transientError } from '../../../kernel/database/transient-error.ts'
import { Refusal } from '../../../kernel/errors.ts'
import type { RecordShape } from '../../../kernel/record/definition.ts'
import { ComparedKeys, comparedKeysOf, KeysChanged } from '../../../kernel/record/duplicates/compared-keys.ts'
import { noteFields } from '../../../kernel/record/note-fields.ts'
import { loadableIn } from '../../../kernel/record/loadable-records.ts'
import { transactionWithExternalCalls } from '../../../kernel/outbound/external-call.ts'
import { inTransaction, withoutEffect, type RequestContext } from '../../../kernel/request.ts'
import { giveWay } from '../../../kernel/work/background-turn.ts'
import { bulkKeyNamed, type BulkKey } from '../bulk-key.ts'
import { endJob } from '../end-job.ts'
import { isRow, placesFrom, rowsFrom, type FileRow } from '../read-file.ts'
import type { Checkpoint, StoredJob } from '../stored-job.ts'
import { contextOf, type JobContext } from './job-context.ts'
import { JobEnded, JobFailure, requireRunning, type Turn } from './lease.ts'
import { rowReaderOf, type LoadRow } from './prepare-rows.ts'
import { storeChunk, storeProgress, storeResults } from './store-results.ts'
import { definitionOf, type Loading, type RowResult } from './loading.ts'
import { asksHooks, isTogether, writeRows } from './write-rows.ts'

/**
 * Rows of one transaction, whose locks others may wait for: written together, or one by one. The calls of hooks for them have a common deadline. Other creates wait for the counter of
 * numbered records until the transaction ends.
 */
const chunkRowsMax = { together: 2_500, numbered: 1_000, each: 500 } as const
const chunkBytesMax = 4_000_000
const rowsMax = 10_000_000
const rowsAtOnceMax = 50_000
/** When others have written the same keys in so many attempts, they wait until all rows are written. */
const comparedAttemptsMax = 5

interface Chunk {
  readonly rows: readonly FileRow[]
  /** The place of its first row. */
  readonly start: number
  readonly after: Checkpoint
  readonly isLast: boolean
}

/** The rows from a checkpoint on, in chunks; one without rows if there are none, or after a part of the file that has none. */
async function* chunksFrom(
  { services, organizationId, job, signal }: Turn,
  from: Checkpoint,
  rowsInChunk: number,
): AsyncGenerator<Chunk> {
  const file = { parts: job.parts, format: job.format! }
  let rows: FileRow[] = []
  let start = from.byte
  let after = from
  for await (const row of placesFrom(services.files, organizationId, file, from, signal)) {
    if (!isRow(row)) {
      yield { rows, start, after: row, isLast: false }
      rows = []
      start = row.byte
      after = row
      continue
    }
    const isFull = rows.length === rowsInChunk || (rows.length > 0 && row.end - start > chunkBytesMax)
    if (isFull) {
      yield { rows, start, after, isLast: false }
      rows = []
      start = after.byte
    }
    rows.push(row)
    after = { byte: row.end, row: row.row }
    await giveWay(organizationId)
  }
  yield { rows, start, after: { ...after, byte: job.bytesTotal }, isLast: true }
}

function loadingOf(ctx: RequestContext, job: StoredJob): Loading {
  const loadable = loadableIn(ctx, job.object)
  if (!loadable) throw new JobFailure('NOT_FOUND', `The record type ${job.object} does not exist any more.`)
  const definition = definitionOf(ctx, loadable)
  return { job, loadable, definition, key: keyOf(definition, job) }
}

function keyOf(definition: RecordShape, { operation, matchBy }: StoredJob): BulkKey | null {
  if (operation === 'INSERT') return null
  const key = bulkKeyNamed(definition, matchBy)
  if (!key) throw new JobFailure('NOT_A_KEY', `${matchBy} is no unique field of ${definition.object} any more.`)
  return key
}

function rowsOfChunk(ctx: RequestContext, job: StoredJob): number {
  const loading = loadingOf(ctx, job)
  const isLarge = isTogether(comparing(ctx, job), loading) && !asksHooks(ctx, loading)
  if (!isLarge) return chunkRowsMax.each
  return loading.definition.numbered ? chunkRowsMax.numbered : chunkRowsMax.together
}

/** The context of a transaction that compares its records with others before it takes the locks of their keys. */
const comparing = (ctx: RequestContext, job: StoredJob): RequestContext => ({
  ...ctx,
  compared: new ComparedKeys(loadingOf(ctx, job).definition.object),
})

/** What a transaction does last before its commit: others wait for the locks of the keys of its records from now on. */
async function confirmKeys(ctx: RequestContext, job: StoredJob): Promise<void> {
  const { definition } = loadingOf(ctx, job)
  if (!job.options.dryRun && !ctx.externalCalls?.isWaiting)
    await comparedKeysOf(ctx, definition)?.confirm(ctx, definition)
}

/** Notes which fields rows of NDJSON name, for whoever completed the upload; the columns of CSV were noted then. */
function noteNamed(ctx: RequestContext, { job, definition }: Loading, names: readonly string[]): void {
  if (!job.format!.namedBy) return
  const { queryName, ...namedBy } = job.format!.namedBy
  const { origin: _, ...caller } = ctx.caller
  noteFields({ ...ctx, caller: { ...caller, ...namedBy }, queryName }, definition, names)
}

/** What the rows of a file become, in the open transaction. */
async function write(ctx: RequestContext, job: StoredJob, rows: readonly FileRow[]): Promise<RowResult[]> {
  const loading = loadingOf(ctx, job)
  const reader = await rowReaderOf(ctx, loading)
  const loaded: LoadRow[] = []
  for (const row of rows) {
    await giveWay(ctx.caller.organizationId)
    loaded.push(reader.read(row))
  }
  noteNamed(ctx, loading, reader.named())
  return job.options.dryRun
    ? withoutEffect(ctx, (inner) => writeRows(inner, loading, loaded))
    : writeRows(ctx, loading, loaded)
}

const resultOf = (row: FileRow, error: unknown, { services: { log }, item }: Turn): RowResult => {
  log.error({ err: error, bulkJobId: item.id, row: row.row }, 'a row of a bulk job could not be processed')
  return { row: row.row, problem: { code: 'INTERNAL', field: null, message: 'The row could not be processed.' } }
}

const passes = (error: unknown): boolean =>
  error instanceof JobEnded || error instanceof JobFailure || error instanceof Refusal || transientError(error) !== null

/**
 * Writes a chunk, its results and the checkpoint in one transaction. When it fails for a reason that nobody foresaw, its halves are written, down to
 * the row that is to blame; and so when others write the same keys meanwhile, down to a row that waits for them.
 */
async function loadChunk(turn: Turn, { ctx, ending }: JobContext, chunk: Chunk): Promise<void> {
  const { rows, start, after, isLast } = chunk
  const commit = (results: (inner: RequestContext, job: StoredJob) => Promise<RowResult[]>): Promise<void> =>
    transactionWithExternalCalls(ctx, async (opened) => {
      const job = await requireRunning(opened, turn)
      const inner = rows.length > 1 ? comparing(opened, job) : opened
      const next = await storeResults(inner, job, { rows, start, after, results: await results(inner, job) })
      if (isLast)
        await endJob({ ...inner, caller: ending.caller }, next, { state: 'JOB_COMPLETE', recordsTotal: after.row })
      await confirmKeys(inner, job)
    })
  try {
    await commit((inner, job) => write(inner, job, rows))
  } catch (error) {
    if (passes(error) && !(error instanceof KeysChanged && rows.length > 1)) throw error
    if (rows.length <= 1) {
      await commit(() => Promise.resolve(rows.map((row) => resultOf(row, error, turn))))
      return
    }
    const middle = Math.ceil(rows.length / 2)
    const [first, second] = [rows.slice(0, middle), rows.slice(middle)]
    const between = { byte: first.at(-1)!.end, row: first.at(-1)!.row }
    await loadChunk(turn, { ctx, ending }, { rows: first, start, after: between, isLast: false })
    await loadChunk(turn, { ctx, ending }, { rows: second, start: between.byte, after, isLast })
  }
}

/** Loads chunks until the turn is over. True if the job has ended. */
export async function loadTurn(turn: Turn): Promise<boolean> {
  const { services, organizationId, job, signal, endMs } = turn
  const { ctx } = await contextOf(services, organizationId, job)
  for await (const chunk of chunksFrom(turn, job.checkpoint, rowsOfChunk(ctx, job))) {
    if (chunk.after.row > rowsMax)
      throw new JobFailure('TOO_MANY_ROWS', `The file of a bulk job must have at most ${rowsMax} rows.`)
    await loadChunk(turn, await contextOf(services, organizationId, job), chunk)
    if (chunk.isLast) return true
    if (signal.aborted || performance.now() >= endMs) return false
  }
  return true
}

/** A row of a job that writes all rows or none has failed, so that everything is taken back. */
class TakenBack extends Error {
  constructor(
    readonly failed: readonly RowResult[],
    readonly total: number,
  ) {
    super('A row has failed.')
  }
}

/** Writes all rows in one transaction, or none of them if one fails: then the results have those that failed. */
export async function loadAtOnce(turn: Turn): Promise<boolean> {
  const { services, organizationId, item, job } = turn
  await requireFewRows(turn)
  const { ctx, ending } = await contextOf(services, organizationId, job)
  try {
    await transactionWithExternalCalls(ctx, async (opened) => {
      let current = await requireRunning(opened, turn)
      const inner = item.pauses < comparedAttemptsMax ? comparing(opened, job) : opened
      const failed: RowResult[] = []
      for await (const { rows, start, after, isLast } of chunksFrom(turn, job.checkpoint, rowsOfChunk(ctx, job))) {
        const results = await write(inner, current, rows)
        failed.push(...results.filter((result) => 'problem' in result))
        if (failed.length === 0) current = await storeChunk(inner, current, { rows, start, after, results })
        if (!isLast) continue
        if (failed.length > 0) throw new TakenBack(failed, after.row)
        await storeProgress(inner, current)
        await endJob({ ...inner, caller: ending.caller }, current, { state: 'JOB_COMPLETE', recordsTotal: after.row })
        await confirmKeys(inner, current)
      }
    })
  } catch (error) {
    if (!(error instanceof TakenBack)) throw error
    await failAll(turn, ending, error)
  }
  return true
}

async function failAll(turn: Turn, ending: RequestContext, { failed, total }: TakenBack): Promise<void> {
  const { job } = turn
  const message = `${failed.length} of ${total} rows have failed, so that none was written.`
  await inTransaction(ending, async (inner) => {
    const current = await requireRunning(inner, turn)
    const start = job.checkpoint.byte
    const next = await storeResults(inner, current, { rows: [], start, after: current.checkpoint, results: failed })
    await endJob(inner, next, { state: 'FAILED', recordsTotal: total, error: { code: 'ROLLED_BACK', message } })
  })
}

async function requireFewRows({ services, organizationId, job, signal }: Turn): Promise<void> {
  const file = { parts: job.parts, format: job.format! }
  for await (const { row } of rowsFrom(services.files, organizationId, file, job.checkpoint, signal))
    if (row > rowsAtOnceMax)
      throw new JobFailure(
        'TOO_MANY_ROWS',
        `A job that writes all rows or none must have at most ${rowsAtOnceMax} rows.`,
      )
}
