import type { Sql } from '../../kernel/database/sql.ts'
import type { Passage } from './parse/passages.ts'

const batch = 500

interface Of {
  readonly organizationId: string
  readonly documentId: string
}

/** Stores the passages of a document, and counts them and their words for the ranking. */
export async function storePassages(
  db: Sql,
  { organizationId, documentId }: Of,
  passages: readonly Passage[],
): Promise<void> {
  for (let at = 0; at < passages.length; at += batch) {
    const some = passages.slice(at, at + batch)
    await db.query(
      `insert into assistant.document_passage (organization_id, document_id, position, text, heading, page, line, words, search)
       select $1, $2, p.position, p.text, p.heading, p.page, p.line, p.words, to_tsvector('english', coalesce(p.heading || ' ', '') || p.text)
       from unnest($3::int[], $4::text[], $5::text[], $6::int[], $7::int[], $8::int[]) as p (position, text, heading, page, line, words)`,
      [
        organizationId,
        documentId,
        some.map((_, index) => at + index + 1),
        some.map(({ text }) => text),
        some.map(({ heading }) => heading),
        some.map(({ page }) => page),
        some.map(({ line }) => line),
        some.map(({ words }) => words),
      ],
      'WRITE',
    )
  }
  await count(db, { organizationId, documentId }, '+')
}

/** Deletes the passages of a document, and what was counted of them. */
export async function deletePassages(db: Sql, { organizationId, documentId }: Of): Promise<void> {
  await count(db, { organizationId, documentId }, '-')
  await db.query(
    'delete from assistant.document_passage where organization_id = $1 and document_id = $2',
    [organizationId, documentId],
    'WRITE',
  )
}

/** Rows are written in the order of their words, so that two documents at the same time do not wait for each other in a circle. */
async function count(db: Sql, { organizationId, documentId }: Of, sign: '+' | '-'): Promise<void> {
  await db.query(
    `insert into assistant.document_corpus as c (organization_id, passages, words)
     select $1, ${sign}count(*), ${sign}coalesce(sum(words), 0) from assistant.document_passage where organization_id = $1 and document_id = $2
     on conflict (organization_id) do update set passages = c.passages + excluded.passages, words = c.words + excluded.words`,
    [organizationId, documentId],
    'WRITE',
  )
  await db.query(
    `insert into assistant.document_term as t (organization_id, lexeme, passages)
     select $1, u.lexeme, ${sign}count(*) from assistant.document_passage p cross join lateral unnest(p.search) u
     where p.organization_id = $1 and p.document_id = $2 group by u.lexeme order by u.lexeme
     on conflict (organization_id, lexeme) do update set passages = t.passages + excluded.passages`,
    [organizationId, documentId],
    'WRITE',
  )
  if (sign === '-')
    await db.query(
      'delete from assistant.document_term where organization_id = $1 and passages <= 0',
      [organizationId],
      'WRITE',
    )
}
