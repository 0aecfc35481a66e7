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

/** How often a passage has a word: to `ts_rank_cd` each place of a single word is a cover of weight 1. Unpacking all words and their places takes four times as long. */
const countOf = (search: string, term: string): string => `ts_rank_cd('{1,1,1,1}', ${search}, ${term})::float8`

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
  const each = values.add(terms.map(({ lexeme }) => quoted(lexeme)))
  const weights = values.add(terms.map(({ passages, all }) => Math.log(1 + (all - passages + 0.5) / (passages + 0.5))))
  const average = values.add(first.averageWords)
  const ofRecord = recordId == null ? '' : ` and d.record_id = ${values.add(recordId)}`
  const rows = await ctx.db.query<Omit<KnowledgeDocumentPassage, 'quote'> & Record<string, unknown>>(
    // PostgreSQL does not know what it costs to unpack the words of a passage, and would compare every passage with the query. It knows nothing
    // about the result of a subquery, expects few passages and finds them by the index. They are found first and ranked before their texts are read.
    `with found as materialized (
       select document_id, position, words, search from assistant.tenant_document_passage
       where organization_id = ${organization} and search @@ (select ${anyOf}::tsquery)
     ), candidate as materialized (
       select d.name, f.document_id, f.position, f.words, f.search || ''::tsvector as search from found f join assistant.document d on d.id = f.document_id
       where d.status = 'READY'${ofRecord} and ${visibleDocuments(predicate, 'd')} limit ${candidatesMax}
     ), best as (
       select c.name, c.document_id, c.position, s.score from candidate c
       cross join lateral (
         select sum(q.weight * n.count * ${saturation + 1} / (n.count + ${saturation} * (${1 - lengthWeight} + ${lengthWeight} * c.words / ${average}::float8))) as score
         from unnest(${each}::tsquery[], ${weights}::float8[]) q (term, weight)
         cross join lateral (select ${countOf('c.search', 'q.term')} as count) n
       ) s
       order by s.score desc, c.document_id, c.position limit ${values.add(limit)}
     )
     select b.document_id as "documentId", b.name as "documentName", b.position, p.text, p.heading, p.page, p.line
     from best b join assistant.document_passage p on p.organization_id = ${organization} and p.document_id = b.document_id and p.position = b.position
     order by b.score desc, b.document_id, b.position`,
    values.list,
    'SCAN',
  )
  return rows.map((row) => ({
    ...row,
    quote: bestSentence(row.text, row.heading, query),
  })) as KnowledgeDocumentPassage[]
}
