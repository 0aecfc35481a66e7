import type { Sql } from '../../../subgraphs/kernel/database/sql.ts'

/** Organizations that get rows in turn: row 1 belongs to the first one, row 2 to the second one, and so on. */
export interface Filled {
  readonly organizations: readonly string[]
  /** The same number of users for each organization, in the order of the organizations. */
  readonly users: readonly string[]
  /** The user of the first organization who reads the lists; in the others a member stands for him. */
  readonly reader: string | null
  /** Number of rows of each table, for all organizations together. */
  readonly rows: number
  /** Time of the last row. */
  readonly latest: string
}

const years = 5
const uuids = (ids: readonly string[]): string => `'{${ids.join(',')}}'::uuid[]`

/**
 * Creates the functions of `columns.ts` in the schema of temporary objects. Values depend on `i` only, so that a reference is
 * computed without a look at the table, and each run has the same data.
 */
export async function createFunctions(sql: Sql, { organizations, users, reader, rows, latest }: Filled): Promise<void> {
  const count = organizations.length
  const perOrganization = users.length / count
  const rowsOfEach = Math.floor(rows / count)
  const place = `(i - 1) % ${count}`
  const secondsPerRow = (years * 365 * 86_400) / rows
  for (const [signature, returns, body] of [
    // A pseudo-random number from 0 up to 1, another one for each salt.
    ['part(i int, salt int)', 'float8', '(hashint8extended(i, salt) & 2147483647) / 2147483648.0::float8'],
    [
      'pick(items text[], i int, salt int, skew float8)',
      'text',
      'items[1 + floor(cardinality(items) * power(pg_temp.part(i, salt), skew))::int]',
    ],
    ['latest()', 'timestamptz', `timestamptz '${latest}'`],
    [
      'created(i int)',
      'timestamptz',
      `date_trunc('milliseconds', pg_temp.latest() - make_interval(secs => (${rows} - i) * ${secondsPerRow}::float8))`,
    ],
    ['organization(i int)', 'uuid', `(${uuids(organizations)})[1 + ${place}]`],
    ['number(i int)', 'int', `1 + (i - 1) / ${count}`],
    [
      'member(i int, salt int)',
      'uuid',
      `(${uuids(users)})[1 + ${place} * ${perOrganization} + floor(${perOrganization} * power(pg_temp.part(i, salt), 2))::int]`,
    ],
    ['reader(i int)', 'uuid', reader ? `'${reader}'::uuid` : 'pg_temp.member(i, 0)'],
    // A UUIDv7 whose random bits are a hash of kind, organization and row.
    [
      'id_of(kind text, i int)',
      'uuid',
      `(lpad(to_hex((extract(epoch from pg_temp.created(i)) * 1000)::bigint), 12, '0') || '7' ||
        substr(md5(kind || ${count} || ':' || i), 1, 3) || '8' || substr(md5(kind || ${count} || ':' || i), 4, 15))::uuid`,
    ],
    // An id that does not depend on the number of rows of a table.
    ['id_from(text text)', 'uuid', `overlay(overlay(md5(text) placing '7' from 13) placing '8' from 17)::uuid`],
    // A row of the same organization; rows with a low number are named most.
    [
      'related(kind text, i int, salt int)',
      'uuid',
      `pg_temp.id_of(kind, 1 + ${place} + ${count} * floor(${rowsOfEach} * power(pg_temp.part(i, salt), 2))::int)`,
    ],
    // A row of the same organization with a lower number, so that parents form trees; null for the first row.
    [
      'earlier(kind text, i int, salt int)',
      'uuid',
      `case when i > ${count} then
         pg_temp.id_of(kind, 1 + ${place} + ${count} * floor((i - 1) / ${count} * power(pg_temp.part(i, salt), 3))::int) end`,
    ],
  ] as const) {
    await sql.query(
      `create or replace function pg_temp.${signature} returns ${returns} language sql stable as $$ select ${body} $$`,
    )
  }
}
