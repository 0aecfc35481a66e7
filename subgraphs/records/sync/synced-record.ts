import { withoutHidden } from '../../events/public.ts'
import type { Row } from '../../kernel/database/sql.ts'
import type { RecordShape } from '../../kernel/record/definition.ts'
import { fieldRules } from '../../kernel/record/field-security.ts'
import type { RequestContext } from '../../kernel/request.ts'

type Fields = Readonly<Record<string, unknown>>

/** A page ends behind the record with which it reaches so many bytes. */
const bytesMax = 2_000_000
/** Records of the first read of a page; while they are small, the next reads have more. */
const firstPart = 50
const largestPart = 200
const smallPartBytes = 100_000

/** The size of a page while it is read. */
export class PageSize {
  #bytes = 0
  #atBegin = 0
  #part = firstPart

  get isReached(): boolean {
    return this.#bytes >= bytesMax
  }

  /** The bytes that are left; above 0 while the size is not reached. */
  get room(): number {
    return bytesMax - this.#bytes
  }

  /** Adds a record with the bytes of its row, which may be more or fewer than those of its JSON. */
  add(record: object, rowBytes: number): void {
    this.#bytes += Math.max(rowBytes, Buffer.byteLength(JSON.stringify(record)))
  }

  /** How many records to read next. */
  next(): number {
    if (this.#bytes - this.#atBegin > smallPartBytes) this.#part = firstPart
    else if (this.#bytes > 0) this.#part = largestPart
    this.#atBegin = this.#bytes
    return this.#part
  }
}

/** A row as it is in the events of its record type, without what the caller's profile hides. */
export function recordOf({ caller }: RequestContext, shape: RecordShape, row: Row): Fields {
  const rules = fieldRules(caller, shape)
  const shown = shape.columns.shownOf(row)
  return rules ? withoutHidden(shown, rules) : shown
}

/** The version of the definitions with which the operation reads records; what computes their fields may change with it. */
export const schemaVersionOf = ({ extensions }: RequestContext): string => String(extensions?.version ?? 0)
