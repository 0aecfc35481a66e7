import { withoutRowLimit } from '../../../kernel/database/row-bytes.ts'
import type { FileStore } from '../../../kernel/file/file-store.ts'
import type { RequestContext } from '../../../kernel/request.ts'
import { csvRecord } from '../parse/csv-fields.ts'
import { isProblem, rowsFrom, type FileRow } from '../read-file.ts'
import type { StoredJob } from '../stored-job.ts'
import { isFailure, outcomeOf, type Outcome, type StoredResult } from '../load/store-results.ts'

export const resultKinds = ['successful', 'failed', 'skipped', 'unprocessed'] as const
export type ResultKind = (typeof resultKinds)[number]

type Fields = Readonly<Record<string, unknown>>

interface Writer {
  head(): string
  /** A line for a row of the file, with what became of it. */
  line(result: Fields, row: FileRow): string
}

const isCells = (content: FileRow['content']): content is readonly string[] => Array.isArray(content)

function writerOf({ contentType, format }: StoredJob, names: readonly string[]): Writer {
  if (contentType === 'NDJSON')
    return {
      head: () => '',
      line: (result, { content }) =>
        `${JSON.stringify({ ...(isProblem(content) ? {} : (content as Fields)), ...result })}\n`,
    }
  const columns = format?.columns ?? []
  const own = columns.map((name) => !names.includes(name))
  const kept = (cells: readonly string[]): readonly string[] => cells.filter((_, index) => own[index])
  return {
    head: () => csvRecord([...names, ...kept(columns)]),
    line: (result, { content }) =>
      csvRecord([
        ...names.map((name) => String((result[name] as string | number | boolean | null) ?? '')),
        ...kept(isCells(content) ? content : columns.map(() => '')),
      ]),
  }
}

const namesOf = {
  successful: ['_row', '_id', '_created'],
  failed: ['_row', '_code', '_field', '_message'],
  skipped: ['_row', '_id'],
  unprocessed: ['_row'],
} as const

const shownResult = (result: StoredResult): Fields =>
  isFailure(result)
    ? { _row: result[0], _code: result[1], _field: result[2], _message: result[3] }
    : { _row: result[0], _id: result[1], _created: result[2] === 'CREATED' }

interface StoredChunk extends Record<string, unknown> {
  readonly firstRow: number
  readonly byte: number
  readonly results: readonly StoredResult[]
}

/** The chunks with results of this kind, one at a time, because a chunk may have results of 2,500 rows. */
async function* chunksOf({ db, caller }: RequestContext, id: string, kind: Outcome): AsyncGenerator<StoredChunk> {
  for (let after = 0; ;) {
    const [chunk] = await withoutRowLimit(db).query<StoredChunk>(
      `select first_row as "firstRow", byte::float8 as byte, results from records.bulk_chunk
       where organization_id = $1 and job_id = $2 and first_row > $3 and ${kind} > 0 order by first_row limit 1`,
      [caller.organizationId, id, after],
    )
    if (!chunk) return
    yield chunk
    after = chunk.firstRow
  }
}

/** The results of a job with the columns of its file, as a text in the format of the file. */
export async function* readResults(
  ctx: RequestContext,
  files: Pick<FileStore, 'read'>,
  job: StoredJob,
  kind: ResultKind,
): AsyncGenerator<string> {
  const { organizationId } = ctx.caller
  const writer = writerOf(job, namesOf[kind])
  yield writer.head()
  if (!job.format) return
  const file = { parts: job.parts, format: job.format }
  if (kind === 'unprocessed') {
    const skipped = job.errorCode === 'ROLLED_BACK' ? await failedRows(ctx, job.id) : new Set()
    for await (const row of rowsFrom(files, organizationId, file, job.checkpoint))
      if (!skipped.has(row.row)) yield writer.line({ _row: row.row }, row)
    return
  }
  const outcome = kind === 'successful' ? 'succeeded' : kind
  for await (const chunk of chunksOf(ctx, job.id, outcome)) {
    const wanted = chunk.results.filter((result) => outcomeOf(result) === outcome)
    const byRow = new Map(wanted.map((result) => [result[0], result]))
    const last = wanted.at(-1)![0]
    for await (const row of rowsFrom(files, organizationId, file, { byte: chunk.byte, row: chunk.firstRow - 1 })) {
      const result = byRow.get(row.row)
      if (result) yield writer.line(shownResult(result), row)
      if (row.row >= last) break
    }
  }
}

/** The rows that failed in a job that writes all rows or none. */
async function failedRows(ctx: RequestContext, id: string): Promise<ReadonlySet<number>> {
  const rows = new Set<number>()
  for await (const { results } of chunksOf(ctx, id, 'failed')) for (const [row] of results) rows.add(row)
  return rows
}
