import type { Sql } from '../database/sql.ts'
import type { Caller } from '../context.ts'
import { lockOf } from '../database/locks.ts'
import { columnOf, type RecordShape } from '../record/definition.ts'
import { TenantPredicate } from '../record/predicate.ts'
import { lexemesOf, tagOf, textMax } from './lexemes.ts'
import { searchedColumns } from './searched-types.ts'
import { spelledWords, storedHashes } from './spelling.ts'
import { titleForm, wordsOf } from './words.ts'

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

function rowsSql(shape: RecordShape): string {
  const texts = searchedColumns(shape).map((name) => searchedSql(shape, name, 't'))
  const users = shape.visibleBy.map((name) => `${columnOf(shape, name).sql('t')}::text`)
  return `t.id, array[${texts.join(', ')}]::text[] as texts, array[${users.join(', ')}]::text[] as users`
}

/** Writes the entries of these records as they are now, and deletes those of records that do not exist any more. */
export async function writeEntries(
  sql: Sql,
  caller: Caller,
  shape: RecordShape,
  ids: readonly string[],
): Promise<void> {
  const predicate = new TenantPredicate(caller)
  const list = predicate.values.add(ids)
  const rows = await sql.query<EntryRow>(
    `select ${rowsSql(shape)} from ${shape.table} t where ${predicate.tenant(shape, 't')} and t.id = any(${list}::uuid[])`,
    predicate.values.list,
  )
  const found = new Set(rows.map(({ id }) => id))
  const gone = ids.filter((id) => !found.has(id))
  if (gone.length > 0)
    await sql.query(
      'delete from kernel.search_entry where organization_id = $1 and record_id = any($2::uuid[]) and object = $3',
      [caller.organizationId, gone, shape.object],
    )
  await storeEntries(sql, caller.organizationId, shape, rows)
}

/** Writes the entries of the next records by id; null if there are no more, otherwise the last of them. */
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
  const rows = await sql.query<EntryRow>(
    `select ${rowsSql(shape)} from ${shape.table} t where ${predicate.tenant(shape, 't')}${next} order by t.id limit ${values.add(count)}`,
    values.list,
  )
  await storeEntries(sql, caller.organizationId, shape, rows)
  return rows.length < count ? null : rows.at(-1)!.id
}

async function storeEntries(
  sql: Sql,
  organizationId: string,
  { object, visibleBy, privateUnless }: RecordShape,
  rows: readonly EntryRow[],
): Promise<void> {
  if (rows.length === 0) return
  const tag = tagOf(organizationId)
  const spelled = new Set<string>()
  const entries = rows.map(({ id, texts: [title = null, ...others], users }) => {
    const words = title === null ? [] : wordsOf(title)
    // Nobody is led to a word of private records.
    if (!privateUnless) for (const word of spelledWords(words)) spelled.add(word)
    const seenBy = visibleBy.length > 0 ? users.filter((user) => user !== null) : null
    return { id, title: titleForm(words), words: lexemesOf(tag, { title, others, users: seenBy }) }
  })
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
    [organizationId, words, words.map((word) => storedHashes(tag, word).join(' '))],
    'WRITE',
  )
}
