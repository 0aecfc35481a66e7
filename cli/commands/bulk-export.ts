import { apiOf, type Context } from '../context.ts'
import type { Api } from '../api.ts'
import { refusedFailure, usageFailure } from '../failure.ts'
import { plural } from '../plain.ts'
import type { Progress, Screen } from '../screen.ts'
import { wholeFile } from '../whole-file.ts'
import {
  contentTypeOf,
  createJob,
  ended,
  formatOf,
  isObject,
  jsonOption,
  megabytes,
  repeated,
  type Format,
  type Job,
} from './bulk-job.ts'

export interface ExportOptions {
  readonly object: string
  readonly fields?: readonly string[]
  readonly filter?: string
  readonly search?: string
  readonly orderBy?: readonly string[]
  readonly format?: Format
  readonly output?: string
  readonly options?: string
}

interface Order {
  readonly field: string
  readonly direction?: string
}

const standardOutput = '-'
const wantedFilter = '--filter must be a JSON object, as the list has its filter: \'{"name": {"startsWith": "H"}}\''
const wantedOptions = '--options must be a JSON object: \'{"dateFormat": "DMY", "delimiter": ";"}\''

/** `name`, `name:ASC` or `customFields.tier:DESC`. */
function orderOf(text: string): Order {
  const [, field, direction] = /^(.+?)(?::(asc|desc))?$/i.exec(text) ?? []
  if (field === undefined || /:/.test(field))
    throw usageFailure(`--order-by must be a field, or one with :ASC or :DESC, and not ${text}.`)
  return { field, ...(direction !== undefined && { direction: direction.toUpperCase() }) }
}

function queryOf({ fields, filter, search, orderBy }: ExportOptions): object {
  const conditions = jsonOption(filter, isObject, wantedFilter)
  return {
    ...(conditions && { filter: conditions }),
    ...(search !== undefined && { search }),
    ...(fields && { fields }),
    ...(orderBy && { orderBy: orderBy.map(orderOf) }),
  }
}

/** Writes the records of one type that a query finds to a file, or to the standard output. */
export async function bulkExport(context: Context, options: ExportOptions): Promise<void> {
  const { screen } = context
  const { object, output } = options
  const isStream = output === standardOutput
  if (isStream && screen.isJson) throw usageFailure('With --json, the standard output has the result; name a file.')
  const format = formatOf(output ?? '', options.format)
  const query = queryOf(options)
  const jobOptions = jsonOption(options.options, isObject, wantedOptions) ?? {}
  const values = {
    object,
    operation: 'EXPORT',
    contentType: contentTypeOf(format),
    ...(Object.keys(query).length > 0 && { query }),
    ...(Object.keys(jobOptions).length > 0 && { options: jobOptions }),
  }
  const api = await apiOf(context)
  if (isStream) {
    const { job, path } = await exported(api, screen, values)
    await screen.progress('Receiving the file', (progress) =>
      receive(api, path, job, { write: toStandardOutput, progress }),
    )
    screen.note(lineOf(job, null))
    return
  }
  const free = { base: object.replaceAll(/[^\w-]+/g, '-'), extension: `.${format}` }
  const file = await wholeFile(output ?? null, free)
  try {
    const { job, path } = await exported(api, screen, values)
    const write = (bytes: Uint8Array): Promise<void> => file.handle.writeFile(bytes)
    await screen.progress('Receiving the file', (progress) => receive(api, path, job, { write, progress }))
    const name = await file.keep()
    screen.result({ ...job, file: name }, () => [lineOf(job, name)])
  } finally {
    await file.close()
  }
}

/** An export that has its file. */
async function exported(api: Api, screen: Screen, values: object): Promise<{ job: Job; path: string }> {
  const { id } = await createJob(api, values)
  const path = `/v1/bulk/jobs/${id}`
  const job = await screen.during('Exporting the records', (say) =>
    ended(api, path, ({ bytesTotal }) => say(`Exporting the records: ${megabytes(bytesTotal)} MB`)),
  )
  if (job.state !== 'JOB_COMPLETE')
    throw refusedFailure(job.errorCode ?? job.state, job.errorMessage ?? `The job ${id} is ${job.state}.`)
  return { job, path }
}

const toStandardOutput = (bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()))
  })

interface Receiver {
  readonly write: (bytes: Uint8Array) => Promise<void>
  readonly progress: Progress
}

/** Writes the file of an export. What has arrived before a connection breaks is not asked for again. */
async function receive(api: Api, path: string, { bytesTotal }: Job, { write, progress }: Receiver): Promise<void> {
  let arrived = 0
  await repeated(async () => {
    if (arrived === bytesTotal) return
    for await (const bytes of api.bytes(`${path}/download`, arrived)) {
      await write(bytes)
      arrived += bytes.length
      progress.at(arrived / bytesTotal, `${megabytes(arrived)} of ${megabytes(bytesTotal)} MB received`)
    }
  })
  if (arrived !== bytesTotal)
    throw refusedFailure('FILE_NOT_WHOLE', `${arrived} of ${bytesTotal} bytes of the file have arrived.`)
}

const lineOf = ({ id, recordsSucceeded, bytesTotal }: Job, file: string | null): string =>
  `Exported: ${plural(recordsSucceeded, 'record')}, ${megabytes(bytesTotal)} MB${file === null ? '' : `, to ${file}`}. Job ${id}.`
