import { enumerationOf } from '../../kernel/record/column.ts'
import type { ConversationCitation, ConversationToolCall } from '../conversation/conversation.types.ts'
import type { Answering, Asked } from './answering.ts'
import { findRecords } from './find-records.ts'
import { plainColumns, shapeOf, type ReadableObject } from './readable-records.ts'

export interface LocalAnswer {
  readonly content: string
  readonly citations: readonly ConversationCitation[]
  readonly toolCalls: readonly ConversationToolCall[]
  /** Words that the rules do not know. With one of them there is no number in the answer. */
  readonly notUnderstood: readonly string[]
}

const listed = 10

const objectWords: ReadonlyMap<string, ReadableObject> = new Map([
  ['account', 'account'],
  ['company', 'account'],
  ['companie', 'account'],
  ['customer', 'account'],
  ['contact', 'contact'],
  ['lead', 'lead'],
  ['deal', 'opportunity'],
  ['opportunity', 'opportunity'],
  ['opportunitie', 'opportunity'],
  ['case', 'case'],
  ['ticket', 'case'],
  ['task', 'task'],
  ['quote', 'quote'],
  ['order', 'order'],
  ['invoice', 'invoice'],
  ['product', 'product'],
])

const objectOf = (word: string): ReadableObject | undefined =>
  objectWords.get(word) ?? objectWords.get(word.replace(/s$/, ''))

const plurals: Readonly<Record<ReadableObject, string>> = {
  account: 'accounts',
  contact: 'contacts',
  lead: 'leads',
  opportunity: 'deals',
  case: 'cases',
  task: 'tasks',
  quote: 'quotes',
  order: 'orders',
  invoice: 'invoices',
  product: 'products',
}

const countWords = new Set(['how', 'many', 'count', 'number'])
const listWords = new Set(['list', 'show', 'which', 'find', 'give'])
const ownWords = new Set(['my', 'mine', 'i'])
const fillers = new Set(
  'a an are all any do does have has is in of our the there we what me please with status their by'.split(' '),
)

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []

/** The fields of a record type that have this value, such as `status` for `open`. */
function fieldsWithValue(object: ReadableObject, word: string): { field: string; value: string }[] {
  return plainColumns(shapeOf(object)).flatMap((column) => {
    const members = column.kind === 'enum' ? enumerationOf(column) : null
    const value = members && Object.keys(members).find((name) => name.toLowerCase() === word)
    return value ? [{ field: column.name, value }] : []
  })
}

const hint = 'I can count and list your records, for example "How many cases are open?" or "List my deals".'

const answer = (content: string, more: Partial<LocalAnswer> = {}): LocalAnswer => ({
  content,
  citations: [],
  toolCalls: [],
  notUnderstood: [],
  ...more,
})

/** Answers by fixed rules: counts and lists of records by the values of enumerations. Every word must be understood; otherwise it names the word. */
export async function localAnswer(ctx: Answering, { content }: Pick<Asked, 'content'>): Promise<LocalAnswer> {
  const words = wordsOf(content)
  const objects = new Set(words.flatMap((word) => objectOf(word) ?? []))
  const [object] = objects
  if (!object || objects.size > 1)
    return answer(`I do not know which records you mean. ${hint}`, { notUnderstood: words.slice(0, 50) })
  const conditions: Record<string, object>[] = []
  const unknown: string[] = []
  let isCount = false
  let isList = false
  for (const word of words) {
    if (objectOf(word)) continue
    const [match, ...others] = fieldsWithValue(object, word)
    if (countWords.has(word)) isCount = true
    else if (listWords.has(word)) isList = true
    else if (ownWords.has(word)) conditions.push({ ownerId: { eq: ctx.caller.userId } })
    else if (match && others.length === 0) conditions.push({ [match.field]: { eq: match.value } })
    else if (!fillers.has(word)) unknown.push(word)
  }
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).map((word) => `"${word}"`)
    return answer(`I do not understand ${named.join(', ')}, so I give no number. ${hint}`, {
      notUnderstood: unknown.slice(0, 50),
    })
  }
  if (!isCount && !isList) return answer(`I do not know whether to count or to list the ${plurals[object]}. ${hint}`)
  const filter = conditions.length > 0 ? { and: conditions } : null
  const found = await findRecords(ctx, { object, filter, limit: isList ? listed : 0 })
  const input = { intent: isList ? 'LIST' : 'COUNT', object, filter }
  const toolCalls: ConversationToolCall[] = [
    { id: 'call-1', name: 'find_records', input, output: { rows: found.rows.length }, status: 'OK' },
  ]
  const count = `${found.total} ${plurals[object]}`
  if (!isList) return answer(`You see ${count} that match.`, { toolCalls })
  const names = found.citations.map(({ label, entityId }) => `- ${label ?? entityId}`)
  const isPart = found.total > found.rows.length
  const head = isPart ? `You see ${count} that match. The first ${found.rows.length}:` : `You see ${count} that match.`
  return answer([head, ...names].join('\n'), { citations: found.citations, toolCalls })
}
