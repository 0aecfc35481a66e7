import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account } from '../../crm/account/account.record.ts'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { newId } from '../ids.ts'
import { columnOf } from './definition.ts'
import { insertRecords } from './insert-records.ts'
import { escapeLikePattern } from './operators.ts'
import { Values } from './predicate.ts'
import { searchCondition } from './search.ts'

const organizationId = newId()
const columns = account.searchable.map((name) => columnOf(account, name))
const names = [
  'Acme-Corp',
  'acme corp',
  'Acme  Corp.',
  'ACMECORP',
  'northwind 42',
  '42nd Street',
  'a42',
  'Ünal & Söhne',
  'unal',
  '株式会社 日本',
  'u682a',
  'İstanbul',
  '100% cotton',
  'snake_case',
  'back\\slash',
  'c++',
  '--',
  'é',
]
const texts = [
  'acme',
  'ACME-C',
  'acme c',
  'e c',
  'e-',
  '-c',
  'corp.',
  'mecor',
  'north',
  'thw',
  '42n',
  'd 4',
  '2 ',
  'Ün',
  'ünal',
  'söh',
  'ö',
  '株',
  '式会',
  '本',
  'u682a',
  'u68',
  'İst',
  'stan',
  '0%',
  '%',
  '_',
  'e_c',
  '\\',
  'k\\s',
  '++',
  '-',
  '--',
  'é',
]

let fresh: FreshDatabase

beforeAll(async () => {
  fresh = await freshDatabase()
  const given = names.flatMap((name) =>
    [{ name }, { name: 'other', industry: name }].map((values) => ({
      values: { ...values, id: newId(), organizationId, createdAt: '2026-11-22T00:00:00.000Z' },
      actorId: null,
      eventId: newId(),
    })),
  )
  await insertRecords(fresh.database, account, given)
})
afterAll(() => fresh.drop())

async function found(condition: string, values: Values): Promise<string[]> {
  const rows = await fresh.database.query<{ text: string }>(
    `select concat_ws(' | ', name, industry) as text from crm.account t where ${condition} order by 1`,
    values.list,
  )
  return rows.map(({ text }) => text)
}

function search(text: string, searched = columns): Promise<string[]> {
  const values = new Values()
  return found(searchCondition(account, searched, text, 't', values), values)
}

describe('search', () => {
  it.each(texts)('finds what `ilike` finds for %j', async (text) => {
    const values = new Values()
    const pattern = values.add(`%${escapeLikePattern(text)}%`)
    const expected = await found(columns.map((column) => `${column.sql('t')} ilike ${pattern}`).join(' or '), values)
    expect(await search(text)).toEqual(expected)
  })

  it.each(['Zoë Ångström', 'ダイバーズ', 'Nguyễn Việt', '김치 Łódź', 'أحمد'])(
    'finds composed and decomposed forms of %j by each other, through the index',
    async (name) => {
      const forms = [name.normalize('NFC'), name.normalize('NFD')]
      const rows = forms.map((form) => ({
        values: { name: `x ${form} y`, id: newId(), organizationId, createdAt: '2026-11-22T00:00:00.000Z' },
        actorId: null,
        eventId: newId(),
      }))
      await insertRecords(fresh.database, account, rows)
      for (const form of [...forms, forms[1]!.toLowerCase(), name.normalize('NFC').slice(-3)]) {
        expect([...new Set(await search(form))].toSorted((a, b) => a.length - b.length)).toEqual(
          forms.map((stored) => `x ${stored} y`).toSorted((a, b) => a.length - b.length),
        )
        const values = new Values()
        const condition = searchCondition(account, columns, form, 't', values)
        const plan = await fresh.database.transaction(async (sql) => {
          await sql.query('set local enable_seqscan = off')
          await sql.query('create temporary table copy (like crm.account including generated) on commit drop')
          await sql.query('create index copy_search on copy using gin (search_text gin_trgm_ops)')
          const explained = await sql.query(`explain select 1 from copy t where ${condition}`, values.list)
          return JSON.stringify(explained)
        })
        expect(plan).toMatch(/Index Scan on copy_search.*Index Cond: \(search_text ~/)
      }
    },
  )

  it('finds in hidden columns nothing', async () => {
    const [name] = columns
    expect(await search('northwind', [name!])).toEqual(['northwind 42'])
    expect(await search('northwind')).toEqual(['northwind 42', 'other | northwind 42'])
    expect(await search('northwind', [])).toEqual([])
  })

  it.each<[text: string, expected: string[]]>([
    ['4', ['42nd Street', 'northwind 42']],
    ['42', ['42nd Street', 'northwind 42']],
    ['CO', ['100% cotton', 'Acme  Corp.', 'Acme-Corp', 'acme corp']],
    ['un', ['unal']],
    ['zz', []],
  ])('finds words that begin with %j', async (text, expected) => {
    const [name] = columns
    expect((await search(text, [name!])).sort()).toEqual(expected.sort())
    expect((await search(text)).sort()).toEqual([...expected, ...expected.map((one) => `other | ${one}`)].sort())
  })
})
