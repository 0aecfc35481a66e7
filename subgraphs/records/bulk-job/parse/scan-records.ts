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
const isBlankUnit = (unit: number): boolean => unit === 0x20 || unit === 0x09

/**
 * Divides a text into records while its bytes arrive, however they are cut. It looks at code units only, so that a byte which is no text concerns the
 * record that contains it, and the position of each record is exact. A quote has a meaning at the beginning of a field only; inside of quotes, line
 * ends belong to the value. Empty lines are no records, nor are lines of blanks where quotes have no meaning.
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
  /** Whether the unit before was the quote that ends a quoted text. */
  #hasClosed = false
  #isFieldStart = true
  #isBlank = true
  #isTooLong = false
  #recordStart: number

  constructor(options: ScanOptions, offset: number) {
    this.#options = options
    this.#delimiter = options.delimiter === null ? -1 : options.delimiter.charCodeAt(0)
    this.#offset = offset
    this.#recordStart = offset
  }

  /** Where the next record may begin; what is before it is in records, or in lines that are none. */
  get recordStart(): number {
    return this.#recordStart
  }

  push(chunk: Uint8Array): ScannedRecord[] {
    this.#pending = this.#pending.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#pending, chunk])
    const records: ScannedRecord[] = []
    const { unitBytes, isBigEndian, delimiter } = this.#options
    const bytes = this.#pending
    let begin = 0
    let at = this.#scanned
    let [isQuoted, hasClosed, isFieldStart, isBlank] = [
      this.#isQuoted,
      this.#hasClosed,
      this.#isFieldStart,
      this.#isBlank,
    ]
    for (; at + unitBytes <= bytes.length; at += unitBytes) {
      const unit = unitBytes === 1 ? bytes[at]! : isBigEndian ? bytes.readUInt16BE(at) : bytes.readUInt16LE(at)
      if (isQuoted) {
        // Two quotes are one quote of the value: the first ends the quoted text, and the second continues it.
        if (unit === quote) {
          isQuoted = false
          hasClosed = true
        }
        continue
      }
      if (unit === quote && delimiter !== null) {
        isQuoted = isFieldStart || hasClosed
        isFieldStart = false
      } else if (unit === lf || unit === cr) {
        this.#take(records, bytes, { begin, end: isBlank && delimiter === null ? begin : at, next: at + unitBytes })
        begin = at + unitBytes
        isFieldStart = true
        isBlank = true
      } else {
        isFieldStart = unit === this.#delimiter
        isBlank &&= isBlankUnit(unit)
      }
      hasClosed = false
    }
    this.#isQuoted = isQuoted
    this.#hasClosed = hasClosed
    this.#isFieldStart = isFieldStart
    this.#isBlank = isBlank
    this.#offset += begin
    this.#pending = bytes.subarray(begin)
    this.#scanned = at - begin
    this.#forgetTooLong()
    return records
  }

  /** The last record, if the text does not end with the end of a line. */
  end(): ScannedRecord[] {
    const records: ScannedRecord[] = []
    const { length } = this.#pending
    this.#take(records, this.#pending, { begin: 0, end: length, next: length })
    return records
  }

  #take(
    records: ScannedRecord[],
    bytes: Buffer,
    { begin, end, next }: { readonly begin: number; readonly end: number; readonly next: number },
  ): void {
    const isTooLong = this.#isTooLong || end - begin > this.#options.recordBytesMax
    const start = this.#recordStart
    const after = this.#offset + next
    this.#recordStart = after
    this.#isTooLong = false
    if (end > begin || isTooLong)
      records.push({ bytes: isTooLong ? null : bytes.subarray(begin, end), start, end: after })
  }

  /** Nothing is kept of a record that is too long. */
  #forgetTooLong(): void {
    if (this.#scanned <= this.#options.recordBytesMax) return
    this.#isTooLong = true
    this.#pending = this.#pending.subarray(this.#scanned)
    this.#offset += this.#scanned
    this.#scanned = 0
  }
}
