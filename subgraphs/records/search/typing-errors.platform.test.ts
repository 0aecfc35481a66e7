import { beforeAll, describe, expect, it } from 'vitest'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { nameEnds, nameStarts } from '../../../test/bench/growth/words.ts'
import { isSpelled } from '../../kernel/search/spelling.ts'
import { wordsOf } from '../../kernel/search/words.ts'
import { searchBuild } from './search.jobs.ts'

const platform = usePlatform()
const titles = 4_000
const queries = 300
/** Requests at the same time. */
const parallel = 3
const recallMin = 0.9

/** Numbers from 0 to below 1, the same in each run (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = seeded(20_261_201)
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
const listOf = (text: string): string[] => text.trim().split(/\s+/)
const latin = Array.from('abcdefghijklmnopqrstuvwxyz')

interface Language {
  readonly letters: readonly string[]
  /** A name of two parts, of which most are different. */
  readonly name: () => string
  readonly company: (name: string) => string
  readonly person: (name: string) => string
}

const germanStarts =
  listOf(`Alten Birken Eichen Falken Grün Hohen Kirch Löwen Münch Nieder Ober Rosen Schön Stein Tannen
  Weiß Wald Brück Kühn Äcker`)
const germanEnds = listOf(
  'berg burg dorf feld hagen hof bach mann meier müller stein thal wald reich hauser brück lein',
)
const japaneseStarts = listOf(`Aka Ao Fuji Furu Hara Hoshi Ishi Iwa Kawa Kita Kuro Matsu Mina Miya Mori Naka Nishi Oka
  Ō Shima Taka Tani Ue Yama Yoshi`)
const japaneseEnds = listOf('da hara hashi kawa moto mura no oka saki shima shita ta yama zaki guchi naga')
const arabicRoots = listOf(
  'كتب حسن نصر صبر خلد سلم عمر رشد نجر حدد طلب فرس قسم جمل شكر زهر هشم بدر سعد فهد ملك نور جبر حمد',
)
const arabicForms: readonly ((a: string, b: string, c: string) => string)[] = [
  (a, b, c) => `${a}ا${b}${c}`,
  (a, b, c) => `م${a}${b}و${c}`,
  (a, b, c) => `${a}${b}ا${c}ي`,
  (a, b, c) => `ال${a}${b}ي${c}ي`,
  (a, b, c) => `${a}${b}${c}اوي`,
]

const languages: readonly Language[] = [
  {
    letters: latin,
    name: () => pick(nameStarts) + pick(nameEnds),
    company: (name) => `${name} ${pick(['Logistics', 'Foods', 'Optics'])} Ltd`,
    person: (name) => `${pick(['Ida', 'Mary', 'John', 'Owen'])} ${name}`,
  },
  {
    letters: latin,
    name: () => pick(germanStarts) + pick(germanEnds),
    company: (name) => `${name} ${pick(['Maschinenbau', 'Bäckerei', 'Spedition'])} GmbH`,
    person: (name) => `${pick(['Jürgen', 'Anna', 'Käthe', 'Uwe'])} ${name}`,
  },
  {
    letters: latin,
    name: () => pick(japaneseStarts) + pick(japaneseEnds),
    company: (name) => `${name} 株式会社`,
    person: (name) => `${name} ${pick(['太郎', '花子', 'Kenji', 'ユキ'])}`,
  },
  {
    letters: Array.from('ابتجحخدذرزسشصضطظعغفقكلمنهوي'),
    name: () => pick(arabicForms)(...(Array.from(pick(arabicRoots)) as [string, string, string])),
    company: (name) => `شركة ${name}`,
    person: (name) => `${pick(['أحمد', 'فاطمة', 'يوسف'])} ${name}`,
  },
]

interface Titled {
  readonly language: Language
  readonly name: string
  readonly title: string
}

/** One letter is missing, or is one too many, or is another one, or two neighbours are exchanged. */
function edited(word: string, letters: readonly string[]): string {
  const all = Array.from(word)
  const at = Math.floor(random() * all.length)
  const next = Math.min(at, all.length - 2)
  pick([
    () => all.splice(at, 1),
    () => all.splice(at, 0, pick(letters)),
    () => (all[at] = pick(letters)),
    () => all.splice(next, 2, all[next + 1]!, all[next]!),
  ])()
  return all.join('')
}

const formOf = (text: string): string => wordsOf(text)[0]?.forms[0] ?? ''

function misspelt({ name, language: { letters } }: Titled): string {
  const once = edited(name.toLowerCase(), letters)
  return formOf(name).length < 8 ? once : edited(once, letters)
}

describe('a misspelt name', () => {
  let member: Member
  const records: Titled[] = Array.from({ length: titles }, (_, index) => {
    const language = languages[index % languages.length]!
    const name = language.name()
    return { language, name, title: (index % 8 < 4 ? language.company : language.person)(name) }
  })

  beforeAll(async () => {
    member = await platform.member()
    const named = records.map(({ title }) => title)
    const of = (isCompany: boolean) => named.filter((_, index) => index % 8 < 4 === isCompany)
    const values = [member.organizationId, member.userId]
    await platform.query(
      `insert into crm.account (organization_id, id, owner_id, name, account_status, custom_fields, version, created_at, updated_at)
       select $1, uuidv7(), $2, name, 'ACTIVE', '{}', 1, now(), now() from unnest($3::text[]) name`,
      [...values, of(true)],
    )
    await platform.query(
      `insert into crm.contact (organization_id, id, owner_id, created_at, updated_at, version, custom_fields, first_name, last_name, name,
         email_status, lifecycle_stage, status)
       select $1, uuidv7(), $2, now(), now(), 1, '{}', split_part(name, ' ', 1), split_part(name, ' ', 2), name, 'UNKNOWN', 'LEAD', 'ACTIVE'
       from unnest($3::text[]) name`,
      [...values, of(false)],
    )
    await searchBuild.run(platform.services)
    await platform.query('analyze kernel.search_entry, kernel.search_word, crm.account, crm.contact')
  })

  it('finds the record in nine of ten cases: one edit, two from eight letters on', async () => {
    const known = new Set(records.flatMap(({ title }) => wordsOf(title).flatMap(({ forms }) => forms)))
    const isNew = (typed: string): boolean =>
      wordsOf(typed).every(({ forms }) => forms.every((form) => !known.has(form)))
    const tried: { readonly sought: Titled; readonly typed: string }[] = []
    while (tried.length < queries) {
      const sought = pick(records)
      const typed = misspelt(sought)
      if (isSpelled(formOf(sought.name)) && formOf(typed) !== '' && isNew(typed)) tried.push({ sought, typed })
    }
    const missed: string[] = []
    for (let from = 0; from < queries; from += parallel)
      await Promise.all(
        tried.slice(from, from + parallel).map(async ({ sought, typed }) => {
          // Behind white space, a word is complete: no longer word begins with it.
          const { status, body } = await member.rest.search!({ query: { q: `${typed} `, limit: 50 } })
          expect(status, JSON.stringify(body)).toBe(200)
          const found = (body as { results: readonly { title: string }[] }).results
          if (!found.some(({ title }) => title === sought.title)) missed.push(`${typed} for ${sought.name}`)
        }),
      )
    expect(1 - missed.length / queries, missed.join('\n')).toBeGreaterThanOrEqual(recallMin)
  })
})
