import type { Span } from './problem.ts'

/** The syntax tree of a formula. Operators are calls of functions with the name of the operator; `-` with one argument is the sign. */
export type Syntax = NumberSyntax | TextSyntax | WordSyntax | PathSyntax | CallSyntax

export interface NumberSyntax extends Span {
  readonly kind: 'number'
  readonly digits: string
}

export interface TextSyntax extends Span {
  readonly kind: 'text'
  readonly text: string
}

export interface WordSyntax extends Span {
  readonly kind: 'word'
  readonly word: 'TRUE' | 'FALSE' | 'NULL'
}

export interface PathSyntax extends Span {
  readonly kind: 'path'
  readonly names: readonly string[]
}

export interface CallSyntax extends Span {
  readonly kind: 'call'
  readonly name: string
  /** Where the name or the operator is. */
  readonly at: Span
  readonly args: readonly Syntax[]
}
