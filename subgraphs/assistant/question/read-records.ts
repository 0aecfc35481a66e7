import type Big from 'big.js'
import type { Caller } from '../../kernel/context.ts'
import { isErrorCode, Refusal } from '../../kernel/errors.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { ExactNumber } from '../../kernel/json/exact-number.ts'
import type { GraphAnswer, GraphPort } from '../../kernel/graph-port/graph-port.ts'
import { hasColumn, type RecordShape } from '../../kernel/record/definition.ts'
import { decimalOf, roundToCurrency, rounded, sumOf } from '../../kernel/values/decimal.ts'
import { type CheckedQuestion } from './check-question.ts'
import { compileLists, type Compiled, type ListPart } from './compile.ts'
import { labelOf } from './label.ts'
import { moneyFields } from './question.ts'

export interface QuestionServices {
  readonly graph: GraphPort
  readonly clock: Clock
}

export type Row = Readonly<Record<string, unknown>> & { readonly id: string }

export interface Citation {
  readonly entityType: string
  readonly entityId: string
  readonly field: string | null
  readonly label: string | null
}

/** An exact figure over the records of one currency; null where the values have no currency. */
export interface Figure {
  readonly currency: string | null
  readonly value: string
  /** Records with a value. */
  readonly records: number
}

export interface QuestionAnswer {
  readonly question: CheckedQuestion
  /** All records that match. */
  readonly total: number | null
  readonly rows: readonly Row[]
  readonly figures: readonly Figure[]
  readonly groups: readonly { readonly value: string | boolean | number | null; readonly count: number }[]
  /** There are more records than can be read for an exact figure, so there is none. */
  readonly isTooMany: boolean
  readonly citations: readonly Citation[]
}

/** A fifth of what a client may ask for. */
export const costMax = 2000
export const timeoutMs = 5000
const pageSize = 100
/** More would cost more than `costMax`. */
export const rowsMax = 1500
export const currenciesMax = 10

const refusalOf = ({ message, extensions }: GraphAnswer['errors'][number]): Refusal => {
  const code = extensions?.['code']
  return new Refusal(isErrorCode(code) ? code : 'INTERNAL', message, { ...extensions })
}

export type Read = <T>(compiled: Compiled) => Promise<T>

/** Reads from the graph as the caller. Every error is thrown, so an answer is whole. */
export const reader =
  ({ graph }: QuestionServices, caller: Caller, requestId: string, costLimit = costMax): Read =>
  async <T>(compiled: Compiled): Promise<T> => {
    const { data, errors } = await graph.read({ ...compiled, costMax: costLimit }, caller, { requestId, timeoutMs })
    const [error] = errors
    if (error) throw refusalOf(error)
    return data as T
  }

export interface List {
  readonly total?: number
  readonly data?: readonly Row[]
}
export type Lists = Readonly<Record<string, List>>

/** All matching records, or how many they are if they are too many. Read again if they changed between two pages. */
export async function readAll(
  read: Read,
  part: Omit<ListPart, 'alias' | 'limit'>,
): Promise<{ rows: Row[] | null; total: number }> {
  for (let attempt = 0; attempt < 2; attempt++) {
    const first = (await read<Lists>(compileLists([{ ...part, alias: 'first', limit: pageSize }])))['first']!
    const total = first.total!
    if (total > rowsMax) return { rows: null, total }
    const pages = Math.ceil(total / pageSize)
    const rows = new Map(first.data!.map((row) => [row.id, row]))
    if (pages > 1) {
      const more = Array.from({ length: pages - 1 }, (_, index) => ({
        ...part,
        alias: `page${index}`,
        limit: pageSize,
        page: index + 2,
        hasTotal: index === pages - 2,
      }))
      const lists = Object.values(await read<Lists>(compileLists(more)))
      for (const { data } of lists) for (const row of data!) rows.set(row.id, row)
      if (lists.at(-1)!.total !== total) continue
    }
    if (rows.size === total) return { rows: [...rows.values()], total }
  }
  throw new Refusal('UNAVAILABLE', 'The records changed while they were read.', { retryAfter: 1 })
}

export const currencyOf = (shape: RecordShape, measure: string, row: Row): string | null =>
  moneyFields.has(measure) && hasColumn(shape, 'currency') ? String(row['currency']) : null

export function figuresOf(shape: RecordShape, measure: string, rows: readonly Row[], isAverage: boolean): Figure[] {
  const values = new Map<string | null, Big[]>()
  for (const row of rows) {
    const value = row[measure]
    if (value === null || value === undefined) continue
    const currency = currencyOf(shape, measure, row)
    values.set(currency, [...(values.get(currency) ?? []), decimalOf(value as ExactNumber)])
  }
  return [...values]
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([currency, list]) => {
      const total = sumOf(list)
      const figure = isAverage ? total.div(list.length) : total
      const shown = currency === null ? rounded(figure, 2) : isAverage ? roundToCurrency(figure, currency) : figure
      return { currency, value: shown.toFixed(), records: list.length }
    })
}

export const nothing = { total: null, rows: [], figures: [], groups: [], isTooMany: false, citations: [] }

export const citationsOf = (shape: RecordShape, rows: readonly Row[], field: string | null = null): Citation[] =>
  rows.map((row) => ({ entityType: shape.object.toUpperCase(), entityId: row.id, field, label: labelOf(shape, row) }))
