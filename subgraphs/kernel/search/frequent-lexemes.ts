import type { Services } from '../request.ts'

/** A hundredth of the entries of an organization are so many that some are among the newest ones. Of fewer than these, the index finds all at once. */
const frequentMin = 2_000
/** More entries than these are too many for the index to be the cheapest way, whatever the organization has. */
const frequentMax = 5_000
/** Entries that are looked at, of all organizations. */
const sampleMax = 60_000
/** Longer beginnings are seldom more frequent than their words. */
const prefixMax = 8
/** The tag and the kind of a lexeme. */
const head = 6

/**
 * Finds the lexemes, and the beginnings of lexemes, that many entries of an organization have, in a sample of the pages of all entries. An
 * entry counts for a beginning as often as it has words with it, which is a seventh of the time that counting each
 * entry once takes.
 * A query looks for them in the newest records first.
 */
export async function findFrequentLexemes({ database }: Pick<Services, 'database'>): Promise<void> {
  const [size] = await database.query<{ entries: number }>(
    `select greatest(reltuples, 0)::float8 as entries from pg_class where oid = 'kernel.search_entry'::regclass`,
  )
  const percent = Math.min(100, Math.max(0.01, (100 * sampleMax) / Math.max(1, size!.entries)))
  await database.transaction(async (sql) => {
    await sql.query('delete from kernel.search_frequent', [], 'WRITE')
    await sql.query(
      `with size as materialized (
         select organization_id, count(*) as entries from kernel.search_entry tablesample system (${percent}) group by organization_id
       ), word as materialized (
         select s.organization_id, w.lexeme, count(*) as entries from (
           select organization_id, words from kernel.search_entry tablesample system (${percent})
         ) s cross join lateral unnest(tsvector_to_array(s.words)) as w(lexeme) group by s.organization_id, w.lexeme
       )
       insert into kernel.search_frequent (organization_id, lexeme)
       select organization_id, lexeme from (
         select organization_id, lexeme, entries from word union all
         select organization_id, left(lexeme, ${head} + n) || '*', entries from word
         cross join generate_series(1, ${prefixMax}) n where length(lexeme) >= ${head} + n
       ) one group by organization_id, lexeme
       having sum(entries) * 100 / ${percent} > (
         select least(${frequentMax}, greatest(${frequentMin}, entries / ${percent})) from size where size.organization_id = one.organization_id
       )`,
      [],
      'WRITE',
    )
  })
}
