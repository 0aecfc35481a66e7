import type { Big } from 'big.js'
import type { Row } from '../../database/sql.ts'
import { noteColumns } from '../note-fields.ts'
import { exactNumber, type ExactNumber } from '../../json/exact-number.ts'
import type { RequestContext } from '../../request.ts'
import { decimalOf, exactOf, rounded, roundToCurrency } from '../../values/decimal.ts'
import type { RecordShape } from '../definition.ts'
import type { FilterInput } from '../filter-input.ts'
import { ListQuery } from '../list-query.ts'
import { selectedFields, type SelectionInfo } from '../selection.ts'
import { isTime } from './aggregate-columns.ts'
import { figureNames, requestOf, type AggregateRequest, type FigureName } from './aggregate-request.ts'
import { AggregateStatementBuilder } from './aggregate-sql.ts'
import type {
  Aggregate,
  AggregateArgs,
  AggregateCurrencyValue,
  AggregateGroup,
  AggregateKey,
  AggregateTotal,
  AggregateValue,
} from './aggregate-types.ts'
import { bucketOf } from './date-unit.ts'
import { labelsOf } from './group-labels.ts'
import { factsOf, type AggregateFacts } from './organization-facts.ts'

const averageDecimals = 6

const isSelected = (info: SelectionInfo, name: string, ...paths: readonly (readonly string[])[]): boolean =>
  paths.some((path) => selectedFields(info, path).has(name))

/**
 * Figures over the records that the caller sees, by groups and in total. Maintained totals answer where they have the keys, the figures and the columns of
 * the filter; otherwise one pass over the matching records.
 */
export async function readAggregate(
  ctx: RequestContext,
  builtIn: RecordShape,
  args: AggregateArgs,
  info: SelectionInfo,
): Promise<Aggregate> {
  const query = new ListQuery(ctx, builtIn, { filter: (args.filter ?? null) as FilterInput | null })
  const { definition } = query
  const request = requestOf(ctx.caller, definition, args)
  const columns = [...request.keys, ...request.measured].map(({ column }) => column.name)
  noteColumns(ctx, definition, columns)
  const hasAmounts = request.measured.some(({ isAmount }) => isAmount)
  const facts = hasAmounts || request.keys.some(({ unit }) => unit) ? await factsOf(ctx) : null
  const inFigures = figureNames.flatMap((name) => [
    ['groups', name],
    ['total', name],
  ])
  const hasCurrencies = hasAmounts && isSelected(info, 'byCurrency', ...inFigures)
  const { text, isFromTotals } = new AggregateStatementBuilder(query, request, facts, hasCurrencies).statement()
  ctx.answered?.aggregate(definition)
  const rows = await ctx.db.query(text, query.predicate.values.list, isFromTotals ? 'LIST' : 'SCAN')
  const groups = rows.filter(({ isTotal }) => !isTotal)
  const answer = new AggregateAnswer(request, facts)
  const keys = await answer.keys(groups, async (position) => {
    if (!isSelected(info, 'label', ['groups', 'keys'])) return new Map()
    const ids = groups.map((row) => row[`v${position}`] as string | null)
    return labelsOf(ctx, definition, request.keys[position]!, ids)
  })
  return {
    groups: groups.map((row, index): AggregateGroup => ({ keys: keys[index]!, ...answer.figures(row) })),
    totalGroups: (groups[0]?.['totalGroups'] as number | undefined) ?? 0,
    total: answer.figures(rows.find(({ isTotal }) => isTotal)!),
    currency: hasAmounts ? facts!.baseCurrency : null,
  }
}

type CurrencyRow = readonly [currency: string, ...parts: (string | null)[]]

/** Turns the rows of the statement into the answer. */
class AggregateAnswer {
  constructor(
    private readonly request: AggregateRequest,
    private readonly facts: AggregateFacts | null,
  ) {}

  async keys(
    rows: readonly Row[],
    labels: (position: number) => Promise<ReadonlyMap<string, string>>,
  ): Promise<AggregateKey[][]> {
    const found = await Promise.all(this.request.keys.map((_, position) => labels(position)))
    return rows.map((row) =>
      this.request.keys.map(({ column: { name, isUtcDay }, unit }, position) => {
        const value = row[`v${position}`] as string | null
        const none = { field: name, value, label: null, from: null, until: null }
        if (value === null) return none
        if (!unit) return { ...none, label: found[position]!.get(value) ?? null }
        const calendar = isUtcDay ? { ...this.facts!, timezone: 'UTC' } : this.facts!
        const { text, from, until } = bucketOf(value, unit, calendar)
        return { ...none, value: text, from, until }
      }),
    )
  }

  figures(row: Row): AggregateTotal {
    const { figures } = this.request
    const valuesOf = (name: FigureName) => figures[name].map((position) => this.#value(row, name, position))
    return {
      count: (row['n'] as number | null) ?? 0,
      sum: valuesOf('sum'),
      average: valuesOf('average'),
      min: valuesOf('min'),
      max: valuesOf('max'),
    }
  }

  #value(row: Row, name: FigureName, position: number): AggregateValue {
    const { column, isAmount } = this.request.measured[position]!
    const none = { field: column.name, value: null, time: null, unconverted: 0, byCurrency: [] }
    if (isTime(column)) {
      const time = (row[(name === 'min' ? 'l' : 'h') + position] ?? null) as string | null
      return { ...none, time: time !== null && column.kind === 'date' ? `${time}T00:00:00.000Z` : time }
    }
    const parts = partsIn((part) => row[(isAmount ? 'b' : '') + part + position] as ExactNumber | null)
    const base = isAmount ? this.facts!.baseCurrency : null
    const value = figureOf(name, parts, base)
    if (!isAmount) return { ...none, value }
    const unconverted = ((row[`c${position}`] as number | null) ?? 0) - ((row[`bc${position}`] as number | null) ?? 0)
    return { ...none, value, unconverted, byCurrency: this.#byCurrency(row, name, position) }
  }

  #byCurrency({ currencies }: Row, name: FigureName, position: number): AggregateCurrencyValue[] {
    return ((currencies ?? []) as CurrencyRow[]).flatMap(([currency, ...texts]) => {
      const own = texts.slice(4 * position, 4 * position + 4)
      const parts = partsIn((part) => own['cslh'.indexOf(part)] ?? null)
      const count = Number(own[0])
      return count > 0 ? [{ currency, count, value: figureOf(name, parts, currency) }] : []
    })
  }
}

interface Parts {
  readonly count: Big | null
  readonly sum: Big | null
  readonly lowest: Big | null
  readonly highest: Big | null
}

function partsIn(valueOf: (part: 'c' | 's' | 'l' | 'h') => ExactNumber | string | null | undefined): Parts {
  const part = (name: 'c' | 's' | 'l' | 'h'): Big | null => {
    const value = valueOf(name)
    if (value === null || value === undefined) return null
    return decimalOf(typeof value === 'string' ? exactNumber(value) : value)
  }
  return { count: part('c'), sum: part('s'), lowest: part('l'), highest: part('h') }
}

/** The figure, rounded to the decimals of the currency if it is an amount. */
function figureOf(
  name: FigureName,
  { count, sum, lowest, highest }: Parts,
  currency: string | null,
): ExactNumber | null {
  const round = (value: Big): Big => (currency === null ? value : roundToCurrency(value, currency))
  if (name === 'sum') return sum ? exactOf(round(sum)) : 0
  if (name === 'average') {
    if (!sum || !count || count.eq(0)) return null
    const average = sum.div(count)
    return exactOf(currency === null ? rounded(average, averageDecimals) : round(average))
  }
  const extreme = name === 'min' ? lowest : highest
  return extreme && exactOf(round(extreme))
}
