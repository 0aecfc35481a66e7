import type { Sql } from '../database/sql.ts'
import type { Services } from '../request.ts'
import { lockEntries } from './entries.ts'
import { kinds, tagOf } from './lexemes.ts'

/** Words of one transaction. Meanwhile the consumer of the organization waits. */
const batchSize = 200

/** SQL condition of an organization `o` that has words. */
export const hasWords = 'exists (select from kernel.search_word w where w.organization_id = o.id)'

/** Deletes the words that no title of an organization has any more, such as mistakes that were corrected. */
export async function deleteUnusedWords({ database }: Pick<Services, 'database'>, organizationId: string) {
  let after: string | null = ''
  while (after !== null) {
    const from: string = after
    after = await database.transaction((sql) => deleteNext(sql, organizationId, from), { mayBeLost: true })
  }
}

/** The last of the words that were compared; null if there are no more. Frequent words have entries without a search for them. */
async function deleteNext(sql: Sql, organizationId: string, after: string): Promise<string | null> {
  // No entry with one of the words is written meanwhile.
  await lockEntries(sql, organizationId)
  const title = `${tagOf(organizationId)}${kinds.title}`
  const rows = await sql.query<{ word: string; isUsed: boolean }>(
    `select w.word, f.lexeme is not null or exists (
         select from kernel.search_entry e
         where e.words @@ ('''' || $2 || w.word || '''')::tsquery and e.organization_id is not distinct from $1
       ) as "isUsed"
     from (
       select word from kernel.search_word where organization_id = $1 and word > $3 collate "C" order by word limit ${batchSize}
     ) w left join kernel.search_frequent f on f.organization_id = $1 and f.lexeme = $2 || w.word
     order by w.word`,
    [organizationId, title, after],
  )
  const unused = rows.filter(({ isUsed }) => !isUsed).map(({ word }) => word)
  if (unused.length > 0)
    await sql.query(
      'delete from kernel.search_word where organization_id = $1 and word = any($2)',
      [organizationId, unused],
      'WRITE',
    )
  return rows.length < batchSize ? null : rows.at(-1)!.word
}
