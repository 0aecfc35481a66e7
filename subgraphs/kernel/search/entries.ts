import type { Sql } from '../database/sql.ts'
import type { Caller } from '../context.ts'
import { lockOf } from '../database/locks.ts'
import { columnOf, type RecordShape } from '../record/definition.ts'
import { TenantPredicate } from '../record/predicate.ts'
import { lexemesOf, tagOf, textMax } from './lexemes.ts'
import { searchedColumns } from './searched-types.ts'
import { spelledWords, spellingHashes } from './spelling.ts'
import { beginningOfTitle, wordsOf } from './words.ts'
import { giveWay } from '../work/background-turn.ts'

/**
 * Waits until no other transaction writes entries of the organization. Rows are read after it, so the entry that is written last is of the
 * latest row.
 */
export async function lockEntries(sql: Sql, organizationId: string): Promise<void> {
  await sql.query(`select pg_advisory_xact_lock(${lockOf('search')})`, [organizationId])
}

/** The first characters of a searched value, as text. */
export const searchedSql = (shape: RecordShape, name: string, alias: string): string =>
  `left(${columnOf(shape, name).sql(alias)}::text, ${textMax})`

interface EntryRow {
  readonly id: string
  readonly texts: readonly (string | null)[]
  readonly users: readonly (string | null)[]
}

/** Bytes of the values of a batch. The record with which a batch reaches it is the last one. */
const batchBytes = 524_288

/** The rows of the next records by id for which a condition holds: at most `limit`, and not many more bytes than those of a batch. */
function rowsSql(shape: RecordShape, where: string, limit: string): string {
  const texts = searchedColumns(shape).map((name) => searchedSql(shape, name, 't'))
  const users = shape.visibleBy.map((name) => `${columnOf(shape, name).sql('t')}::text`)
  return `select id, texts, users from (
      select r.*, sum(octet_length(r.texts::text)) over (order by r.id rows between unbounded preceding and 1 preceding) as before from (
        select t.id, array[${texts.join(', ')}]::text[] as texts, array[${users.join(', ')}]::text[] as users
        from ${shape.table} t where ${where} order by t.id limit ${limit}
      ) r
    ) b where coalesce(before, 0) < ${batchBytes} order by id`
}

/** Writes the entries of these records as they are now, and deletes those of records that do not exist any more. */
export async function writeEntries(
  sql: Sql,
  caller: Caller,
  shape: RecordShape,
  ids: readonly string[],
): Promise<void> {
  const gone = new Set(ids)
  let rest = ids
  while (rest.length > 0) {
    const predicate = new TenantPredicate(caller)
    const where = `${predicate.tenant(shape, 't')} and t.id = any(${predicate.values.add(rest)}::uuid[])`
    const rows = await sql.query<EntryRow>(rowsSql(shape, where, String(rest.length)), predicate.values.list)
    for (const { id } of rows) gone.delete(id)
    await storeEntries(sql, caller.organizationId, shape, rows)
    const last = rows.at(-1)?.id
    rest = last === undefined ? [] : rest.filter((id) => id > last)
  }
  if (gone.size > 0)
    await sql.query(
      'delete from kernel.search_entry where organization_id = $1 and record_id = any($2::uuid[]) and object = $3',
      [caller.organizationId, [...gone], shape.object],
      'WRITE',
    )
}

/** Writes the entries of the next records by id, and deletes those of no record among them. Null if there are no more, otherwise the last of them. */
export async function writeNextEntries(
  sql: Sql,
  caller: Caller,
  shape: RecordShape,
  after: string | null,
  count: number,
): Promise<string | null> {
  const predicate = new TenantPredicate(caller)
  const { values } = predicate
  const next = after === null ? '' : ` and t.id > ${values.add(after)}`
  const where = `${predicate.tenant(shape, 't')}${next}`
  const rows = await sql.query<EntryRow>(rowsSql(shape, where, values.add(count)), values.list)
  const last = rows.at(-1)?.id ?? null
  await sql.query(
    `delete from kernel.search_entry where organization_id = $1 and object = $2 and record_id > coalesce($3::uuid, '${firstId}')
       and ($4::uuid is null or record_id <= $4) and not record_id = any($5::uuid[])`,
    [caller.organizationId, shape.object, after, last, rows.map(({ id }) => id)],
    'WRITE',
  )
  await storeEntries(sql, caller.organizationId, shape, rows)
  return last
}

/** Before every id. */
const firstId = '00000000-0000-0000-0000-000000000000'

async function storeEntries(
  sql: Sql,
  organizationId: string,
  { object, visibleBy, privateUnless }: RecordShape,
  rows: readonly EntryRow[],
): Promise<void> {
  if (rows.length === 0) return
  const tag = tagOf(organizationId)
  const spelled = new Set<string>()
  const entries: { readonly id: string; readonly title: string; readonly words: readonly string[] }[] = []
  for (const { id, texts, users } of rows) {
    await giveWay(organizationId)
    const [title = null, ...others] = texts
    const words = title === null ? [] : wordsOf(title)
    // Nobody is led to a word of private records.
    if (!privateUnless) for (const word of spelledWords(words)) spelled.add(word)
    const seenBy = visibleBy.length > 0 ? users.filter((user) => user !== null) : null
    entries.push({ id, title: beginningOfTitle(words), words: lexemesOf(tag, { title, others, users: seenBy }) })
  }
  await sql.query(
    `insert into kernel.search_entry as e (organization_id, record_id, object, title, words)
     select $1, n.id, $2, n.title, coalesce(array_to_tsvector(string_to_array(nullif(n.words, ''), ' ')), '')
     from unnest($3::uuid[], $4::text[], $5::text[]) as n (id, title, words)
     on conflict (organization_id, record_id, object) do update set title = excluded.title, words = excluded.words
     where (e.title, e.words) is distinct from (excluded.title, excluded.words)`,
    [
      organizationId,
      object,
      entries.map(({ id }) => id),
      entries.map(({ title }) => title),
      entries.map(({ words }) => words.join(' ')),
    ],
    'WRITE',
  )
  const words = [...spelled]
  await sql.query(
    `insert into kernel.search_word (organization_id, word, deletions)
     select $1, n.word, string_to_array(n.deletions, ' ')::int[] from unnest($2::text[], $3::text[]) as n (word, deletions)
     where not exists (select from kernel.search_word w where w.organization_id = $1 and w.word = n.word)
     on conflict do nothing`,
    [organizationId, words, words.map((word) => spellingHashes(tag, word).join(' '))],
    'WRITE',
  )
}
