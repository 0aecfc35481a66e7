import { Refusal } from '../../kernel/errors.ts'
import type { ModelTool, ToolCall } from '../../kernel/language-model/language-model.ts'
import { enumerationOf } from '../../kernel/record/column.ts'
import type { ConversationCitation } from '../conversation/conversation.types.ts'
import type { Answering } from './answering.ts'
import { findRecords, recordQueryOf, rowsMax } from './find-records.ts'
import { isReadable, plainColumns, readableObjects, shapeOf } from './readable-records.ts'

/** The result of a call, for the model, and what the client is told of it. */
export interface ToolResult {
  readonly text: string
  readonly rows: number
  readonly citations: readonly ConversationCitation[]
  readonly error: string | null
}

const resultBytesMax = 16_384
const searchRows = 3

const objects = { type: 'string', enum: readableObjects, description: 'Type of the records.' }

/** All of them only read, and none sends anything anywhere. */
export const tools: readonly ModelTool[] = [
  {
    name: 'find_records',
    description: `Finds records that the user sees, and counts them: \`total\` is the number of all, \`rows\` the first of them. Call describe first for the names of fields and values.`,
    parameters: {
      type: 'object',
      required: ['object'],
      additionalProperties: false,
      properties: {
        object: objects,
        filter: {
          type: 'object',
          description:
            'Conditions by field: {"status": {"eq": "OPEN"}, "amount": {"gte": 1000}}. Operators: eq, ne, in, gt, gte, lt, lte, contains, isNull. Combine with and, or, not.',
        },
        search: { type: 'string', description: 'Text that a name or another searchable field contains.' },
        orderBy: {
          type: 'array',
          description: '[{"field": "amount", "direction": "DESC"}]',
          items: { type: 'object' },
        },
        fields: { type: 'array', items: { type: 'string' }, description: 'Fields of the rows, at most 15.' },
        limit: { type: 'integer', minimum: 0, maximum: rowsMax, description: 'Number of rows; 0 only counts.' },
      },
    },
  },
  {
    name: 'describe',
    description: 'The fields of a record type, with their kinds and the values of enumerations.',
    parameters: { type: 'object', required: ['object'], additionalProperties: false, properties: { object: objects } },
  },
  {
    name: 'search_text',
    description: 'Finds records of all types by a text, such as the name of a company or a person.',
    parameters: {
      type: 'object',
      required: ['text'],
      additionalProperties: false,
      properties: { text: { type: 'string', minLength: 2, maxLength: 200 } },
    },
  },
]

/** Records contain text of strangers: it is data in a field that says so, and never part of the instructions. */
const resultOf = (content: object, rows: number, citations: readonly ConversationCitation[]): ToolResult => {
  const text = JSON.stringify({ untrusted: true, ...content })
  if (Buffer.byteLength(text) <= resultBytesMax) return { text, rows, citations, error: null }
  return failed('The result is too large; ask for fewer rows or fields.')
}

export const failed = (error: string): ToolResult => ({
  text: JSON.stringify({ error }),
  rows: 0,
  citations: [],
  error,
})

function described(ctx: Answering, object: unknown): ToolResult {
  if (!isReadable(object)) return failed(`object must be one of ${readableObjects.join(', ')}.`)
  const hidden = ctx.caller.fields?.[object] ?? {}
  const fields = plainColumns(shapeOf(object))
    .filter(({ name }) => hidden[name] !== 'HIDDEN')
    .map((column) => {
      const values = enumerationOf(column)
      return { name: column.name, kind: column.kind, ...(values && { values: Object.keys(values) }) }
    })
  return resultOf({ object, fields }, fields.length, [])
}

async function searched(ctx: Answering, text: unknown): Promise<ToolResult> {
  if (typeof text !== 'string' || text.trim().length < 2 || text.length > 200)
    return failed('text must have 2 to 200 characters.')
  const found = await Promise.all(
    readableObjects.map(async (object) => {
      try {
        return { object, ...(await findRecords(ctx, { object, search: text, limit: searchRows })) }
      } catch (error) {
        // A type that the caller may not read has no hits.
        if (error instanceof Refusal) return { object, total: 0, rows: [], citations: [] }
        throw error
      }
    }),
  )
  const hits = found.filter(({ total }) => total > 0)
  const content = { hits: hits.map(({ object, total, rows }) => ({ object, total, rows })) }
  return resultOf(
    content,
    hits.reduce((sum, { rows }) => sum + rows.length, 0),
    hits.flatMap(({ citations }) => citations),
  )
}

/** The arguments as an object; null if they are none. */
export function argumentsOf({ arguments: text }: ToolCall): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text === '' ? '{}' : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}

/** Runs a call of the model as the caller. What is wrong with the call is its result, so that the model can correct it. */
export async function runTool(ctx: Answering, call: ToolCall): Promise<ToolResult> {
  const given = argumentsOf(call)
  if (!given) return failed('The arguments must be a JSON object.')
  try {
    switch (call.name) {
      case 'find_records': {
        const { total, rows, citations } = await findRecords(ctx, recordQueryOf(given))
        return resultOf({ total, rows }, rows.length, citations)
      }
      case 'describe':
        return described(ctx, given['object'])
      case 'search_text':
        return await searched(ctx, given['text'])
      default:
        return failed(`There is no tool with this name; use ${tools.map(({ name }) => name).join(', ')}.`)
    }
  } catch (error) {
    if (error instanceof Refusal) return failed(error.message)
    throw error
  }
}
