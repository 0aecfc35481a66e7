import type { AddendShape } from '../addend.ts'
import { AggregateSql } from '../aggregates.ts'
import { columnOf } from '../definition.ts'
import type { ListQuery } from '../list-query.ts'
import { hasTotalsFor, type WithTotals } from '../maintained-totals.ts'
import { hasMeasure, TotalsSql } from '../totals-sql.ts'
import { figureOfSort, type AggregateRequest, type Measured, type RequestedKey } from './aggregate-request.ts'
import { firstDaySql } from './date-unit.ts'
import type { AmountsShape } from './aggregate-columns.ts'
import { organizationSource, type OrganizationFacts } from './organization-facts.ts'

/** What the statement needs besides the request. */
export interface AggregateFacts extends OrganizationFacts {
  /** Today in the time zone of the organization. */
  readonly today: string
}

export interface AggregateStatement {
  readonly text: string
  /** Whether only maintained totals are read. */
  readonly isFromTotals: boolean
}

/** What is added up of a column: its values, and how many there are. */
const addendsOf = ({ column, isSummed, isAmount }: Measured): AddendShape[] => [
  ...(isSummed ? [{ sum: column.name }] : []),
  ...(isSummed || isAmount ? [column.nullable ? { count: column.name } : {}] : []),
]

/**
 * Builds the statement of an aggregate in steps: `part` has one row for each combination of the keys, the currency and the day of its rate, so that a
 * rate is looked up once for each currency and day; `figure` has one for each combination of keys and currency; the answer has one
 * for each group, and one for all of them.
 */
export class AggregateStatementBuilder {
  readonly #amounts: AmountsShape | null

  constructor(
    private readonly query: ListQuery,
    private readonly request: AggregateRequest,
    private readonly facts: AggregateFacts | null,
    /** Whether the figures of each currency are part of the answer. */
    private readonly hasCurrencies: boolean,
  ) {
    this.#amounts = request.measured.some(({ isAmount }) => isAmount) ? query.definition.amounts! : null
  }

  get #values() {
    return this.query.predicate.values
  }

  statement(): AggregateStatement {
    const { measured, keys, limit } = this.request
    const { text: part, isFromTotals } = this.#part()
    const names = keys.map((_, index) => `k${index}`)
    const byKey = names.length > 0 ? ` group by ${names.join(', ')}` : ''
    const steps = [`part as (${part})`]
    if (this.#amounts) {
      const rate = organizationSource().rateSql({
        organizationId: this.query.predicate.organization(),
        base: this.#base(),
        currency: 'g.currency',
        day: `to_char(g.day, 'YYYY-MM-DD')`,
      })
      const kept = names.map((name) => `${name}, `).join('')
      steps.push(
        `rate as materialized (select g.currency, g.day, ${rate} as rate from (select distinct currency, day from part) g)`,
        `figure as (select ${kept}part.currency, sum(n)::int8 as n${this.#list(convertedFigures)}
          from part left join rate on rate.currency = part.currency and rate.day = part.day group by ${kept}part.currency)`,
        `figures as (select currency, sum(n)::int8 as n${this.#list(summedFigures)} from figure group by currency)`,
      )
    } else steps.push('figure as (select * from part)', 'figures as (select * from part)')
    const selected = `sum(n)::int8 as n${this.#list(summedFigures)}${this.#currencies()}`
    const noKeys = keys.map((_, index) => `, null::text as v${index}`).join('')
    const total = `select true as "isTotal", 0::int8 as "totalGroups"${noKeys}, ${selected} from figures`
    if (keys.length === 0) return { text: `with ${steps.join(', ')} ${total}`, isFromTotals }
    const texts = keys.map(({ unit }, index) =>
      unit ? `, to_char(k${index}, 'YYYY-MM-DD') as v${index}` : `, k${index}::text as v${index}`,
    )
    const groups = `select false as "isTotal", count(*) over ()::int8 as "totalGroups"${texts.join('')}, ${selected}
      from figure${byKey} having sum(n) <> 0 order by ${this.#order(measured)} limit ${this.#values.add(limit)}`
    return { text: `with ${steps.join(', ')} (${groups}) union all (${total})`, isFromTotals }
  }

  #list(figuresOf: (measured: Measured, index: number) => string[]): string {
    return this.request.measured.flatMap((one, index) => figuresOf(one, index).map((sql) => `, ${sql}`)).join('')
  }

  /** The figures of each currency as JSON: the currency, and for each column the number of values, the sum, the smallest and the largest value. */
  #currencies(): string {
    if (!this.#amounts || !this.hasCurrencies) return ''
    const parts = this.request.measured.flatMap(({ isAmount, isSummed, isLowest, isHighest }, index) => [
      isAmount ? `c${index}::text` : 'null::text',
      isAmount && isSummed ? `s${index}::text` : 'null::text',
      isAmount && isLowest ? `l${index}::text` : 'null::text',
      isAmount && isHighest ? `h${index}::text` : 'null::text',
    ])
    return `, jsonb_agg(jsonb_build_array(currency, ${parts.join(', ')}) order by currency) filter (where n <> 0) as currencies`
  }

  #order(measured: readonly Measured[]): string {
    const { keys, sortBy, isDescending, figures } = this.request
    const direction = `${isDescending ? 'desc' : 'asc'} nulls last`
    const names = keys.map((_, index) => `k${index}`)
    if (sortBy === 'KEY') return names.map((name) => `${name} ${direction}`).join(', ')
    const figure = figureOfSort(sortBy)
    const position = figure ? figures[figure][0]! : 0
    const base = measured[position]?.isAmount ? 'b' : ''
    const sums = `sum(${base}s${position}) / nullif(sum(${base}c${position}), 0)`
    const by = {
      COUNT: 'sum(n)',
      SUM: `coalesce(sum(${base}s${position}), 0)`,
      AVERAGE: sums,
      MIN: `min(${base}l${position})`,
      MAX: `max(${base}h${position})`,
    }[sortBy]
    return [`${by} ${direction}`, ...names.map((name) => `${name} asc nulls last`)].join(', ')
  }

  /** The records, or their maintained totals, grouped by the keys, the currency and the day of its rate. */
  #part(): { text: string; isFromTotals: boolean } {
    const { query } = this
    const amounts = this.#amounts
    const rows = (condition: string | null) => {
      const into = new AggregateSql(query.definition, this.#values)
      const { source } = query.aggregatedRows()
      return this.#grouped(into, `${source}${condition ? ` and ${condition}` : ''}`, condition !== null || !amounts)
    }
    const totals = this.#totals()
    if (!totals) return { text: rows(null), isFromTotals: false }
    const into = () => new TotalsSql(totals.definition, query.predicate)
    if (!amounts || this.#isRatedToday(amounts))
      return { text: this.#grouped(into(), totals.source, false), isFromTotals: true }
    // Amounts in another currency need the day of each record; most organizations have few of them, or none.
    const isDated = this.#isDated(amounts)
    const some = `exists (select 1 from ${totals.source} and ${isDated} having sum(t.n) <> 0)`
    const text = `${this.#grouped(into(), `${totals.source} and not ${isDated}`, false)}
      union all ${rows(`${isDated} and (select ${some})`)}`
    return { text, isFromTotals: false }
  }

  #isRatedToday = ({ ratedOn }: AmountsShape): boolean => ratedOn === undefined

  /** The condition for records whose rate is that of a day of theirs. */
  #isDated({ currency, ratedOnlyIf }: AmountsShape): string {
    const { definition } = this.query
    const isOther = `${columnOf(definition, currency).sql('t')} <> ${this.#base()}`
    return ratedOnlyIf ? `(${isOther} and ${columnOf(definition, ratedOnlyIf).sql('t')})` : `(${isOther})`
  }

  /** The maintained totals, if they have all keys, those of the filter, and all figures. */
  #totals(): { definition: WithTotals; source: string } | null {
    const { query, request } = this
    const { definition, predicate } = query
    if (!hasTotalsFor(predicate.caller, definition)) return null
    const { keys, measured } = request
    if (keys.some(({ unit }) => unit) || measured.some(({ isLowest, isHighest }) => isLowest || isHighest)) return null
    if (measured.some((one) => addendsOf(one).some((addend) => !hasMeasure(definition, addend)))) return null
    const currency = this.#amounts ? [this.#amounts.currency, this.#amounts.ratedOnlyIf ?? []].flat() : []
    const { source, isTotals } = query.aggregated([...keys.map(({ column }) => column.name), ...currency])
    return isTotals ? { definition, source } : null
  }

  #grouped(into: AggregateSql, source: string, isDated: boolean): string {
    const { keys, measured } = this.request
    const amounts = this.#amounts
    const grouped = [
      ...keys.map((key, index) => `${this.#key(key)} as k${index}`),
      ...(amounts
        ? [`${into.column(amounts.currency).sql} as currency`, `${this.#day(amounts, into, isDated)} as day`]
        : []),
    ]
    const figures = measured.flatMap((one, index) => figuresOfRows(into, one, index))
    const by = grouped.length > 0 ? ` group by ${grouped.map((_, index) => index + 1).join(', ')}` : ''
    return `select ${[...grouped, `${into.total({})}::int8 as n`, ...figures].join(', ')} from ${source}${by}`
  }

  #key({ column, unit }: RequestedKey): string {
    const sql = column.sql('t')
    if (!unit) return sql
    const local = column.kind === 'timestamp' ? `${sql} at time zone ${this.#zone()}` : `${sql}::timestamp`
    return firstDaySql(local, unit, this.facts!)
  }

  /** The day whose rate applies. It does not matter for the base currency, so that its amounts are one group. */
  #day({ currency, ratedOn, ratedOnlyIf }: AmountsShape, into: AggregateSql, isDated: boolean): string {
    const today = `${this.#today()}::date`
    if (ratedOn === undefined || into instanceof TotalsSql) return today
    const sql = (name: string): string => into.column(name).sql
    const ofRecord = `coalesce((${sql(ratedOn)} at time zone ${this.#zone()})::date, ${today})`
    if (isDated) return ofRecord
    const isToday = [`${sql(currency)} = ${this.#base()}`, ...(ratedOnlyIf ? [`not ${sql(ratedOnlyIf)}`] : [])]
    return `case when ${isToday.join(' or ')} then ${today} else ${ofRecord} end`
  }

  #once = new Map<string, string>()

  #parameter(name: string, value: () => string): string {
    let placeholder = this.#once.get(name)
    if (!placeholder) this.#once.set(name, (placeholder = `${this.#values.add(value())}::text`))
    return placeholder
  }

  #zone = (): string => this.#parameter('zone', () => this.facts!.timezone)
  #base = (): string => this.#parameter('base', () => this.facts!.baseCurrency)
  #today = (): string => this.#parameter('today', () => this.facts!.today)
}

const figuresOfRows = (into: AggregateSql, one: Measured, index: number): string[] => {
  const { name, nullable } = one.column
  const { sql } = into.column(name)
  return [
    ...(one.isSummed ? [`${into.total({ sum: name })} as s${index}`] : []),
    ...(one.isSummed || one.isAmount ? [`${into.total(nullable ? { count: name } : {})}::int8 as c${index}`] : []),
    ...(one.isLowest ? [`min(${sql}) as l${index}`] : []),
    ...(one.isHighest ? [`max(${sql}) as h${index}`] : []),
  ]
}

/** The figures in the currency of the records, and in the base currency (`b`). */
const convertedFigures = ({ isAmount, isSummed, isLowest, isHighest }: Measured, index: number): string[] => [
  ...(isSummed ? [`sum(s${index}) as s${index}`] : []),
  ...(isSummed || isAmount ? [`sum(c${index})::int8 as c${index}`] : []),
  ...(isLowest ? [`min(l${index}) as l${index}`] : []),
  ...(isHighest ? [`max(h${index}) as h${index}`] : []),
  ...(isAmount ? [`(sum(c${index}) filter (where rate is not null))::int8 as bc${index}`] : []),
  ...(isAmount && isSummed ? [`sum(s${index} * rate) as bs${index}`] : []),
  ...(isAmount && isLowest ? [`min(l${index} * rate) as bl${index}`] : []),
  ...(isAmount && isHighest ? [`max(h${index} * rate) as bh${index}`] : []),
]

/** The same figures of several rows together. */
const summedFigures = ({ isAmount, isSummed, isLowest, isHighest }: Measured, index: number): string[] => {
  const sumsOf = (prefix: string): string[] => [
    ...(isSummed ? [`sum(${prefix}s${index}) as ${prefix}s${index}`] : []),
    ...(isSummed || isAmount ? [`sum(${prefix}c${index})::int8 as ${prefix}c${index}`] : []),
    ...(isLowest ? [`min(${prefix}l${index}) as ${prefix}l${index}`] : []),
    ...(isHighest ? [`max(${prefix}h${index}) as ${prefix}h${index}`] : []),
  ]
  return [...sumsOf(''), ...(isAmount ? sumsOf('b') : [])]
}
