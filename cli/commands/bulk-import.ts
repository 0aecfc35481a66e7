import { createHash } from 'node:crypto'
import { open, stat } from 'node:fs/promises'
import type { Api } from '../api.ts'
import { apiOf, type Context } from '../context.ts'
import { Failure, refusedFailure, ShownFailure, usageFailure } from '../failure.ts'
import { plainLine, plural } from '../plain.ts'
import type { Progress } from '../screen.ts'
import { firstFree } from '../whole-file.ts'
import {
  contentTypeOf,
  createJob,
  download,
  ended,
  formatOf,
  isObject,
  isUnreachable,
  jsonOption,
  megabytes,
  repeated,
  type Format,
  type Job,
} from './bulk-job.ts'

export interface ImportOptions {
  readonly object: string
  readonly operation: string
  readonly key: string
  readonly format?: Format
  readonly failures?: string
  readonly dryRun?: true
  readonly allOrNone?: true
  readonly events?: string
  readonly duplicates?: string
  readonly options?: string
}

const partBytes = 16_000_000

const mediaTypes = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

const wantedOptions = '--options must be a JSON object: \'{"dateFormat": "DMY", "mapping": {"Company": "name"}}\''

/** Loads a file into the records of one type, and waits until all of its rows are processed. */
export async function bulkImport(context: Context, file: string, options: ImportOptions): Promise<void> {
  const { screen } = context
  const format = formatOf(file, options.format)
  const jobOptions = {
    ...jsonOption(options.options, isObject, wantedOptions),
    ...(options.dryRun && { dryRun: true }),
    ...(options.allOrNone && { allOrNone: true }),
    ...(options.duplicates !== undefined && { duplicateStrategy: options.duplicates }),
    ...(options.events !== undefined && { emitEvents: options.events }),
  }
  const size = await sizeOf(file)
  const api = await apiOf(context)
  const { id } = await createJob(api, {
    object: options.object,
    operation: options.operation,
    contentType: contentTypeOf(format),
    externalIdField: options.key,
    ...(Object.keys(jobOptions).length > 0 && { options: jobOptions }),
  })
  const path = `/v1/bulk/jobs/${id}`
  /** Jobs whose upload is not complete are limited. What has failed is what is told. */
  const abandon = async (): Promise<void> => {
    await api.patch(path, { state: 'ABORTED' }).catch(() => undefined)
  }
  try {
    await screen.progress('Sending the file', (progress) => send(api, path, { file, size, format, progress }))
  } catch (error) {
    await abandon()
    throw error
  }
  try {
    await complete(api, path)
  } catch (error) {
    // Otherwise the job may be running.
    if (!isUnreachable(error)) await abandon()
    throw error
  }
  const job = await screen.progress('Processing the rows', (progress) =>
    ended(api, path, (now) => showRows(now, progress)),
  )
  let failures: string | null = null
  let lost: Failure | null = null
  if (job.recordsFailed > 0)
    try {
      failures = await saveFailures(api, path, options.failures ?? null, `${file}.failed`, format)
    } catch (error) {
      lost = error instanceof Failure ? error : refusedFailure('FILE_NOT_WRITTEN', (error as Error).message)
    }
  const { code, message } = lost ?? {}
  screen.result({ ...job, failures, ...(lost && { error: { code, message } }) }, () =>
    linesOf(job, failures, options.dryRun ?? false),
  )
  if (lost) throw screen.isJson ? new ShownFailure(lost.outcome, lost.code, lost.message) : lost
  if (job.state !== 'JOB_COMPLETE' || job.recordsFailed > 0)
    throw new ShownFailure('refused', job.errorCode ?? 'ROWS_FAILED', job.errorMessage ?? 'Some rows have failed.')
}

/** Closes the file, after which the job can run. */
const complete = (api: Api, path: string): Promise<void> =>
  repeated(async () => {
    try {
      await api.patch(path, { state: 'UPLOAD_COMPLETE' })
    } catch (error) {
      // If only the answer was lost, the job has gone on, perhaps to its end.
      const { state } = await api.get<Job>(path)
      if (state === 'OPEN') throw error
    }
  })

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
  readonly format: Format
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

/** The same bytes again change nothing, so a part whose answer was lost is sent again. */
async function sendPart(api: Api, path: string, part: number, bytes: Buffer, type: string): Promise<void> {
  const digest = createHash('sha256').update(bytes).digest('base64')
  const headers = { 'Content-Type': type, 'Content-Digest': `sha-256=:${digest}:` }
  await repeated(() => api.put<Job>(`${path}/data`, bytes, headers, { part }))
}

function showRows({ bytesProcessed, bytesTotal, recordsProcessed, recordsFailed }: Job, progress: Progress): void {
  const rows = `${plural(recordsProcessed, 'row')} processed, ${recordsFailed} failed`
  progress.at(bytesTotal > 0 ? bytesProcessed / bytesTotal : 0, rows)
}

/** Writes the rows that failed to the file that was named, otherwise to a new one, and returns its name. */
async function saveFailures(
  api: Api,
  path: string,
  named: string | null,
  base: string,
  format: Format,
): Promise<string> {
  const { file, handle } =
    named === null ? await firstFree(base, `.${format}`) : { file: named, handle: await open(named, 'w') }
  await download(api, `${path}/results/failed`, file, handle)
  return file
}

function linesOf(job: Job, failures: string | null, isDry: boolean): string[] {
  const { id, state, recordsSucceeded, recordsFailed, recordsSkipped, errorSummary, errorCode, errorMessage } = job
  return [
    ...errorSummary.map(
      ({ code, count, sample }) => `${plural(count, 'row')}: ${plainLine(code)}  ${plainLine(sample)}`,
    ),
    ...(errorCode !== null ? [`${plainLine(errorCode)}  ${plainLine(errorMessage ?? '')}`] : []),
    ...(failures !== null ? [`The rows that failed are in ${failures}.`] : []),
    `${isDry ? 'Checked' : 'Written'}: ${plural(recordsSucceeded, 'row')}.${recordsSkipped > 0 ? ` Skipped: ${recordsSkipped}.` : ''} Failed: ${recordsFailed}. Job ${id} is ${state}.`,
  ]
}
