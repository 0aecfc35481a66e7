import { isId } from '../../kernel/ids.ts'
import { computedOver } from '../../kernel/record/predicate.ts'
import type { RequestContext } from '../../kernel/request.ts'
import type { KnowledgeDocumentPassage, KnowledgeDocumentSearchArgs } from './document.types.ts'
import { bestSentence } from './quote.ts'
import { visibleDocuments } from './visible-documents.ts'

const termsMax = 16
/** Passages that are ranked. */
const candidatesMax = 2_000
/** The usual constants of BM25: how soon repetition stops to count, and how much long passages lose. */
const saturation = 1.2
const lengthWeight = 0.75

interface Term extends Record<string, unknown> {
  readonly lexeme: string
  readonly passages: number
  readonly all: number
  readonly averageWords: number
}

/** The words of the query that occur in the organization's documents, the rarest first. */
const termsOf = ({ db, caller }: RequestContext, query: string): Promise<Term[]> =>
  db.query<Term>(
    `select t.lexeme, t.passages, greatest(c.passages, 1) as all, greatest(c.words::float8 / greatest(c.passages, 1), 1) as "averageWords"
     from (select tsvector_to_array(to_tsvector('english', $2)) as lexemes) q
     join assistant.document_term t on t.organization_id = $1 and t.lexeme = any(q.lexemes)
     join assistant.document_corpus c on c.organization_id = $1
     order by t.passages, t.lexeme limit ${termsMax}`,
    [caller.organizationId, query],
    'LIST',
  )

/** As many of the rarest words as there are passages to rank: every passage with one of them is a candidate. */
function candidateTerms(terms: readonly Term[]): Term[] {
  let sum = 0
  return terms.filter(({ passages }, index) => {
    sum += passages
    return index === 0 || sum <= candidatesMax
  })
}

const quoted = (lexeme: string): string => `'${lexeme.replaceAll(/['\\]/g, (sign) => sign + sign)}'`

/** The passages that fit a text best, of the documents that the caller sees, ranked by BM25. */
export async function searchDocuments(
  ctx: RequestContext,
  { query, recordId, limit }: KnowledgeDocumentSearchArgs,
): Promise<KnowledgeDocumentPassage[]> {
  if (recordId != null && !isId(recordId)) return []
  const terms = await termsOf(ctx, query)
  const [first] = terms
  if (!first) return []
  const predicate = computedOver(ctx)
  const { values } = predicate
  const organization = predicate.organization()
  const anyOf = values.add(
    candidateTerms(terms)
      .map(({ lexeme }) => quoted(lexeme))
      .join(' | '),
  )
  const lexemes = values.add(terms.map(({ lexeme }) => lexeme))
  const weights = values.add(terms.map(({ passages, all }) => Math.log(1 + (all - passages + 0.5) / (passages + 0.5))))
  const average = values.add(first.averageWords)
  const ofRecord = recordId == null ? '' : ` and d.record_id = ${values.add(recordId)}`
  const rows = await ctx.db.query<Omit<KnowledgeDocumentPassage, 'quote'> & Record<string, unknown>>(
    `select p.document_id as "documentId", c.name as "documentName", p.position, p.text, p.heading, p.page, p.line
     from (
       select d.name, p.document_id, p.position, p.words, p.search
       from assistant.tenant_document_passage p join assistant.document d on d.organization_id = p.organization_id and d.id = p.document_id
       where p.organization_id = ${organization} and p.search @@ ${anyOf}::tsquery and d.status = 'READY'${ofRecord} and ${visibleDocuments(predicate, 'd')}
       limit ${candidatesMax}
     ) c
     cross join lateral (
       select sum(q.weight * n.count * ${saturation + 1} / (n.count + ${saturation} * (${1 - lengthWeight} + ${lengthWeight} * c.words / ${average}::float8))) as score
       from unnest(c.search) u join unnest(${lexemes}::text[], ${weights}::float8[]) q (lexeme, weight) on q.lexeme = u.lexeme
       cross join lateral (select cardinality(u.positions)::float8 as count) n
     ) s
     join assistant.document_passage p on p.organization_id = ${organization} and p.document_id = c.document_id and p.position = c.position
     order by s.score desc, p.document_id, p.position limit ${values.add(limit)}`,
    values.list,
    'SCAN',
  )
  return rows.map((row) => ({
    ...row,
    quote: bestSentence(row.text, row.heading, query),
  })) as KnowledgeDocumentPassage[]
}
