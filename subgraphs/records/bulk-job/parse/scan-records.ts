/** The bytes of one record of a text, without the end of its line. */
export interface ScannedRecord {
  /** Null if the record has more bytes than are allowed. */
  readonly bytes: Buffer | null
  /** Where it begins, and where the next one may begin, in bytes from the start of the text. */
  readonly start: number
  readonly end: number
}

export interface ScanOptions {
  /** Bytes of a code unit of the encoding. */
  readonly unitBytes: 1 | 2
  readonly isBigEndian: boolean
  /** The character between fields; null: quotes have no meaning, and every line is a record. */
  readonly delimiter: string | null
  readonly recordBytesMax: number
}

const [lf, cr, quote] = [0x0a, 0x0d, 0x22]

/**
 * Divides a text into records while its bytes arrive, however they are cut. It looks at code units only, so that a byte which is no text concerns the
 * record that contains it, and the position of each record is exact. A quote has a meaning at the beginning of a field only; inside of quotes, line
 * ends belong to the value. Empty lines are no records.
 */
export class RecordScanner {
  readonly #options: ScanOptions
  readonly #delimiter: number
  /** Bytes that do not belong to a complete record yet. */
  #pending: Buffer = Buffer.alloc(0)
  /** The place in the text of the first pending byte. */
  #offset: number
  /** How much of the pending bytes was looked at. */
  #scanned = 0
  #isQuoted = false
  #isFieldStart = true
  #isTooLong = false
  #recordStart: number

  constructor(options: ScanOptions, offset: number) {
    this.#options = options
    this.#delimiter = options.delimiter === null ? -1 : options.delimiter.charCodeAt(0)
    this.#offset = offset
    this.#recordStart = offset
  }

  push(chunk: Uint8Array): ScannedRecord[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk])
    const records: ScannedRecord[] = []
    const { unitBytes, isBigEndian, delimiter } = this.#options
    const bytes = this.#pending
    let begin = 0
    let at = this.#scanned
    let [isQuoted, isFieldStart] = [this.#isQuoted, this.#isFieldStart]
    for (; at + unitBytes <= bytes.length; at += unitBytes) {
      const unit = unitBytes === 1 ? bytes[at]! : isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)
      if (isQuoted) {
        // Two quotes are one quote of the value: the first ends the quoted text, and the second continues it.
        if (unit === quote) isQuoted = false
        continue
      }
      if (unit === quote && delimiter !== null) {
        if (isFieldStart || (at > begin && this.#wasQuote(bytes, at - unitBytes))) isQuoted = true
        isFieldStart = false
      } else if (unit === lf || unit === cr) {
        this.#take(records, bytes, begin, at, at + unitBytes)
        begin = at + unitBytes
        isFieldStart = true
      } else isFieldStart = unit === this.#delimiter
    }
    this.#isQuoted = isQuoted
    this.#isFieldStart = isFieldStart
    this.#offset += begin
    this.#pending = bytes.subarray(begin)
    this.#scanned = at - begin
    this.#forgetTooLong()
    return records
  }

  /** The last record, if the text does not end with the end of a line. */
  end(): ScannedRecord[] {
    const records: ScannedRecord[] = []
    this.#take(records, this.#pending, 0, this.#pending.length, this.#pending.length)
    return records
  }

  #wasQuote(bytes: Buffer, at: number): boolean {
    const { unitBytes, isBigEndian } = this.#options
    return (unitBytes === 1 ? bytes[at] : isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)) === quote
  }

  #take(records: ScannedRecord[], bytes: Buffer, begin: number, end: number, next: number): void {
    const isTooLong = this.#isTooLong || end - begin > this.#options.recordBytesMax
    const start = this.#recordStart
    const after = this.#offset + next
    this.#recordStart = after
    this.#isTooLong = false
    if (end > begin || isTooLong)
      records.push({ bytes: isTooLong ? null : bytes.subarray(begin, end), start, end: after })
  }

  /** Of a record that is too long, only the last code unit is kept: a quote after it may continue a quoted text. */
  #forgetTooLong(): void {
    const { recordBytesMax, unitBytes } = this.#options
    if (this.#scanned <= recordBytesMax) return
    this.#isTooLong = true
    const dropped = this.#scanned - unitBytes
    this.#pending = this.#pending.subarray(dropped)
    this.#offset += dropped
    this.#scanned = unitBytes
  }
}
