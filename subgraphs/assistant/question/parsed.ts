import type { Condition, Intent } from './question.ts'

/** A name in a message that must be a visible record or a user. */
export interface NamedRecord {
  /** As written, with what is between its words, such as the dash of "Meyer - Nord GmbH". */
  readonly text: string
  /** Its words alone. */
  readonly words: string
  /** The record type that the message says; null if it says none. */
  readonly object: string | null
}

export interface Parsed {
  readonly intent: Intent
  /** Null where only a name says which record. */
  readonly object: string | null
  readonly conditions: readonly Condition[]
  /** The conditions in words. */
  readonly labels: readonly string[]
  readonly measure: string | null
  readonly groupBy: string | null
  readonly direction: 'ASC' | 'DESC' | null
  readonly limit: number | null
  readonly names: readonly NamedRecord[]
  readonly isMine: boolean
  /** The message means the record that the user looks at. */
  readonly isContext: boolean
  /** The words for the field that a question about one record asks for. */
  readonly asked: string | null
  /** Words without a meaning. */
  readonly unknown: readonly string[]
}

export type Parsing =
  | { readonly kind: 'QUESTION'; readonly parsed: Parsed }
  | { readonly kind: 'WRITE' | 'TOO_LONG' | 'NONE'; readonly parsed?: never }
