import type { AddendShape } from '../addend.ts'
import { AggregateSql } from '../aggregates.ts'
import type { Column } from '../column.ts'
import { columnOf } from '../definition.ts'
import type { ListQuery } from '../list-query.ts'
import { hasTotalsFor, type WithTotals } from '../maintained-totals.ts'
import { hasMeasure, TotalsSql } from '../totals-sql.ts'
import { figureOfSort, type AggregateRequest, type Measured, type RequestedKey } from './aggregate-request.ts'
import { firstDaySql } from './date-unit.ts'
import type { AmountsShape } from './aggregate-columns.ts'
import { convertedSql, figureColumns, togetherSql, totalsSql, valuesSql, type FigureColumn } from './figure-columns.ts'
import { organizationSource, type AggregateFacts } from './organization-facts.ts'
import { ratePeriodsSql, rateUnitsSql, unitsOfBase } from './rate-periods.ts'

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

/** The SQL of rows with keys and figures, and whether each combination of keys and currency is in one of them only. */
interface Part {
  readonly text: string
  readonly isUnique: boolean
  readonly isFromTotals: boolean
}

/**
 * Builds the statement of an aggregate in steps: `part` has the figures for each combination of the keys, and of the currency if the answer has them by currency;
 * then there is a row for each group, and one for all of them. Each amount of a record is multiplied by the rate that a binary search finds in the periods of its
 * currency (`rate-periods.ts`): with days as groups until their rates are known, nearly each record would be a group. Maintained totals have no
 * days, so what is read from them has the rate of today.
 */
export class AggregateStatementBuilder {
  readonly #amounts: AmountsShape | null
  readonly #hasByCurrency: boolean
  readonly #figures: readonly FigureColumn[]

  constructor(
    private readonly query: ListQuery,
    private readonly request: AggregateRequest,
    private readonly facts: AggregateFacts | null,
    /** Whether the figures of each currency are part of the answer. */
    hasCurrencies: boolean,
    amounts: AmountsShape | null = query.definition.amounts ?? null,
  ) {
    this.#amounts = request.measured.some(({ isAmount }) => isAmount) ? amounts : null
    this.#hasByCurrency = this.#amounts !== null && hasCurrencies
    this.#figures = figureColumns(request.measured, this.#hasByCurrency)
  }

  get #values() {
    return this.query.predicate.values
  }

  statement(): AggregateStatement {
    const { measured, keys, limit } = this.request
    const { text: part, isUnique, isFromTotals } = this.#part()
    const names = keys.map((_, index) => `k${index}`)
    const steps = [...this.#steps, `part as materialized (${part})`]
    const figures = `${this.#together}${this.#currencies()}`
    const noKeys = keys.map((_, index) => `, null::text as v${index}`).join('')
    const all = this.#hasByCurrency && !(isUnique && keys.length === 0) ? this.#byCurrency([]) : 'part'
    const total = `select true as "isTotal", 0::int8 as "totalGroups"${noKeys}, ${figures} from ${all}`
    if (keys.length === 0) return { text: `with ${steps.join(', ')} ${total}`, isFromTotals }
    const isSummed = !isUnique || this.#hasByCurrency
    const parts = this.#hasByCurrency && !isUnique ? this.#byCurrency(names) : 'part'
    const grouped = isSummed
      ? `materialized (select ${names.join(', ')}, ${figures} from ${parts} group by ${names.join(', ')} having sum(n) <> 0)`
      : `not materialized (select * from part where n <> 0)`
    const texts = keys.map(({ unit }, index) =>
      unit ? `, to_char(k${index}, 'YYYY-MM-DD') as v${index}` : `, k${index}::text as v${index}`,
    )
    const columns = ['n', ...this.#figures.map(({ name }) => name), ...(this.#hasByCurrency ? ['currencies'] : [])]
    steps.push(`grouped as ${grouped}`)
    const groups = `select false as "isTotal", (select count(*) from grouped)::int8 as "totalGroups"${texts.join('')}, ${columns.join(', ')}
      from grouped order by ${this.#order(measured)} limit ${this.#values.add(limit)}`
    return { text: `with ${steps.join(', ')} (${groups}) union all (${total})`, isFromTotals }
  }

  /** What `part` reads besides the records or their totals. */
  readonly #steps: string[] = []

  /** `part` with one row for each combination of these keys and the currency. */
  #byCurrency(names: readonly string[]): string {
    const by = [...names, 'currency'].join(', ')
    return `(select ${by}, ${this.#together} from part group by ${by}) c`
  }

  /** The figures of several rows as those of one. */
  get #together(): string {
    const figures = this.#figures.map((column) => `${togetherSql(column)} as ${column.name}`)
    return ['sum(n)::int8 as n', ...figures].join(', ')
  }

  /** The figures of each currency as JSON: the currency, and for each column the number of values, the sum, the smallest and the largest value. */
  #currencies(): string {
    if (!this.#hasByCurrency) return ''
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
    const by = {
      COUNT: 'n',
      SUM: `coalesce(${base}s${position}, 0)`,
      AVERAGE: `${base}s${position} / nullif(${base}c${position}, 0)`,
      MIN: `${base}l${position}`,
      MAX: `${base}h${position}`,
    }[sortBy]
    return [`${by} ${direction}`, ...names.map((name) => `${name} asc nulls last`)].join(', ')
  }

  #part(): Part {
    const totals = this.#totals()
    if (!totals) return { text: this.#ofRows(null), isUnique: true, isFromTotals: false }
    const amounts = this.#amounts
    if (!amounts) return { text: this.#ofTotals(totals, totals.source), isUnique: true, isFromTotals: true }
    if (amounts.ratedOn === undefined)
      return { text: this.#ofTotals(totals, totals.source), isUnique: false, isFromTotals: true }
    // Amounts in another currency need the day of each record; most organizations have few of them, or none.
    const isDated = this.#isDated(amounts)
    const some = `exists (select 1 from ${totals.source} and ${isDated} having sum(t.n) <> 0)`
    const text = `${this.#ofTotals(totals, `${totals.source} and not ${isDated}`)}
      union all ${this.#ofRows(`${isDated} and (select ${some})`)}`
    return { text, isUnique: false, isFromTotals: false }
  }

  /** The condition for records whose rate is that of a day of theirs. */
  #isDated({ currency, ratedOnlyIf }: AmountsShape): string {
    const sql = (name: string): string => columnOf(this.query.definition, name).sql('t')
    return `(${[`${sql(currency)} <> ${this.#base()}`, ...(ratedOnlyIf ? [sql(ratedOnlyIf)] : [])].join(' and ')})`
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

  /** The figures of maintained totals, with the rates of today. */
  #ofTotals({ definition }: { definition: WithTotals }, source: string): string {
    const { keys } = this.request
    const into = new TotalsSql(definition, this.query.predicate)
    const amounts = this.#amounts
    const by = [
      ...keys.map((key, index) => `${this.#key(key)} as k${index}`),
      ...(amounts ? [`${into.column(amounts.currency).sql} as currency`] : []),
    ]
    const own = figureColumns(this.request.measured, true).filter(({ isInBase }) => !isInBase)
    const figures = own.map((column) => `${totalsSql(column, into)} as ${column.name}`)
    const text = `select ${[...by, `${into.total({})}::int8 as n`, ...figures].join(', ')} from ${source}${groupsOf(by.length)}`
    if (!amounts) return text
    const rate = organizationSource().rateSql({
      organizationId: this.query.predicate.organization(),
      base: this.#base(),
      currency: 'c.currency',
      day: this.#today(),
    })
    this.#steps.push(
      `held as materialized (${text})`,
      `rate as materialized (select c.currency, ${rate} as rate from (select distinct currency from held) c)`,
    )
    const converted = this.#figures.map((column) => `${convertedSql(column)} as ${column.name}`)
    return `select ${[...this.#partKeys, 'n', ...converted].join(', ')} from held left join rate using (currency)`
  }

  /** The figures of the records, each amount with the rate of its day. */
  #ofRows(condition: string | null): string {
    const { measured, keys } = this.request
    const { definition, predicate } = this.query
    const into = new AggregateSql(definition, this.#values)
    const rows = `${this.query.aggregatedRows().source}${condition ? ` and ${condition}` : ''}`
    const selected = keys.map((key, index) => `${this.#key(key)} as k${index}`)
    const values = measured.map(({ column }) => into.column(column.name).sql)
    const amounts = this.#amounts
    if (!amounts) {
      const figures = this.#figures.map((column) => `${valuesSql(column, values[column.index]!)} as ${column.name}`)
      return `select ${[...selected, 'count(*)::int8 as n', ...figures].join(', ')} from ${rows}${groupsOf(keys.length)}`
    }
    const rates = organizationSource().ratesSql({ organizationId: predicate.organization(), base: this.#base() })
    this.#steps.push(`dated as materialized (${ratePeriodsSql(rates, this.#zoneOf(this.#ratedOn))})`)
    const currency = into.column(amounts.currency).sql
    const columns = [
      ...selected,
      ...(this.#hasByCurrency ? [`${currency} as currency`] : []),
      ...values.map((value, index) => `${value} as v${index}`),
      `case when ${currency} = ${this.#base()} then ${unitsOfBase} else ${rateUnitsSql('dated', this.#rateTime(into))} end as rate`,
    ]
    const by = this.#partKeys
    const figures = this.#figures.map((column) => `${valuesSql(column, `v${column.index}`)} as ${column.name}`)
    // Without `offset 0`, PostgreSQL would search the rate anew for each figure.
    return `select ${[...by, 'count(*)::int8 as n', ...figures].join(', ')} from (
        select ${columns.join(', ')} from (select * from ${rows}) t left join dated on dated.currency = ${currency} offset 0
      ) r${groupsOf(by.length)}`
  }

  /** What distinguishes the rows of `part`. */
  get #partKeys(): string[] {
    return [...this.request.keys.map((_, index) => `k${index}`), ...(this.#hasByCurrency ? ['currency'] : [])]
  }

  #key({ column, unit }: RequestedKey): string {
    const sql = column.sql('t')
    if (!unit) return sql
    const local = column.kind === 'timestamp' ? `${sql} at time zone ${this.#zoneOf(column)}` : `${sql}::timestamp`
    return firstDaySql(local, unit, this.facts!)
  }

  /** The time zone in which the days of a column begin. */
  #zoneOf = (column: Column | null): string => (column?.isUtcDay ? `'UTC'` : this.#zone())

  /** The timestamp that decides which rate amounts have; null if it is that of today. */
  get #ratedOn(): Column | null {
    const { ratedOn } = this.#amounts!
    return ratedOn === undefined ? null : columnOf(this.query.definition, ratedOn)
  }

  /** The moment whose rate the amounts of a record have. */
  #rateTime(into: AggregateSql): string {
    const column = this.#ratedOn
    const { ratedOnlyIf } = this.#amounts!
    if (!column) return this.#now(column)
    const { sql } = into.column(column.name)
    const time = column.nullable ? `coalesce(${sql}, ${this.#now(column)})` : sql
    if (ratedOnlyIf === undefined) return time
    return `case when ${into.column(ratedOnlyIf).sql} then ${time} else ${this.#now(column)} end`
  }

  #once = new Map<string, string>()

  #parameter(name: string, value: () => string, type = 'text'): string {
    let placeholder = this.#once.get(name)
    if (!placeholder) this.#once.set(name, (placeholder = `${this.#values.add(value())}::${type}`))
    return placeholder
  }

  #zone = (): string => this.#parameter('zone', () => this.facts!.timezone)
  #base = (): string => this.#parameter('base', () => this.facts!.baseCurrency)
  #today = (): string => this.#parameter('today', () => this.facts!.today)
  /** A moment of today, among days that begin as those of the column do. */
  #now(column: Column | null): string {
    const { now, today } = this.facts!
    return this.#parameter('now', () => (column?.isUtcDay ? `${today}T00:00:00Z` : now), 'timestamptz')
  }
}

const groupsOf = (keys: number): string =>
  keys > 0 ? ` group by ${Array.from({ length: keys }, (_, index) => index + 1).join(', ')}` : ''
