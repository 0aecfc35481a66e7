import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { connectionGuard, unguarded, type ConnectionGuard } from './connection-guard.ts'
import { Database } from './database.ts'
import { checkReachable } from './reachable.ts'
import type { Sql } from './sql.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

function aDatabase(guard?: ConnectionGuard): Database {
  const database = new Database({ url: fresh.url, connectionsMax: 1, ...(guard && { guard }) })
  onTestFinished(() => database.close())
  return database
}

const everyKind = `select $1::text as text, 'a'::varchar as "letters", $2::uuid as id, 7::int as integer, 12.50::numeric as money,
  9007199254740991::int8 as big, true as flag, '{}'::text[] as nothing, array['a', 'b c'] as texts, '{"a":[1]}'::jsonb as json,
  '2026-11-21 10:30:00.12+01'::timestamptz(3) as moment, null::timestamptz as never`

const id = '01a1fbe7-7982-7466-8c47-497bfc4d42a9'
const everyKindAnswered = {
  text: 'Zürich "1"',
  letters: 'a',
  id,
  integer: 7,
  money: 12.5,
  big: 9007199254740991,
  flag: true,
  nothing: [],
  texts: ['a', 'b c'],
  json: { a: [1] },
  moment: '2026-11-21T09:30:00.120Z',
  never: null,
}

describe('a statement', () => {
  const prepared = async (database: Database): Promise<string[]> => {
    const rows = await database.query<{ statement: string }>('select statement from pg_prepared_statements')
    return rows.map(({ statement }) => statement)
  }

  it('is prepared when its text is repeated', async () => {
    const database = aDatabase()
    const text = `select ${Date.now()} as "comesAgain"`
    const [first] = await database.query(text)
    expect(await prepared(database)).not.toContain(text)
    expect(await database.query(text)).toEqual([first])
    expect(await database.query(text)).toEqual([first])
    expect(await prepared(database)).toContain(text)
  })

  it('that has not run recently is deallocated, and can run again', async () => {
    const database = aDatabase()
    const long = 'x'.repeat(10_000)
    const numbered = (number: number): string => `select ${number} as number, $1::text as text /* ${long} */`
    for (let number = 0; number < 100; number++) {
      for (const time of [1, 2]) {
        expect(await database.query(numbered(number), [`${time}`])).toEqual([{ number, text: `${time}` }])
      }
    }
    // 530 kB each, of 24 MB.
    const kept = (await prepared(database)).filter((text) => text.includes(long))
    expect(kept.length).toBeLessThanOrEqual(45)
    expect(kept).toContain(numbered(99))
    expect(kept).not.toContain(numbered(0))
    expect(await database.query(numbered(0), ['again'])).toEqual([{ number: 0, text: 'again' }])
  })

  it('that keeps running stays prepared while many others run', async () => {
    const database = aDatabase()
    const steady = `select ${Date.now()} as steady`
    for (const _time of [1, 2]) await database.query(steady)
    const [since] = await database.query('select prepare_time from pg_prepared_statements where statement = $1', [
      steady,
    ])
    for (let number = 0; number < 100; number++) {
      for (const _time of [1, 2]) await database.query(`select ${number} /* ${'y'.repeat(10_000)} */`)
      await database.query(steady)
    }
    expect(
      await database.query('select prepare_time from pg_prepared_statements where statement = $1', [steady]),
    ).toEqual([since])
    expect(since).toBeDefined()
  })

  it('that failed to be prepared is prepared by the next execution', async () => {
    const database = aDatabase()
    const text = 'select count(*)::int as count from not_there_yet'
    for (const _time of [1, 2]) await expect(database.query(text)).rejects.toThrow('not_there_yet')
    await database.query('create temporary table not_there_yet ()')
    for (const _time of [1, 2]) expect(await database.query(text)).toEqual([{ count: 0 }])
  })

  it('that failed as the first one of a transaction is prepared by the next execution', async () => {
    const database = aDatabase()
    const text = 'select count(*)::int as count from missing_so_far'
    const execute = () => database.transaction((sql) => sql.query(text))
    for (const _time of [1, 2, 3]) await expect(execute()).rejects.toThrow('"missing_so_far" does not exist')
    await database.query('create temporary table missing_so_far ()')
    for (const _time of [1, 2]) expect(await execute()).toEqual([{ count: 0 }])
    // A prepared statement whose execution fails is executed again.
    const divided = 'select 1 / $1::int as one'
    for (const _time of [1, 2, 3])
      await expect(database.transaction((sql) => sql.query(divided, [0]))).rejects.toThrow('division by zero')
    expect(await database.transaction((sql) => sql.query(divided, [1]))).toEqual([{ one: 1 }])
  })
})

describe('query', () => {
  it('returns columns in their order and in the format of answers, at the first and every later execution', async () => {
    const database = aDatabase()
    for (const time of ['first', 'second']) {
      const [row] = await database.query(everyKind, ['Zürich "1"', id])
      expect(row, time).toEqual(everyKindAnswered)
      expect(Object.keys(row!), time).toEqual(Object.keys(everyKindAnswered))
    }
  })

  it('distinguishes statements with the same columns and different types', async () => {
    const database = aDatabase()
    expect(await database.query(`select '1'::text as value`)).toEqual([{ value: '1' }])
    expect(await database.query(`select '1'::int as value`)).toEqual([{ value: 1 }])
  })

  it.each([
    { items: [] },
    { items: ['a'] },
    { items: ['a', 'b'] },
    { items: ['two words', 'one'] },
    { items: ['one', 'a,b', ''] },
    { items: ['{braces}', 'x'] },
    { items: ['a "quote"', 'back\\slash', ' '] },
    { items: ['NULL', 'null', 'x'] },
    { items: ['a', null, 'b'] },
    { items: ['\n', 'é', '😀'] },
  ])('returns the items $items unchanged', async ({ items }) => {
    expect(await aDatabase().query('select $1::text[] as items', [items])).toEqual([{ items }])
  })

  it('returns rows that arrive in several parts, on connections that read at the same time', async () => {
    const database = new Database({ url: fresh.url, connectionsMax: 4 })
    onTestFinished(() => database.close())
    // Shorter than a part, about half of one, longer than several; each text differs from those around it.
    const lengths = [1, 700, 65_536, 20_000, 3, 32_760, 32_770, 0, 65_500, 300_000, 12, 140_000, 1_500]
    const texts = lengths.flatMap((length, index) =>
      ['x', 'é', '😀'].map((character) => `${index}:${character.repeat(length)}`),
    )
    const read = (all: readonly string[]): Promise<unknown> =>
      database.query('select * from unnest($1::text[]) with ordinality as t(text, n)', [all])
    const orders = Array.from({ length: 12 }, (_, by) => [...texts.slice(by), ...texts.slice(0, by)])
    const answers = await Promise.all(orders.map(read))
    for (const [index, order] of orders.entries())
      expect(answers[index]).toEqual(order.map((text, place) => ({ text, n: place + 1 })))
  })

  it('returns no rows for a statement without rows', async () => {
    const database = aDatabase()
    for (let time = 0; time < 2; time++) expect(await database.query('set application_name = $$test$$')).toEqual([])
    expect(await database.query('select 1 as one where false')).toEqual([])
  })

  it('rejects with the error of PostgreSQL, and keeps the connection', async () => {
    const database = aDatabase()
    const connection = async () => (await database.query('select pg_backend_pid() as pid'))[0]
    const before = await connection()
    await expect(database.query('select 1 / $1::int as ratio', [0])).rejects.toMatchObject({ code: '22012' })
    await expect(database.query('select $1::uuid as id', ['no id'])).rejects.toMatchObject({ code: '22P02' })
    await expect(database.query('select nothing')).rejects.toMatchObject({ code: '42703' })
    expect(await database.query('select 1 / $1::int as ratio', [1])).toEqual([{ ratio: 1 }])
    expect(await database.query('select $1::uuid as id', [id])).toEqual([{ id }])
    expect(await connection()).toEqual(before)
  })

  it('rejects when its connection breaks, and opens another connection', async () => {
    const database = aDatabase()
    const broken = database.query('select pg_terminate_backend(pg_backend_pid())')
    await expect(broken).rejects.toMatchObject({ code: '57P01' })
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('transaction', () => {
  it('rejects when its connection breaks, and the process continues', async () => {
    const database = aDatabase()
    const broken = database.transaction((sql) => sql.query('select pg_terminate_backend(pg_backend_pid())'))
    await expect(broken).rejects.toMatchObject({ code: '57P01' })
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('keeps what its savepoints did, except those that failed', async () => {
    const database = aDatabase()
    const failing = new Error('failing')
    const kept = await database.transaction(async (sql) => {
      const insert = (inner: Sql, n: number) => inner.query('insert into number values ($1)', [n])
      await sql.transaction(() => sql.query('create temporary table number (n int) on commit drop'))
      await sql.transaction(async (a) => {
        await insert(a, 1)
        const broken = a.transaction(async (b) => {
          await insert(b, 2)
          await b.transaction((c) => insert(c, 3))
          await b.query('select 1 / 0')
        })
        await expect(broken).rejects.toMatchObject({ code: '22012' })
        await a.transaction(() => insert(a, 4))
      })
      await expect(sql.transaction(() => Promise.reject(failing))).rejects.toBe(failing)
      await sql.transaction((a) => a.transaction(() => Promise.resolve()))
      await expect(
        sql.transaction(async (a) => {
          await insert(a, 5)
          await a.transaction((b) => insert(b, 6))
          throw failing
        }),
      ).rejects.toBe(failing)
      await insert(sql, 7)
      return sql.query('select n from number order by n')
    })
    expect(kept).toEqual([{ n: 1 }, { n: 4 }, { n: 7 }])
  })

  it('leaves its connection without a transaction, whether it has no statement, a refused one or an error', async () => {
    const database = aDatabase()
    // In an open transaction, time stands still.
    const begun = async () => (await database.query('select now()::timestamptz(6)::text as begun'))[0]!['begun']
    const expectNoTransaction = async () => expect(await begun()).not.toBe(await begun())
    expect(await database.transaction(() => Promise.resolve(1))).toBe(1)
    await expectNoTransaction()
    await expect(database.transaction((sql) => sql.query('select 1 / 0'))).rejects.toMatchObject({ code: '22012' })
    await expectNoTransaction()
    const failing = new Error('failing')
    await expect(database.transaction(() => Promise.reject(failing))).rejects.toBe(failing)
    await expectNoTransaction()
  })
})

describe('a second connection inside a transaction', () => {
  const refusal = 'Code inside a transaction must use the connection of the transaction'

  it('is refused by every database that shares the guard, and the transaction continues', async () => {
    const guard = connectionGuard()
    const [database, other] = [aDatabase(guard), aDatabase(guard)]
    const unguardedDatabase = aDatabase()
    const answer = await database.transaction(async (sql) => {
      for (const { query, transaction } of [bound(database), bound(other)]) {
        await expect(query('select 1')).rejects.toThrow(refusal)
        await expect(transaction(() => Promise.resolve())).rejects.toThrow(refusal)
      }
      await expect(sql.transaction(() => database.query('select 1'))).rejects.toThrow(refusal)
      expect(await unguardedDatabase.query('select 2 as two')).toEqual([{ two: 2 }])
      return sql.query('select 1 as one')
    })
    expect(answer).toEqual([{ one: 1 }])
    expect(await other.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  it('is allowed for work that outlives its transaction, and for other work while the transaction is open', async () => {
    const guard = connectionGuard()
    const [database, other] = [aDatabase(guard), aDatabase(guard)]
    let leave!: () => void
    const left = new Promise<void>((resolve) => (leave = resolve))
    let later!: Promise<unknown>
    let entered!: () => void
    const inside = new Promise<void>((resolve) => (entered = resolve))
    const transaction = database.transaction(async (sql) => {
      later = left.then(() => other.query('select 3 as three'))
      entered()
      await sql.query('select 1')
    })
    await inside
    expect(await other.query('select 2 as two')).toEqual([{ two: 2 }])
    await transaction
    leave()
    expect(await later).toEqual([{ three: 3 }])
  })

  it('is allowed without a guard', async () => {
    const [database, other] = [aDatabase(unguarded), aDatabase(unguarded)]
    expect(await database.transaction(() => other.query('select 1 as one'))).toEqual([{ one: 1 }])
  })
})

const bound = (database: Database) => ({
  query: (text: string) => database.query(text),
  transaction: (work: () => Promise<unknown>) => database.transaction(work),
})

describe('a server', () => {
  it('is accepted from version 15, and an older one is refused in one line', async () => {
    const database = aDatabase()
    await checkReachable(database, fresh.url)
    const [{ server_version: version } = {}] = await database.query<Record<string, string>>('show server_version')
    await expect(checkReachable(database, 'postgres://crm:hush@db.example.com:5433/crm', 99)).rejects.toThrow(
      `DATABASE_URL: the database on db.example.com:5433 is PostgreSQL ${version}; PostgreSQL 99 or later is required.`,
    )
  })
})
