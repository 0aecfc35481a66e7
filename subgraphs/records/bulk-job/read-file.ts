import type { FileStore } from '../../kernel/file/file-store.ts'
import { parseJsonExactly } from '../../kernel/json/exact-json.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { customFieldsName } from '../../kernel/record/custom-field-column.ts'
import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { declaredDelimiter, detectDelimiter, fieldsOf } from './parse/csv-fields.ts'
import { RecordScanner, type ScannedRecord } from './parse/scan-records.ts'
import { decoderOf, detectEncoding, markBytesOf, unitBytesOf } from './parse/text-encoding.ts'
import type { FileFormat, StoredJob, StoredPart } from './stored-job.ts'

export const rowBytesMax = 1_000_000
const columnsMax = 1_000

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

interface FileInParts {
  readonly parts: readonly StoredPart[]
  readonly format: FileFormat
}

/** The place of a row, and the number of the row before it. */
interface Place {
  readonly byte: number
  readonly row: number
}

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

/** Bytes without a row after which their end is told. */
const emptyBytesMax = 4_000_000

/**
 * The rows of a file from a place on, and in a part of it that has none, such as one of empty lines, from time to time the place that was reached.
 * Throws when `signal` aborts.
 */
export async function* placesFrom(
  files: Store,
  organizationId: string,
  { parts, format }: FileInParts,
  { byte, row: before }: Place,
  signal?: AbortSignal,
): AsyncGenerator<FileRow | Place> {
  const decode = decoderOf(format.encoding)
  const scanner = scannerOf(format, byte)
  let row = before
  let told = byte
  const rowsOf = function* (records: readonly ScannedRecord[]): Generator<FileRow> {
    for (const { bytes, start, end } of records) {
      const text = bytes && decode(bytes)
      if (text !== null && text.trim() === '' && format.delimiter === null) continue
      row += 1
      told = end
      yield { row, start, end, content: contentOf(bytes, text, format) }
    }
  }
  for await (const chunk of bytesFrom(files, organizationId, parts, byte)) {
    signal?.throwIfAborted()
    yield* rowsOf(scanner.push(chunk))
    if (scanner.recordStart - told < emptyBytesMax) continue
    told = scanner.recordStart
    yield { byte: told, row }
  }
  yield* rowsOf(scanner.end())
}

export const isRow = (place: FileRow | Place): place is FileRow => 'content' in place

/** The rows of the file of a job, from a place on. */
export async function* rowsFrom(...given: Parameters<typeof placesFrom>): AsyncGenerator<FileRow> {
  for await (const place of placesFrom(...given)) if (isRow(place)) yield place
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
    if (isJsonObject(value)) {
      const custom = value[customFieldsName]
      const fields = Object.keys(value).length + (isJsonObject(custom) ? Object.keys(custom).length : 0)
      return fields <= columnsMax ? value : problem('TOO_MANY', `A row must have at most ${columnsMax} fields.`)
    }
  } catch {
    // What is no JSON is no object.
  }
  return problem('INVALID_JSON', 'The line must be one JSON object.')
}

const headBytesMax = 1_000_000
/** The head is scanned in pieces, until its first record ends. */
const pieceBytes = 16_384

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
    let record: ScannedRecord | undefined
    for (let at = byte; !record && at < head.length; at += pieceBytes)
      [record] = scanner.push(head.subarray(at, at + pieceBytes))
    record ??= scanner.end()[0]
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
