/** A part of a document that has one place: a paragraph, a line, a row of a table. */
export interface Block {
  readonly text: string
  /** From 1; null where the format has no pages. */
  readonly page: number | null
  /** The nearest heading above it. */
  readonly heading: string | null
  /** From 1; null where the format has no lines. */
  readonly line: number | null
}

export type FailureCode = 'UNREADABLE' | 'ENCRYPTED' | 'TOO_LARGE' | 'TOO_COMPLEX' | 'EMPTY' | 'INTERRUPTED'

/** Why a document cannot be searched. The message is for its owner. */
export class ParseFailure extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode, message: string) {
    super(message)
    this.code = code
  }
}

export const unreadable = (format: string): ParseFailure =>
  new ParseFailure('UNREADABLE', `The file cannot be read as ${format}.`)

export const headingMax = 200

export const oneLine = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim()
