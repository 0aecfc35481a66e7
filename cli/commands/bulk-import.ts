import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Api } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import { Failure, ShownFailure, usageFailure } from '../failure.ts'
import { pause } from '../pause.ts'
import { plainLine, plural } from '../plain.ts'
import type { Progress } from '../screen.ts'

export interface ImportOptions {
  readonly object: string
  readonly operation: string
  readonly key: string
  readonly format?: 'csv' | 'ndjson'
  readonly failures?: string
  readonly dryRun?: true
  readonly allOrNone?: true
  readonly events?: string
  readonly options?: string
}

interface Job {
  readonly id: string
  readonly state: string
  readonly recordsTotal: number | null
  readonly recordsProcessed: number
  readonly recordsSucceeded: number
  readonly recordsFailed: number
  readonly bytesTotal: number
  readonly bytesProcessed: number
  readonly errorSummary: readonly { readonly code: string; readonly count: number; readonly sample: string }[]
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

const partBytes = 16_000_000
const attemptsMax = 5
const firstPauseMs = 200
const pauseMsMax = 3_000
const awayMsMax = 60_000

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

function formatOf(file: string, given: ImportOptions['format']): keyof typeof mediaTypes {
  if (given !== undefined) return given
  return /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv'
}

/** The settings of the job that have no option of their own. */
function furtherOptions(given: string | undefined): object {
  if (given === undefined) return {}
  try {
    const value = JSON.parse(given) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Said below.
  }
  throw usageFailure('--options must be a JSON object: \'{"dateFormat": "DMY", "mapping": {"Company": "name"}}\'')
}

/** Loads a file into the records of one type, and waits until all of its rows are processed. */
export async function bulkImport(context: Context, file: string, options: ImportOptions): Promise<void> {
  const { screen } = context
  const format = formatOf(file, options.format)
  const jobOptions = {
    ...furtherOptions(options.options),
    ...(options.dryRun && { dryRun: true }),
    ...(options.allOrNone && { allOrNone: true }),
    ...(options.events !== undefined && { emitEvents: options.events }),
  }
  const size = await sizeOf(file)
  const api = await apiOf(context)
  const { id } = await api.post<Job>('/v1/bulk/jobs', {
    object: options.object,
    operation: options.operation,
    contentType: format === 'csv' ? 'CSV' : 'NDJSON',
    externalIdField: options.key,
    ...(Object.keys(jobOptions).length > 0 && { options: jobOptions }),
  })
  const path = `/v1/bulk/jobs/${id}`
  try {
    await screen.progress('Sending the file', (progress) => send(api, path, { file, size, format, progress }))
    await api.patch<Job>(path, { state: 'UPLOAD_COMPLETE' })
  } catch (error) {
    // Jobs whose upload is not complete are limited. What has failed is what is told.
    await api.patch(path, { state: 'ABORTED' }).catch(() => undefined)
    throw error
  }
  const job = await screen.progress('Processing the rows', (progress) => ended(api, path, progress))
  const failures = job.recordsFailed > 0 ? (options.failures ?? `${file}.failed.${format}`) : null
  if (failures !== null) await download(api, `${path}/results/failed`, failures)
  screen.result({ ...job, failures }, () => linesOf(job, failures, options.dryRun ?? false))
  if (job.state !== 'JOB_COMPLETE' || job.recordsFailed > 0)
    throw new ShownFailure('refused', job.errorCode ?? 'ROWS_FAILED', job.errorMessage ?? 'Some rows have failed.')
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: Error) => {
    throw usageFailure(`${file} cannot be read: ${error.message}`)
  })
  if (!found.isFile()) throw usageFailure(`${file} is no file.`)
  if (found.size === 0) throw usageFailure(`${file} is empty.`)
  return found.size
}

interface Sent {
  readonly file: string
  readonly size: number
  readonly format: keyof typeof mediaTypes
  readonly progress: Progress
}

/** Sends a file in parts, of which one is in memory at a time. */
async function send(api: Api, path: string, { file, size, format, progress }: Sent): Promise<void> {
  const handle = await open(file)
  try {
    let sent = 0
    for (let part = 1; ; part++) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(partBytes), 0, partBytes, sent)
      if (bytesRead === 0) return
      await sendPart(api, path, part, buffer.subarray(0, bytesRead), mediaTypes[format])
      sent += bytesRead
      progress.at(sent / size, `${megabytes(sent)} of ${megabytes(size)} MB sent`)
    }
  } finally {
    await handle.close()
  }
}

const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

/** The same bytes again change nothing, so a part whose answer was lost is sent again. */
async function sendPart(api: Api, path: string, part: number, bytes: Buffer, type: string): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('base64')
  const headers = { 'Content-Type': type, 'Content-Digest': `sha-256=:${digest}:` }
  for (let attempt = 1; ; attempt++) {
    try {
      await api.put<Job>(`${path}/data`, bytes, headers, { part })
      return
    } catch (error) {
      if (!(error instanceof Failure) || error.outcome !== 'unreachable' || attempt === attemptsMax) throw error
      await pause(1_000 * 2 ** (attempt - 1))
    }
  }
}

const hasEnded = ({ state }: Job): boolean => !['OPEN', 'UPLOAD_COMPLETE', 'IN_PROGRESS'].includes(state)

async function ended(api: Api, path: string, progress: Progress): Promise<Job> {
  let awaySince: number | null = null
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, pauseMsMax)) {
    try {
      const job = await api.get<Job>(path)
      awaySince = null
      if (hasEnded(job)) return job
      const { bytesProcessed, bytesTotal, recordsProcessed, recordsFailed } = job
      const rows = `${plural(recordsProcessed, 'row')} processed, ${recordsFailed} failed`
      progress.at(bytesTotal > 0 ? bytesProcessed / bytesTotal : 0, rows)
    } catch (error) {
      awaySince ??= Date.now()
      const isAway = error instanceof Failure && error.outcome === 'unreachable' && Date.now() - awaySince < awayMsMax
      if (!isAway) throw error
    }
    await pause(pauseMs)
  }
}

async function download(api: Api, path: string, file: string): Promise<void> {
  const body = await api.stream(path)
  await pipeline(Readable.fromWeb(body as never), createWriteStream(file))
}

function linesOf(job: Job, failures: string | null, isDry: boolean): string[] {
  const { id, state, recordsSucceeded, recordsFailed, errorSummary, errorCode, errorMessage } = job
  return [
    ...errorSummary.map(({ code, count, sample }) => `${plural(count, 'row')}: ${code}  ${plainLine(sample)}`),
    ...(errorCode !== null ? [`${errorCode}  ${plainLine(errorMessage ?? '')}`] : []),
    ...(failures !== null ? [`The rows that failed are in ${failures}.`] : []),
    `${isDry ? 'Checked' : 'Written'}: ${plural(recordsSucceeded, 'row')}. Failed: ${recordsFailed}. Job ${id} is ${state}.`,
  ]
}
