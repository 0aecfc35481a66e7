import * as words from './words.ts'

/** SQL for the values of row `i` of a table. The functions are those of `functions.ts`. */
export type Columns = Readonly<Record<string, string>>

const list = (values: readonly string[]): string => `array[${values.map((value) => `'${value}'`).join(', ')}]`
/** The first values are frequent, the last rare; with a skew of 1 all are equally frequent. */
export const pick = (values: readonly string[], salt: number, skew = 2): string =>
  `pg_temp.pick(${list(values)}, i, ${salt}, ${skew})`
export const part = (salt: number): string => `pg_temp.part(i, ${salt})`
/** The value in this share of the rows, and null in the others. */
export const some = (share: number, salt: number, value: string): string =>
  `case when ${part(salt)} < ${share} then ${value} end`
export const whole = (below: number, salt: number, skew = 1): string =>
  `floor(${below} * power(${part(salt)}, ${skew}))::int`
export const itemsOf = (values: readonly string[], salt: number): string =>
  `case ${whole(3, salt)} when 0 then '{}' when 1 then array[${pick(values, salt + 1)}]
   else array[${pick(values, salt + 1)}, ${pick(values, salt + 2, 1)}] end`
export const brand = (salt: number): string =>
  `${pick(words.nameStarts, salt, 1)} || ${pick(words.nameEnds, salt + 1, 1)}`
export const hoursAfter = (time: string, hours: number, salt: number): string =>
  `date_trunc('milliseconds', least(pg_temp.latest(), ${time} + make_interval(secs => ${hours * 3600} * power(${part(salt)}, 3))))`

export const created = 'pg_temp.created(i)'

export const common = (kind: string): Columns => ({
  id: `pg_temp.id_of('${kind}', i)`,
  organization_id: 'pg_temp.organization(i)',
  owner_id: 'pg_temp.member(i, 1)',
  external_id: some(0.4, 2, `'ext-' || substr(md5(i::text), 1, 16)`),
  tags: itemsOf(words.tags, 3),
  metadata: some(
    0.5,
    6,
    `jsonb_build_object('source', ${pick(['import', 'web', 'fair', 'fax'], 7)}, 'batch', i / 1000)`,
  ),
  custom_fields: `case ${whole(4, 8)} when 0 then '{}'
    when 1 then jsonb_build_object('segment', 'segment-' || ${whole(40, 9, 3)}, 'seats', ${whole(500, 10)})
    else jsonb_build_object('segment', 'segment-' || ${whole(40, 9, 3)}, 'route', 'R' || ${whole(20_000, 11)}) end`,
  version: `1 + ${whole(6, 12, 3)}`,
  created_at: created,
  updated_at: hoursAfter(created, 9000, 13),
  created_by_id: 'pg_temp.member(i, 1)',
  updated_by_id: 'pg_temp.member(i, 14)',
  deleted_at: some(0.01, 15, hoursAfter(created, 20_000, 16)),
})

export const address = (name: string, salt: number): Columns => ({
  [`${name}_street`]: some(0.8, salt, `${whole(240, salt + 1)} || ' ' || ${brand(salt + 2)} || ' Street'`),
  [`${name}_city`]: some(0.9, salt + 4, pick(words.cities, salt + 5)),
  [`${name}_state`]: some(0.4, salt + 6, pick(['HH', 'ZH', 'ARA', 'PIE', 'IL', 'ON', 'UT'], salt + 7)),
  [`${name}_postal_code`]: some(0.8, salt, `lpad(${whole(100_000, salt + 8)}::text, 5, '0')`),
  [`${name}_country`]: some(0.9, salt + 4, pick(words.countries, salt + 9)),
})

/** The id of a record of a table with few rows: the same for each row of the table and for references to it. */
export const fewId = (kind: string, number = 'pg_temp.number(i)'): string =>
  `pg_temp.id_from('${kind}' || pg_temp.organization(i) || ':' || ${number})`
/** A reference to one of the first `count` records of such a table; low numbers are named most. */
export const fewRelated = (kind: string, count: number, salt: number): string =>
  fewId(kind, `(1 + ${whole(count, salt, 2)})`)
