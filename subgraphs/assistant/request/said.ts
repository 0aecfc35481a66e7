import { cleanText } from '../../kernel/language-model/clean-text.ts'
import type { Citation } from '../question/ask.ts'
import { plain } from '../question/words.ts'

/** What is said to a request for a change. */
export interface RequestAnswer {
  /** Without links. */
  readonly content: string
  readonly citations: readonly Citation[]
  readonly toolCalls: readonly {
    readonly name: 'propose_change'
    readonly input: object
    readonly output: { readonly rows: 0; readonly proposalId: string; readonly summary: string }
    readonly status: 'OK'
  }[]
  readonly notUnderstood: readonly string[]
}

export const nothingChanged = 'so nothing was changed or proposed.'

export const saying = (content: string, notUnderstood: readonly string[] = []): RequestAnswer => ({
  content: cleanText(content, () => false),
  citations: [],
  toolCalls: [],
  notUnderstood,
})

export const help =
  'I can propose a task or a change of one field, for example "Create a task to call Northwind tomorrow" or "Set the stage of Northwind renewal to Negotiation".'

export const unclear = (text: string): RequestAnswer =>
  saying(`I do not understand "${plain(text)}", ${nothingChanged} ${help}`, [text.slice(0, 200)])

export const ambiguous = (text: string, found: readonly string[]): RequestAnswer =>
  saying(
    `"${plain(text)}" can mean ${found.slice(0, 5).map(plain).join(', or ')}${found.length > 5 ? ', or others' : ''}, ${nothingChanged} Say which one, with its whole name and its type.`,
    [text.slice(0, 200)],
  )

/** Ends the answer with what is said instead. */
export class Instead extends Error {
  constructor(readonly answer: RequestAnswer) {
    super(answer.content)
  }
}
