import { queryMax } from '../document/bounds.ts'
import type { KnowledgeDocumentPassage } from '../document/document.types.ts'
import { searchDocuments } from '../document/search-documents.ts'
import { idIn, textIn } from './check-arguments.ts'
import type { Tool, ToolOutput } from './tool.ts'

const passagesMax = 8
/** Below the maximum of a result, so that long passages are fewer and not refused. */
const bytesMax = 15_000

/** The first passages, the best, as far as there is room. */
function fitting<T extends object>(passages: readonly T[]): T[] {
  let bytes = 0
  return passages.filter((passage, index) => {
    bytes += Buffer.byteLength(JSON.stringify(passage))
    return index === 0 || bytes <= bytesMax
  })
}

const shown = ({ documentId, documentName, text, heading, page, line }: KnowledgeDocumentPassage) => ({
  documentId,
  documentName,
  text,
  heading,
  page,
  line,
})

export const searchDocumentsTool: Tool = {
  effect: 'READ',
  isUntrusted: true,
  name: 'search_documents',
  title: 'Search documents',
  description: `Finds passages of documents by words, the best first, at most ${passagesMax}, each with its document and place. Documents about a record are found by who may read the record. Quote them with their place.`,
  parameters: {
    type: 'object',
    required: ['query'],
    additionalProperties: false,
    properties: {
      query: { type: 'string', minLength: 2, maxLength: queryMax, description: 'Words to look for.' },
      recordId: { type: 'string', description: 'Only documents about the record with this id.' },
    },
  },
  async run({ ctx }, given): Promise<ToolOutput> {
    const query = textIn(given, 'query', 2, queryMax)
    const recordId = given['recordId'] === undefined ? null : idIn(given, 'recordId')
    const passages = fitting((await searchDocuments(ctx, { query, recordId, limit: passagesMax })).map(shown))
    const names = new Map(passages.map(({ documentId, documentName }) => [documentId, documentName]))
    const citations = [...names].map(([entityId, label]) => ({ entityType: 'DOCUMENT', entityId, field: null, label }))
    return { content: { passages }, rows: passages.length, citations }
  },
}
