import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { PreparedQuery } from './prepared-query.ts'
import { RowClient } from './row-client.ts'

let fresh: FreshDatabase
let stock: pg.Client
let own: RowClient
beforeAll(async () => {
  fresh = await freshDatabase()
  stock = new pg.Client({ connectionString: fresh.url })
  own = new RowClient({ connectionString: fresh.url })
  await Promise.all([stock.connect(), own.connect()])
})
afterAll(async () => {
  await Promise.all([stock.end(), own.end()])
  await fresh.drop()
})

const parserOf = pg.types.getTypeParser as (oid: number) => (text: string) => unknown

const ownRows = (name: string, text: string, values: readonly unknown[] = []): Promise<object[]> =>
  new Promise((resolve, reject) => {
    const done = (error: unknown, rows: object[]): void => (error ? reject(error as Error) : resolve(rows))
    own.query(new PreparedQuery(name, text, values, parserOf, done, []))
  })

const stockRows = async (text: string, values: unknown[] = []): Promise<object[]> =>
  (await stock.query<object>(text, values)).rows

const codeOf = (rows: Promise<object[]>): Promise<unknown> => rows.catch((error: { code?: unknown }) => error.code)

const texts = [
  `select $1::text as text, null::text as nothing, '' as empty, 7 as integer, 1.50::numeric as amount, true as flag`,
  `select g as number, repeat('ü', g) as text, case when g % 3 = 0 then 'plain' end as some from generate_series(1, 300) g where $1::text is not null`,
  `select array['a', 'b "c"', null]::text[] as list, '{"a": [1, "ü"]}'::jsonb as json, '2026-11-21 10:30:00+01'::timestamptz as moment, $1 as given`,
  `select repeat('x', 200000) as long, repeat('東', 70000) as wide, $1::text as given from generate_series(1, 3)`,
  `select 1 as one where $1 = 'none'`,
]

describe('statements of PreparedQuery on a RowClient', () => {
  it.each(texts)('answer what pg answers: %s', async (text) => {
    const expected = await stockRows(text, ['Zürich "1"'])
    // The first execution asks for the columns, the later ones do not.
    for (let run = 0; run < 3; run++) expect(await ownRows(`s${text.length}`, text, ['Zürich "1"'])).toEqual(expected)
    expect(await ownRows('', text, ['Zürich "1"'])).toEqual(expected)
  })

  it('are refused as by pg, and the connection remains usable', async () => {
    const refused = ['selekt', 'select 1 / 0 as no', 'select missing from nothing', `select 'x'::int as no`]
    for (const text of refused) expect(await codeOf(ownRows('no', text))).toBe(await codeOf(stockRows(text)))
    expect(await ownRows('', 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('run in the order in which they were sent', async () => {
    const sent = Array.from({ length: 50 }, (_, number) => ownRows('order', 'select $1::int as number', [number]))
    expect(await Promise.all(sent)).toEqual(Array.from({ length: 50 }, (_, number) => [{ number }]))
  })
})

it('queries of pg answer on a RowClient what they answer on its own client', async () => {
  for (const text of texts)
    expect((await own.query(text, ['Zürich "1"'])).rows).toEqual(await stockRows(text, ['Zürich "1"']))
})
