import type { KnowledgeDocumentPassage } from '../document/document.types.ts'
import { queryMax } from '../document/bounds.ts'
import type { AnswerEvent } from './answer-event.ts'
import { readAsCaller, type Answering, type Asked } from './answering.ts'
import { cleanText } from '../../kernel/language-model/clean-text.ts'

const quotesMax = 5

const search = `query ($query: String!, $limit: Int!) {
  passages: knowledgeDocumentSearch(query: $query, limit: $limit) { documentId documentName quote heading page line }
}`

type Found = Pick<KnowledgeDocumentPassage, 'documentId' | 'documentName' | 'quote' | 'heading' | 'page' | 'line'>

const nothing =
  'I found nothing about this in the documents that you see. Add documents, use other words, or ask about your records with the mode local.'

function placeOf({ documentName, heading, page, line }: Found): string {
  const parts = [
    page === null ? null : `page ${page}`,
    heading === null ? null : `"${heading}"`,
    line === null ? null : `line ${line}`,
  ]
  return [documentName, ...parts.filter((part) => part !== null)].join(', ')
}

/** Answers with sentences of documents that the caller sees, each with its place. No model takes part. */
export async function* documentsAnswer(
  ctx: Answering,
  { content }: Pick<Asked, 'content'>,
): AsyncGenerator<AnswerEvent> {
  yield { kind: 'begin' }
  const query = content.slice(0, queryMax).toWellFormed()
  const { passages } = (await readAsCaller(ctx, search, { query, limit: quotesMax })) as { passages: readonly Found[] }
  const call = { id: 'call-1', name: 'search_documents', input: { query }, output: { rows: passages.length } } as const
  yield { kind: 'tool', call: { ...call, status: 'OK' } }
  const quotes = passages.map((found) => `> ${found.quote}\n${placeOf(found)}`)
  // Documents can contain links, images and HTML.
  yield { kind: 'token', delta: quotes.length === 0 ? nothing : cleanText(quotes.join('\n\n'), () => false) }
  const cited = new Map(passages.map(({ documentId, documentName }) => [documentId, documentName]))
  for (const [entityId, label] of cited)
    yield { kind: 'citation', citation: { entityType: 'DOCUMENT', entityId, field: null, label } }
  yield { kind: 'end', model: null, notUnderstood: [] }
}
