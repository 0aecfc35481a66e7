import { randomUUID } from 'node:crypto'
import { subgraphs } from '../../../subgraphs/all.ts'
import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'
import type { Column } from '../../../subgraphs/kernel/record/column.ts'
import type { RecordShape } from '../../../subgraphs/kernel/record/definition.ts'

const each = 8
const sampledRows = 200_000

/** All record types by the name of their GraphQL type. */
export const recordTypes: ReadonlyMap<string, RecordShape> = new Map(
  subgraphs.flatMap(({ resources }) =>
    resources.flatMap(({ entities = {}, announces = [] }) => [
      ...Object.entries(entities),
      ...announces.flatMap((shape) =>
        'entity' in shape ? [[(shape.entity as { name: string }).name, shape] as const] : [],
      ),
    ]),
  ),
)

/** Values that no row has, by the kind of the column. Enumerations and booleans have none. */
const absent: Readonly<Record<string, () => readonly unknown[]>> = {
  id: () => [randomUUID(), randomUUID()],
  text: () => ['Zzyqx absent'],
  textList: () => ['zzyqx-absent'],
  integer: () => [-7],
  number: () => [-7],
  money: () => [-7],
  timestamp: () => ['2199-01-01T00:00:00.000Z'],
  json: () => [{ zzyqx: 'absent' }],
}

/** Samples values of the columns of one organization. */
export class Samples {
  readonly #found = new Map<string, readonly unknown[]>()

  constructor(
    private readonly sql: Sql,
    private readonly organizationId: string,
  ) {}

  /** Frequent, medium, rare and absent values of a column, in this order. */
  async of(shape: RecordShape, column: Column): Promise<readonly unknown[]> {
    const key = `${shape.table}.${column.name}`
    let values = this.#found.get(key)
    if (!values) {
      const expression = column.sql('t')
      const [value, source] =
        column.kind === 'textList'
          ? ['item', `cross join lateral unnest(${expression}) as items(item)`]
          : column.kind === 'json'
            ? ['jsonb_build_object(item.key, item.value)', `cross join lateral jsonb_each(${expression}) as item`]
            : [expression, '']
      values = [...(await this.#byFrequency(shape, value!, source!)), ...(absent[column.kind]?.() ?? [])]
      this.#found.set(key, values)
    }
    return values
  }

  /** Texts for `search`: the first characters of frequent, medium and rare words, whole words, two words, and absent ones. */
  async searchTexts(shape: RecordShape | null): Promise<ReadonlyMap<string, readonly string[]>> {
    const texts = (shape?.searchable ?? []).map((name) => shape!.columns.byName.get(name)!.sql('t'))
    const words = texts.length > 0 ? await this.#words(shape!, texts) : []
    const distinct = (length: number): string[] => [...new Set(words.map((word) => word.slice(0, length)))]
    const phrase = `substring(${texts[0]} from '[[:alnum:]]+ [^ ]+')`
    return new Map([
      ['1 character', distinct(1)],
      ['2 characters', distinct(2)],
      ['3 characters', distinct(3)],
      ['frequent word', words.slice(0, each)],
      ['medium word', words.slice(each, -each)],
      ['rare word', words.slice(-each)],
      ['two words', texts.length > 0 ? ((await this.#byFrequency(shape!, phrase)) as string[]) : []],
      ['absent', ['zzyqx', 'qqxzz absent', 'zq%_x', 'xyzzyx', 'qzxqzx gmbh']],
    ])
  }

  /** Frequent, medium and rare words of texts. */
  async #words(shape: RecordShape, texts: readonly string[]): Promise<string[]> {
    const source = `cross join lateral regexp_split_to_table(concat_ws(' ', ${texts.join(', ')}), '[^[:alnum:]]+') as word`
    return (await this.#byFrequency(shape, 'lower(word)', source, 'length(word) > 3')) as string[]
  }

  /** The values of an SQL expression: the most frequent, the rarest, and some between them, each at a multiple of the rank before. */
  async #byFrequency(shape: RecordShape, value: string, source = '', condition = 'true'): Promise<unknown[]> {
    const step = (place: string) => `floor(${each + 1} * ln(${place}) / ln(greatest(count, 2)))`
    const table = await this.#sampled(shape.table)
    // Some record types are read from a view of the organization of the transaction.
    const rows = await this.sql.transaction(async (sql) => {
      await sql.query(`select set_config('app.organization_id', $1, true)`, [this.organizationId])
      return sql.query<{ value: unknown }>(
        `with sampled as (
         select ${value} as value from ${table} t ${source} where t.organization_id = $1 and ${condition}
       ), counted as (
         select value, count(*) as n from sampled where value is not null group by value
       ), ranked as (
         select value, row_number() over (order by n desc, md5(value::text)) as place, count(*) over () as count from counted
       )
       select value from ranked
       where place <= ${each} or place > count - ${each} or ${step('place')} <> ${step('greatest(place - 1, 1)')}
       order by place`,
        [this.organizationId],
      )
    })
    return rows.map((row) => row.value)
  }

  /** A large table is read in part. */
  async #sampled(table: string): Promise<string> {
    const [size] = await this.sql.query<{ rows: number }>(
      `select reltuples::float8 as rows from pg_class where oid = $1::text::regclass and relkind = 'r'`,
      [table],
    )
    const percent = (100 * sampledRows) / (size?.rows ?? 1)
    return percent < 100 ? `(select * from ${table} tablesample system (${percent}))` : table
  }
}

/** Operands of one filter operator, made of sampled values. */
export function operandsOf(operator: string, values: readonly unknown[]): unknown[] {
  const next = (index: number, count: number): unknown[] =>
    Array.from({ length: Math.min(count, values.length) }, (_, step) => values[(index + step) % values.length])
  const texts = values.filter((value) => typeof value === 'string')
  switch (operator) {
    case 'isNull':
    case 'isEmpty':
      return [true, false]
    case 'in':
    case 'notIn':
    case 'hasAny':
      return values.map((_, index) => next(index, 3))
    case 'hasAll':
      return values.map((_, index) => next(index, 2))
    case 'contains':
      return texts.map((text) => text.slice(text.length >> 1).slice(0, 5))
    case 'startsWith':
      return texts.map((text) => text.slice(0, 4))
    case 'endsWith':
      return texts.map((text) => text.slice(-4))
    default:
      return [...values]
  }
}
