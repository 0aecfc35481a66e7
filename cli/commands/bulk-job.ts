import { randomUUID } from 'node:crypto'
import { rm, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Api } from '../api.ts'
import { Failure, usageFailure } from '../failure.ts'
import { pause } from '../pause.ts'

export type Format = 'csv' | 'ndjson'

export interface Job {
  readonly id: string
  readonly state: string
  readonly recordsTotal: number | null
  readonly recordsProcessed: number
  readonly recordsSucceeded: number
  readonly recordsFailed: number
  readonly recordsSkipped: number
  readonly bytesTotal: number
  readonly bytesProcessed: number
  readonly errorSummary: readonly { readonly code: string; readonly count: number; readonly sample: string }[]
  readonly errorCode: string | null
  readonly errorMessage: string | null
}

const attemptsMax = 5
/** A server that is not reached at the beginning is told soon. */
const createAttemptsMax = 2
const firstPauseMs = 200
const pauseMsMax = 3_000
const awayMsMax = 60_000

export function formatOf(file: string, given: Format | undefined): Format {
  if (given !== undefined) return given
  return /\.(ndjson|jsonl)$/i.test(file) ? 'ndjson' : 'csv'
}

export const contentTypeOf = (format: Format): string => (format === 'csv' ? 'CSV' : 'NDJSON')

/** The JSON of an option; without the option null. */
export function jsonOption<T extends object>(
  given: string | undefined,
  isWanted: (value: unknown) => value is T,
  wanted: string,
): T | null {
  if (given === undefined) return null
  try {
    const value = JSON.parse(given) as unknown
    if (isWanted(value)) return value
  } catch {
    // Said below.
  }
  throw usageFailure(wanted)
}

export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const isUnreachable = (error: unknown): boolean => error instanceof Failure && error.outcome === 'unreachable'

/** Repeats what changes nothing the second time, while the server is not reached. */
export async function repeated<T>(work: () => Promise<T>, attempts = attemptsMax): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error) || attempt === attempts) throw error
      await pause(1_000 * 2 ** (attempt - 1))
    }
  }
}

/** Creates a job: one, also if the answer was lost. */
export function createJob(api: Api, values: object): Promise<Job> {
  const key = randomUUID()
  return repeated(() => api.post<Job>('/v1/bulk/jobs', values, key), createAttemptsMax)
}

export const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1)

const hasEnded = ({ state }: Job): boolean => !['OPEN', 'UPLOAD_COMPLETE', 'IN_PROGRESS'].includes(state)

/** Waits for the end of a job, which goes on whatever becomes of this program. */
export async function ended(api: Api, path: string, show: (job: Job) => void): Promise<Job> {
  let awaySince: number | null = null
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(1.5 * pauseMs, pauseMsMax)) {
    try {
      const job = await api.get<Job>(path)
      awaySince = null
      if (hasEnded(job)) return job
      show(job)
    } catch (error) {
      awaySince ??= Date.now()
      if (!isUnreachable(error) || Date.now() - awaySince >= awayMsMax) throw error
    }
    await pause(pauseMs)
  }
}

/** Writes what the server sends into a file. One that did not arrive as a whole is removed. */
export async function download(api: Api, path: string, file: string, handle: FileHandle): Promise<void> {
  try {
    await pipeline(api.bytes(path), handle.createWriteStream())
  } catch (error) {
    await rm(file, { force: true })
    throw error
  }
}
