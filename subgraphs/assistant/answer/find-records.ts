import { invalid } from '../../kernel/errors.ts'
import type { ConversationCitation } from '../conversation/conversation.types.ts'
import { readAsCaller, type Answering } from './answering.ts'
import {
  graphType,
  isReadable,
  labelFields,
  labelOf,
  listField,
  plainColumns,
  readableObjects,
  shapeOf,
  type ReadableObject,
} from './readable-records.ts'

/** What to read of one record type. */
export interface RecordQuery {
  readonly object: ReadableObject
  readonly filter?: unknown
  readonly search?: string
  readonly orderBy?: unknown
  readonly fields?: readonly string[]
  /** 0: only the number of records. */
  readonly limit: number
}

export interface FoundRecords {
  readonly total: number
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  readonly citations: readonly ConversationCitation[]
}

export const rowsMax = 50
const fieldsMax = 15

/** The records that the caller sees, by a query of the graph, so that tenancy, visibility, field security and scopes hold as for every client. */
export async function findRecords(
  ctx: Answering,
  { object, filter = null, search, orderBy = null, fields = [], limit }: RecordQuery,
): Promise<FoundRecords> {
  const shape = shapeOf(object)
  const type = graphType(shape)
  const selected = new Set(['id', ...labelFields(object), ...fields])
  const document = `query assistantFinds($filter: ${type}Filter, $search: String, $orderBy: [${type}Order!], $limit: Int) {
    found: ${listField(shape)}(filter: $filter, search: $search, orderBy: $orderBy, limit: $limit) {
      total
      data { ${[...selected].join(' ')} }
    }
  }`
  const variables = { filter, search: search ?? null, orderBy, limit: Math.max(limit, 1) }
  const { found } = (await readAsCaller(ctx, document, variables)) as {
    readonly found: { readonly total: number; readonly data: readonly Readonly<Record<string, unknown>>[] }
  }
  const rows = limit === 0 ? [] : found.data
  return {
    total: found.total,
    rows,
    citations: rows.map((row) => ({
      entityType: object.toUpperCase(),
      entityId: String(row['id']),
      field: null,
      label: labelOf(object, row),
    })),
  }
}

const refuse = (path: string, rule: string): never => {
  throw invalid({ path, code: 'WRONG_TYPE', message: `${path} must be ${rule}.` })
}

/** The query that a model asks for. Nothing in it can name another field, type or operation than those that may be read. */
export function recordQueryOf(given: Readonly<Record<string, unknown>>): RecordQuery {
  const { object, filter, search, orderBy, fields = [], limit = 10 } = given
  if (!isReadable(object)) return refuse('object', `one of ${readableObjects.join(', ')}`)
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 0 || limit > rowsMax)
    return refuse('limit', `a whole number from 0 to ${rowsMax}`)
  if (search !== undefined && (typeof search !== 'string' || search.length > 200))
    return refuse('search', 'a text of at most 200 characters')
  const known = new Set(plainColumns(shapeOf(object)).map(({ name }) => name))
  if (!Array.isArray(fields) || fields.length > fieldsMax || !fields.every((name) => known.has(String(name))))
    return refuse('fields', `a list of at most ${fieldsMax} fields of the object; describe(object) names them`)
  return {
    object,
    limit,
    fields: fields as string[],
    ...(filter !== undefined && { filter }),
    ...(typeof search === 'string' && { search }),
    ...(orderBy !== undefined && { orderBy }),
  }
}
