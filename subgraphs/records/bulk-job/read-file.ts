import type { FileStore } from '../../kernel/file/file-store.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { declaredDelimiter, detectDelimiter, fieldsOf } from './parse/csv-fields.ts'
import { RecordScanner, type ScannedRecord } from './parse/scan-records.ts'
import { decoderOf, detectEncoding, markBytesOf, unitBytesOf } from './parse/text-encoding.ts'
import type { FileFormat, StoredJob, StoredPart } from './stored-job.ts'

export const rowBytesMax = 1_000_000

/** A problem of one row. */
export interface RowProblem {
  readonly code: string
  readonly field: string | null
  readonly message: string
}

/** A row as it is in the file. */
export interface FileRow {
  /** Its number, from 1. */
  readonly row: number
  readonly start: number
  readonly end: number
  /** The cells of CSV by the columns of the file, or the JSON object; a problem if there is neither. */
  readonly content: readonly string[] | Readonly<Record<string, unknown>> | RowProblem
}

export const isProblem = (content: FileRow['content']): content is RowProblem =>
  !Array.isArray(content) && problems.has(content)

const problems = new WeakSet<object>()

function problem(code: string, message: string): RowProblem {
  const made = { code, field: null, message }
  problems.add(made)
  return made
}

type Store = Pick<FileStore, 'read'>

/** The bytes of a file in parts, from a place on. */
export async function* bytesFrom(
  files: Store,
  organizationId: string,
  parts: readonly StoredPart[],
  byte: number,
): AsyncGenerator<Uint8Array> {
  let begin = 0
  for (const { contentId, bytes } of parts) {
    const start = Math.max(byte - begin, 0)
    begin += bytes
    if (start >= bytes) continue
    yield* (await files.read(organizationId, contentId, { start, end: bytes - 1 })) as AsyncIterable<Uint8Array>
  }
}

const scannerOf = ({ encoding, delimiter }: FileFormat, byte: number): RecordScanner =>
  new RecordScanner(
    { unitBytes: unitBytesOf(encoding), isBigEndian: encoding === 'UTF_16BE', delimiter, recordBytesMax: rowBytesMax },
    byte,
  )

async function* scanned(source: AsyncIterable<Uint8Array>, scanner: RecordScanner): AsyncGenerator<ScannedRecord> {
  for await (const chunk of source) yield* scanner.push(chunk)
  yield* scanner.end()
}

/** The rows of the file of a job, from a place on. `row`: the number of the row before. */
export async function* rowsFrom(
  files: Store,
  organizationId: string,
  { parts, format }: { readonly parts: readonly StoredPart[]; readonly format: FileFormat },
  { byte, row: before }: { readonly byte: number; readonly row: number },
): AsyncGenerator<FileRow> {
  const decode = decoderOf(format.encoding)
  let row = before
  for await (const { bytes, start, end } of scanned(
    bytesFrom(files, organizationId, parts, byte),
    scannerOf(format, byte),
  )) {
    const text = bytes && decode(bytes)
    if (text !== null && text.trim() === '' && format.delimiter === null) continue
    row += 1
    yield { row, start, end, content: contentOf(bytes, text, format) }
  }
}

function contentOf(
  bytes: Uint8Array | null,
  text: string | null,
  { delimiter, columns, encoding }: FileFormat,
): FileRow['content'] {
  if (bytes === null)
    return problem(
      'ROW_TOO_LONG',
      `A row must have at most ${rowBytesMax} bytes; perhaps a quote before it does not end.`,
    )
  if (text === null) return problem('WRONG_ENCODING', `The row has bytes that are no text in ${encoding}.`)
  if (delimiter === null) return objectOf(text)
  const cells = fieldsOf(text, delimiter)
  if (!cells) return problem('INVALID_CSV', 'A quoted field of the row does not end, or text follows it.')
  if (cells.length > columns.length && cells.slice(columns.length).some((cell) => cell !== ''))
    return problem('INVALID_CSV', `The row has ${cells.length} fields, but the file has ${columns.length} columns.`)
  if (cells.length < columns.length)
    return problem('INVALID_CSV', `The row has ${cells.length} fields, but the file has ${columns.length} columns.`)
  return cells
}

function objectOf(text: string): FileRow['content'] {
  try {
    const value = parseJsonExactly(text, 1_000)
    if (isJsonObject(value)) return value
  } catch {
    // What is no JSON is no object.
  }
  return problem('INVALID_JSON', 'The line must be one JSON object.')
}

const headBytesMax = 1_000_000

async function headOf(files: Store, organizationId: string, parts: readonly StoredPart[]): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of bytesFrom(files, organizationId, parts, 0)) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length >= headBytesMax) break
  }
  return Buffer.concat(chunks).subarray(0, headBytesMax)
}

const columnsMax = 1_000

/** Encoding, separator, columns and the first row of a file. Refuses a file without columns. */
export async function formatOf(
  files: Store,
  organizationId: string,
  { parts, contentType, options }: Pick<StoredJob, 'parts' | 'contentType' | 'options'>,
): Promise<FileFormat> {
  const head = await headOf(files, organizationId, parts)
  const detected = detectEncoding(head)
  const encoding =
    contentType === 'NDJSON'
      ? detected.markBytes > 0
        ? detected.encoding
        : 'UTF_8'
      : (options.encoding ?? detected.encoding)
  const begin = markBytesOf(encoding, head)
  const base = { encoding, columns: [], byte: begin }
  if (contentType === 'NDJSON') return { ...base, delimiter: null }
  const decode = decoderOf(encoding)
  const refuse = (code: string, message: string) => invalid({ path: 'data', code, message } satisfies FieldProblem)
  const firstRecord = (delimiter: string, byte: number): ScannedRecord => {
    const scanner = scannerOf({ ...base, delimiter }, byte)
    const [record] = [...scanner.push(head.subarray(byte)), ...scanner.end()]
    if (!record) throw refuse('EMPTY', 'The file must have a first record with the names of its columns.')
    return record
  }
  const textOf = ({ bytes }: ScannedRecord): string => {
    const text = bytes && decode(bytes)
    if (text === null)
      throw refuse('INVALID_CSV', `The first record must be text in ${encoding} with at most ${rowBytesMax} bytes.`)
    return text
  }
  let record = firstRecord(options.delimiter ?? ',', begin)
  const declared = declaredDelimiter(textOf(record))
  if (declared !== null) record = firstRecord(options.delimiter ?? declared, record.end)
  const delimiter = options.delimiter ?? declared ?? detectDelimiter(textOf(record))
  record = firstRecord(delimiter, record.start)
  const columns = fieldsOf(textOf(record), delimiter)?.map((name) => name.trim())
  if (!columns || columns.length > columnsMax)
    throw refuse(
      'INVALID_CSV',
      `The first record must have the names of at most ${columnsMax} columns, each quoted field with an end.`,
    )
  return { encoding, delimiter, columns, byte: record.end }
}
