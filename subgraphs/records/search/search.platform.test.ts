import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { account, activity, contact, lead, product, supportCase } from '../../../test/builders.ts'
import { usePlatform, type Member } from '../../../test/platform.ts'
import { assignProfile, createProfile } from '../../identity/profile/profile.actions.ts'
import { newId } from '../../kernel/ids.ts'
import { consumeNext } from '../../kernel/outbox/consume-events.ts'
import { systemContext } from '../../kernel/request.ts'
import { searchConsumer } from '../../kernel/search/search-consumer.ts'
import { searchedShapes } from '../../kernel/search/searched-types.ts'
import { searchBuild, searchFrequent, searchWords } from './search.jobs.ts'

const platform = usePlatform()
let member: Member

async function consume(organizationId = member.organizationId): Promise<void> {
  await platform.query('select kernel.assign_event_positions(100000)')
  while (await consumeNext(platform.services, searchConsumer, organizationId));
}

interface Answer {
  readonly query: string
  readonly correctedQuery: string | null
  readonly results: readonly {
    readonly object: string
    readonly id: string
    readonly title: string | null
    readonly subtitle: string | null
    readonly score: number
    readonly highlights: readonly { field: string; text: string; ranges: { start: number; end: number }[] }[]
  }[]
  readonly skippedTypes: readonly string[]
  readonly hasMore: boolean
}

async function search(q: string, query: object = {}, who = member): Promise<Answer> {
  const { status, body } = await who.rest.search!({ query: { q, ...query } })
  expect(status, JSON.stringify(body)).toBe(200)
  return body as Answer
}
const ids = async (q: string, query: object = {}, who = member) =>
  (await search(q, query, who)).results.map(({ id }) => id)

const sorted = (list: readonly string[]): string[] => list.toSorted((a, b) => (a < b ? -1 : 1))

/** A word that no other record of the test has, nor one like it. */
let words = 0
const unique = (): string =>
  Array.from(createHash('sha256').update(String(++words)).digest('hex').slice(0, 12), (digit) =>
    String.fromCodePoint(97 + Number.parseInt(digit, 16)),
  ).join('')

beforeAll(async () => {
  member = await platform.member()
})

describe('search', () => {
  it('forgets records that were merged into others', async () => {
    const word = unique()
    const [stays, gone] = [
      await account(member, { name: `${word} Marine` }),
      await account(member, { name: `${word} AS` }),
    ]
    await consume()
    expect(sorted(await ids(word))).toEqual(sorted([stays.id, gone.id]))
    await member.rest.accountMerge!({ id: stays.id, body: { ids: [gone.id] } })
    expect(await ids(word)).toEqual([stays.id])
    await consume()
    expect(await ids(word)).toEqual([stays.id])
    expect(await platform.query('select from kernel.search_entry where record_id = $1', [gone.id])).toEqual([])
  })

  it('finds records of several types, those first whose title begins with the query', async () => {
    const word = unique()
    const inTitle = await account(member, { name: `Marine ${word}` })
    const begins = await account(member, { name: `${word} Marine`, billingCity: 'Bergen' })
    const longer = await account(member, { name: `Yard ${word}ings` })
    const person = await contact(member, { firstName: 'Ida', lastName: word, email: 'ida@yard.example' })
    const elsewhere = await supportCase(member, { subject: 'Labels', description: `From ${word}.` })
    await consume()
    const { results, hasMore, correctedQuery, query } = await search(word)
    expect(results.map(({ object, id, score }) => [object, id, score])).toEqual([
      ['account', begins.id, 1],
      ['contact', person.id, 0.75],
      ['account', inTitle.id, 0.75],
      ['account', longer.id, 0.5],
      ['case', elsewhere.id, 0.25],
    ])
    expect({ hasMore, correctedQuery, query }).toEqual({ hasMore: false, correctedQuery: null, query: word })
    expect(results[1]).toMatchObject({ title: `Ida ${word}`, subtitle: 'ida@yard.example' })
    expect(results[4]!.highlights).toEqual([
      { field: 'description', text: `From ${word}.`, ranges: [{ start: 5, end: 5 + word.length }] },
    ])
    expect(await ids(`${word} berg`)).toEqual([begins.id])
    expect(await ids(word, { types: 'case,contact' })).toEqual([person.id, elsewhere.id])
    expect(await search(word, { limit: 2 })).toMatchObject({ hasMore: true, results: [{}, {}] })
    expect(await search(word, { limit: 5 })).toMatchObject({ hasMore: false })
  })

  it('finds a record by its changed title, and no longer after its deletion, until it is restored', async () => {
    const [before, after] = [unique(), unique()]
    const { id } = await account(member, { name: before })
    await consume()
    expect(await ids(before)).toEqual([id])
    expect((await member.rest.accountUpdate!({ id, body: { name: after } })).status).toBe(200)
    // The entry is still the old one.
    expect(await ids(before)).toEqual([])
    await consume()
    expect([await ids(before), await ids(after)]).toEqual([[], [id]])
    await member.rest.accountDelete!({ id })
    expect(await ids(after)).toEqual([])
    await consume()
    expect(await platform.query('select 1 from kernel.search_entry where record_id = $1', [id])).toEqual([])
    await member.rest.accountRestore!({ id })
    await consume()
    expect(await ids(after)).toEqual([id])
  })

  it('writes no entry for a change of other fields', async () => {
    const { id } = await account(member, { name: unique() })
    await consume()
    const entry = () => platform.query('select xmin::text from kernel.search_entry where record_id = $1', [id])
    const before = await entry()
    await member.rest.accountUpdate!({ id, body: { employeeCount: 12 } })
    await consume()
    expect(await entry()).toEqual(before)
  })

  it.each([
    ['Jürgen Großmüller', ['grossmull', 'GROSSMUELLER', 'großmüller', 'Großmu\u0308ller']],
    ['株式会社東京都市開発', ['都市開', '東京', '株式会社 東京', '京']],
    ['ﾔﾏﾀﾞ商店', ['ヤマダ', 'ﾔﾏﾀﾞ', 'ヤマタ\u3099']],
    ['مؤسسة الأحمـد للتجارة', ['أحمد', 'الاحمد', 'مؤسسه', 'احمد للتجاره']],
    ['İstanbul Işık', ['istanbul', 'isik', 'İSTANBUL']],
  ])('finds %s in each form', async (name, queries) => {
    const { id } = await account(member, { name })
    const decomposed = await account(member, { name: name.normalize('NFD') })
    await consume()
    for (const query of queries)
      expect([query, sorted(await ids(query, { types: 'account' }))]).toEqual([query, sorted([id, decomposed.id])])
    await member.rest.accountDelete!({ id })
    await member.rest.accountDelete!({ id: decomposed.id })
  })

  it('finds people by their addresses and numbers', async () => {
    const word = unique()
    const { id } = await contact(member, {
      lastName: word,
      email: `${word}.who@yard-nine.example`,
      phone: '0170 987 65 43',
    })
    await consume()
    for (const query of [
      `${word}.who@yard-nine.example`,
      `${word}.who@yard`,
      '+49 170 9876543',
      '+49-170-987-6543',
      '0170 987',
    ])
      expect([query, await ids(query)]).toEqual([query, [id]])
    expect(await ids('+49 170 9876544')).toEqual([])
  })

  it('corrects a word that no title has, and says so', async () => {
    const { id } = await account(member, { name: 'Quixborough Holdings' })
    await consume()
    for (const typed of ['quixborugh', 'Qiuxborough hold', 'quixxboroughs'])
      expect(await search(typed)).toMatchObject({
        correctedQuery: typed.replace(/^\S+/, 'quixborough'),
        results: [{ id }],
      })
    expect(await search('quixboro')).toMatchObject({ correctedQuery: null, results: [{ id }] })
    expect(await search('blixtown')).toMatchObject({ correctedQuery: null, results: [] })
  })

  it('shows records only to those who see them', async () => {
    const word = unique()
    const { organizationId } = member
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const mate = await platform.member({ organizationId, visibility: 'TEAM' })
    await platform.team(organizationId, [own.userId, mate.userId])
    const theirs = await account(member, { name: word })
    const mine = await account(own, { name: `${word} mine` })
    const shared = await product(member, { name: `${word} product` })
    await consume()
    expect(sorted(await ids(word))).toEqual(sorted([theirs.id, mine.id, shared.id]))
    expect(sorted(await ids(word, {}, own))).toEqual(sorted([mine.id, shared.id]))
    expect(sorted(await ids(word, {}, mate))).toEqual(sorted([mine.id, shared.id]))
    // The entry has the owner of before.
    await member.rest.accountUpdate!({ id: mine.id, body: { ownerId: member.userId } })
    expect(await ids(word, {}, own)).toEqual([shared.id])
    const stranger = await platform.member({ organizationId: await platform.organization() })
    expect(await search(word, {}, stranger)).toMatchObject({ results: [], hasMore: false })
  })

  it('names no word to somebody who sees no record with it', async () => {
    const own = await platform.member({ organizationId: member.organizationId, visibility: 'OWN' })
    await account(member, { name: 'Secretharbour' })
    await consume()
    expect(await search('secrethabour', {}, own)).toMatchObject({ correctedQuery: null, results: [] })
    // A word like it in a record of their own is found whether the other record exists or not.
    const { id } = await account(own, { name: 'Secretharvour' })
    await consume()
    expect(await search('secretharbour', {}, own)).toMatchObject({
      correctedQuery: 'secretharvour',
      results: [{ id }],
    })
    expect((await search('secrethabour', { types: 'account' })).correctedQuery).toMatch(/^secrethar[bv]our$/)
  })

  it('corrects to words of visible records only, whatever words other records have', async () => {
    await account(member, { name: 'Marlowick' })
    const other = await account(member, { name: 'Marlowich' })
    await lead(member, { lastName: 'Marlowuck' })
    await consume()
    const key = await platform.member({ organizationId: member.organizationId, scopes: ['READ_ACCOUNTS'] })
    // The word of a lead.
    expect(await search('marlowuck', {}, key)).toMatchObject({
      correctedQuery: 'marlowick',
      results: [{ title: 'Marlowick' }],
    })
    // The results are those of the corrected query.
    expect(await search('marlowihc', {}, key)).toMatchObject({
      correctedQuery: 'marlowich',
      results: [{ id: other.id }],
    })
  })

  it('corrects to a word of a visible record behind any number of others', async () => {
    const { organizationId } = member
    const own = await platform.member({ organizationId, visibility: 'OWN' })
    const { id } = await account(own, { name: 'Zzorrowmeadz' })
    const letters = Array.from('abcdefghijkmnopqrstuvwxy')
    const others = Array.from({ length: 6 }, (_, at) =>
      letters.map((letter) => `zorrowmead`.replace(/./gu, (own, index) => (index === at ? letter : own))),
    )
    for (const name of others
      .flat()
      .filter((word) => word !== 'zorrowmead')
      .slice(0, 90))
      await account(member, { name })
    await consume()
    expect(await search('zorrowmead ', {}, own)).toMatchObject({ correctedQuery: 'zzorrowmeadz ', results: [{ id }] })
  })

  it('reads as many long texts as an operation may, and finds the best', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const names = Array.from({ length: 12 }, (_, number) => `notes${number}`)
    for (const name of names) {
      const field = { entity: 'ACCOUNT', name, label: name, fieldType: 'TEXT', isSearchable: true }
      expect((await owner.rest.customFieldCreate!({ body: field })).status).toBe(201)
    }
    const word = unique()
    const { id } = await account(owner, { name: word })
    for (let number = 0; number < 60; number++) await account(owner, { name: `Yard ${number} ${word}` })
    await consume(owner.organizationId)
    await platform.query(
      `update crm.account set custom_fields = (select jsonb_object_agg(n, repeat(chr(128512), 4000)) from unnest($2::text[]) n)
       where organization_id = $1 and id <> $3`,
      [owner.organizationId, names, id],
    )
    const found = await search(word, { limit: 50 }, owner)
    expect(found.results[0]).toMatchObject({ id, score: 1 })
    expect(found.results.length).toBeGreaterThan(1)
  })

  it('corrects a mistake that a title had, and forgets it', async () => {
    const { id } = await account(member, { name: 'Zephirline' })
    await consume()
    await member.rest.accountUpdate!({ id, body: { name: 'Zephyrline' } })
    await consume()
    expect(await search('zephirline')).toMatchObject({ correctedQuery: 'zephyrline', results: [{ id }] })
    const known = () =>
      platform.query<{ word: string }>(
        `select word from kernel.search_word where organization_id = $1 and word like 'zeph%' order by word`,
        [member.organizationId],
      )
    expect(await known()).toEqual([{ word: 'zephirline' }, { word: 'zephyrline' }])
    await searchWords.run(platform.services)
    expect(await known()).toEqual([{ word: 'zephyrline' }])
  })

  it('finds nothing by a hidden field, and shows none', async () => {
    const [word, hidden] = [unique(), unique()]
    const { id } = await contact(member, { lastName: word, email: `${hidden}@yard.example`, department: hidden })
    await consume()
    const ctx = systemContext(platform.services, member.organizationId)
    const reader = await platform.member({ organizationId: member.organizationId })
    const fields = { contact: { email: 'HIDDEN', department: 'HIDDEN' } } as const
    const profile = await createProfile(ctx, { name: `Profile ${newId()}`, fields })
    await assignProfile(ctx, reader.userId, profile.id)
    expect(await ids(hidden)).toEqual([id])
    expect(await ids(hidden, {}, reader)).toEqual([])
    const { results } = await search(word, {}, reader)
    expect(results).toMatchObject([{ id, title: word, subtitle: null, highlights: [{ field: 'name' }] }])
  })

  it('skips types without scope, and refuses one that is named with 403', async () => {
    const word = unique()
    const { id } = await account(member, { name: word })
    await lead(member, { lastName: word })
    await consume()
    const key = await platform.member({ organizationId: member.organizationId, scopes: ['READ_ACCOUNTS'] })
    const { results, skippedTypes } = await search(word, {}, key)
    expect(results.map((result) => result.id)).toEqual([id])
    expect(skippedTypes).toEqual(
      searchedShapes(null)
        .map(({ object }) => object)
        .filter((object) => object !== 'account'),
    )
    const refused = await key.rest.search!({ query: { q: word, types: 'account,lead' } })
    expect(refused).toMatchObject({ status: 403, body: { code: 'API_KEY_SCOPE_INSUFFICIENT' } })
    const nothing = await platform.member({ organizationId: member.organizationId, scopes: ['READ_WEBHOOKS'] })
    expect(await search(word, {}, nothing)).toMatchObject({ results: [], hasMore: false })
  })

  it.each([
    [{ q: ' ' }, 'q'],
    [{ q: '?!' }, 'q'],
    [{ q: 'x'.repeat(201) }, 'q'],
    [{ q: 'a b c d e f g h i j k' }, 'q'],
    [{ q: 'a', limit: 51 }, 'limit'],
    [{ q: 'a', types: 'account,webhook' }, 'types.1'],
    [{ q: 'a', types: 'nothing' }, 'types.0'],
  ])('refuses %j with 400 at %s', async (query, path) => {
    const { status, body } = await member.rest.search!({ query })
    expect([status, body.errors[0].path]).toEqual([400, path])
  })

  it('finds frequent words in the newest records', async () => {
    const reader = await platform.member({ organizationId: await platform.organization() })
    const old = await account(reader, { name: 'Frequent Rarest' })
    const { id } = await account(reader, { name: 'Frequent Newest' })
    const { organizationId } = reader
    await consume(organizationId)
    await platform.query(
      `insert into kernel.search_entry select organization_id, gen_random_uuid(), object, 'frequent', words
       from kernel.search_entry cross join generate_series(1, 6000) where record_id = $1`,
      [id],
    )
    await platform.query('analyze kernel.search_entry')
    await searchFrequent.run(platform.services)
    const frequent = await platform.query<{ lexeme: string }>(
      `select substr(lexeme, 6) as lexeme from kernel.search_frequent where organization_id = $1`,
      [organizationId],
    )
    expect(frequent.map(({ lexeme }) => lexeme)).toEqual(expect.arrayContaining(['=frequent', '.freq*', '=newest']))
    expect(frequent.map(({ lexeme }) => lexeme)).not.toContain('=rarest')
    expect(await ids('frequent rarest', {}, reader)).toEqual([old.id])
    await platform.query(`delete from kernel.search_entry where title = 'frequent'`)
    expect(await ids('frequent', {}, reader)).toEqual([id, old.id])
  })
})

it('an old record is found by a word of one or two letters', async () => {
  const reader = await platform.member({ organizationId: await platform.organization() })
  const { id } = await account(reader, { name: 'Hy Zz' })
  const newest = await account(reader, { name: 'Hydro' })
  await consume(reader.organizationId)
  await platform.query(
    `insert into kernel.search_entry select organization_id, gen_random_uuid(), object, 'many', array_to_tsvector(array[left((tsvector_to_array(words))[1], 5) || '=many'])
     from kernel.search_entry cross join generate_series(1, 6000) where record_id = $1`,
    [newest.id],
  )
  expect(await ids('hy', {}, reader)).toEqual([id])
  expect(await ids('h', {}, reader)).toEqual([])
  expect(await ids('zz hy', {}, reader)).toEqual([id])
  await platform.query(`delete from kernel.search_entry where title = 'many'`)
  expect(sorted(await ids('h', {}, reader))).toEqual(sorted([id, newest.id]))
})

describe('entries', () => {
  it('of letters that stand for white space stop nothing', async () => {
    const reader = await platform.member({ organizationId: await platform.organization() })
    const names = ['\ufe70', 'a\ufc5eb', '\u037a', 'Trust \ufdfa']
    const created: string[] = []
    for (const name of names) created.push((await account(reader, { name })).id)
    const word = unique()
    created.push((await account(reader, { name: word })).id)
    await consume(reader.organizationId)
    expect([await ids(word, {}, reader), await ids('trust الله', {}, reader)]).toEqual([[created[4]], [created[3]]])
    const written = () =>
      platform.query(
        'select title, words::text from kernel.search_entry where record_id = any($1) order by record_id',
        [created],
      )
    const before = await written()
    expect(before).toHaveLength(created.length)
    await platform.query('delete from kernel.search_entry where organization_id = $1', [reader.organizationId])
    await platform.query('delete from kernel.search_build where organization_id = $1', [reader.organizationId])
    await searchBuild.run(platform.services)
    expect(await written()).toEqual(before)
  })

  it('of large records are built in several transactions, and those of no record are deleted', async () => {
    const reader = await platform.member({ organizationId: await platform.organization() })
    const { organizationId } = reader
    const records = 60
    for (let index = 0; index < records; index++)
      await activity(reader, { subject: `Large ${index}`, body: '東京都市'.repeat(1000) })
    await consume(organizationId)
    await platform.query(
      `insert into kernel.search_entry select organization_id, gen_random_uuid(), 'activity', '', '' from kernel.search_entry
       where organization_id = $1`,
      [organizationId],
    )
    await platform.query(`update kernel.search_entry set words = '' where organization_id = $1`, [organizationId])
    await platform.query('delete from kernel.search_build where organization_id = $1', [organizationId])
    await searchBuild.run(platform.services)
    const [built] = await platform.query<{ entries: number; transactions: number }>(
      `select count(*)::int as entries, count(distinct xmin::text)::int as transactions from kernel.search_entry
       where organization_id = $1 and object = 'activity'`,
      [organizationId],
    )
    expect(built).toEqual({ entries: records, transactions: 2 })
  })

  it('have the words of a formula, of its latest expression and values', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const formula = (expression: string) => ({ formulaConfig: { expression, returnType: 'TEXT' } })
    const field = {
      entity: 'ACCOUNT',
      name: 'call_sign',
      label: 'Call sign',
      fieldType: 'FORMULA',
      isSearchable: true,
      ...formula('industry'),
    }
    const defined = await owner.rest.customFieldCreate!({ body: field })
    expect(defined.status, JSON.stringify(defined.body)).toBe(201)
    const [first, second] = [unique(), unique()]
    const { id } = await account(owner, { name: 'Boat', tier: first })
    await consume(owner.organizationId)
    await searchBuild.run(platform.services)
    expect(await ids(first, {}, owner)).toEqual([])
    const changed = await owner.rest.customFieldUpdate!({ id: defined.body.id, body: formula('tier') })
    expect(changed.status, JSON.stringify(changed.body)).toBe(200)
    await searchBuild.run(platform.services)
    expect(await ids(first, {}, owner)).toEqual([id])
    await owner.rest.accountUpdate!({ id, body: { tier: second } })
    await consume(owner.organizationId)
    expect([await ids(first, {}, owner), await ids(second, {}, owner)]).toEqual([[], [id]])
  })

  it('that were written while a field was not searchable are built again when it is', async () => {
    const word = unique()
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const field = { entity: 'ACCOUNT', name: 'hull', label: 'Hull', fieldType: 'TEXT', isSearchable: true }
    const { body } = await owner.rest.customFieldCreate!({ body: field })
    const setSearchable = (isSearchable: boolean) =>
      owner.rest.customFieldUpdate!({ id: body.id, body: { isSearchable } })
    await searchBuild.run(platform.services)
    await setSearchable(false)
    const { id } = await account(owner, { name: 'Boat', customFields: { hull: word } })
    await consume(owner.organizationId)
    await setSearchable(true)
    await searchBuild.run(platform.services)
    expect(await ids(word, {}, owner)).toEqual([id])
  })

  it('of records from before are built in batches, and by other fields again', async () => {
    const word = unique()
    const { organizationId } = member
    const { id } = await account(member, { name: word })
    const call = await activity(member, { subject: word })
    await platform.query('delete from kernel.search_entry')
    await platform.query('delete from kernel.search_build')
    // Up to here, a process was killed.
    await platform.query(
      `insert into kernel.search_build (organization_id, object, after_id) values ($1, 'account of-before', $2)`,
      [organizationId, id],
    )
    await searchBuild.run(platform.services)
    expect(sorted(await ids(word))).toEqual(sorted([id, call.id]))
    await platform.query('delete from kernel.search_entry where record_id = $1', [id])
    await searchBuild.run(platform.services)
    expect(await ids(word)).toEqual([call.id])
    await platform.query(
      `update kernel.search_build set digest = 'before', built = built || '{"account": "before"}' where organization_id = $1`,
      [organizationId],
    )
    await searchBuild.run(platform.services)
    expect(sorted(await ids(word))).toEqual(sorted([id, call.id]))
  })

  it('have the words of a custom field as soon as it is searchable', async () => {
    const [word] = [unique()]
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const field = {
      entity: 'ACCOUNT',
      name: 'hullNumber',
      label: 'Hull number',
      fieldType: 'TEXT',
      isSearchable: false,
    }
    const defined = await owner.rest.customFieldCreate!({ body: field })
    expect(defined.status, JSON.stringify(defined.body)).toBe(201)
    const { id } = await account(owner, { name: 'Boat', customFields: { hullNumber: `H ${word}` } })
    await consume(owner.organizationId)
    await searchBuild.run(platform.services)
    expect(await ids(word, {}, owner)).toEqual([])
    await owner.rest.customFieldUpdate!({ id: defined.body.id, body: { isSearchable: true } })
    await searchBuild.run(platform.services)
    expect((await search(word, {}, owner)).results).toMatchObject([
      { id, highlights: [{ field: 'customFields.hullNumber', text: `H ${word}` }] },
    ])
    const later = await account(owner, { name: 'Ship', customFields: { hullNumber: word } })
    await consume(owner.organizationId)
    expect(sorted(await ids(word, {}, owner))).toEqual(sorted([id, later.id]))
  })

  it('have the names of records of custom objects', async () => {
    const word = unique()
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const fields = [{ name: 'topic', label: 'Topic', fieldType: 'TEXT' }]
    const object = { name: 'site_visit', label: 'Site visit', pluralLabel: 'Site visits', nameField: 'topic', fields }
    const defined = await owner.rest.customObjectCreate!({ body: object })
    expect(defined.status, JSON.stringify(defined.body)).toBe(201)
    const record = await owner.rest.customRecordCreate!({
      name: 'site_visit',
      body: { customFields: { topic: `${word} leaks` } },
    })
    expect(record.status, JSON.stringify(record.body)).toBe(201)
    await consume(owner.organizationId)
    expect((await search(word, {}, owner)).results).toMatchObject([
      { object: 'custom:site_visit', id: record.body.id, title: `${word} leaks`, score: 1 },
    ])
    const key = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_ACCOUNTS'] })
    expect(await search(word, {}, key)).toMatchObject({
      results: [],
      skippedTypes: expect.not.arrayContaining(['custom:site_visit']),
    })
  })

  it('are not named without READ_CUSTOM_OBJECTS', async () => {
    const owner = await platform.member({ role: 'OWNER', organizationId: await platform.organization() })
    const fields = [{ name: 'topic', label: 'Topic', fieldType: 'TEXT' }]
    for (const name of ['secret_plan', 'other_plan'])
      await owner.rest.customObjectCreate!({
        body: { name, label: name, pluralLabel: name, nameField: 'topic', fields },
      })
    const key = await platform.member({ organizationId: owner.organizationId, scopes: ['READ_ACCOUNTS'] })
    const { skippedTypes } = await search('anything', {}, key)
    expect(skippedTypes.filter((name) => name.startsWith('custom:'))).toEqual(['custom:*'])
    const refused = async (who: Member, types: string) => {
      const { status, body } = await who.rest.search!({ query: { q: 'anything', types } })
      return [status, body.code, JSON.stringify(body).includes('secret_plan')]
    }
    expect(await refused(key, 'nothing')).toEqual([400, 'VALIDATION_FAILED', false])
    expect(await refused(owner, 'nothing')).toEqual([400, 'VALIDATION_FAILED', true])
    for (const type of ['custom:other_plan', 'custom:no_plan'])
      expect(await refused(key, type)).toEqual([403, 'API_KEY_SCOPE_INSUFFICIENT', false])
  })

  it('are written once when the consumer is killed before its commit', async () => {
    const word = unique()
    const { id } = await account(member, { name: word })
    await platform.query('select kernel.assign_event_positions(100000)')
    const killed = {
      ...searchConsumer,
      consume: async (...args: Parameters<typeof searchConsumer.consume>) => {
        await searchConsumer.consume(...args)
        await args[1].query('select pg_terminate_backend(pg_backend_pid())')
      },
    }
    await expect(consumeNext(platform.services, killed, member.organizationId)).rejects.toThrow()
    expect(await ids(word)).toEqual([])
    await consume()
    expect(await ids(word)).toEqual([id])
  })
})

it('every searched type has a title among its columns', () => {
  expect(searchedShapes(null).map(({ object }) => object)).toEqual(
    expect.arrayContaining(['account', 'contact', 'lead', 'opportunity', 'case', 'invoice', 'file', 'task']),
  )
})
