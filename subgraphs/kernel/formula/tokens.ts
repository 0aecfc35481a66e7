import { isStorable } from '../record/scalars.ts'
import { FormulaError, problemAt, type FormulaProblemCode, type Span } from './problem.ts'

export interface Token extends Span {
  readonly kind: 'number' | 'text' | 'name' | 'symbol' | 'end'
  /** The symbol, the name, the digits, or the text without quotes. */
  readonly value: string
}

export function fail(text: string, span: Span, code: FormulaProblemCode, message: string): never {
  throw new FormulaError([problemAt(text, span, code, message)])
}

// Every alternative is linear in what it matches, and `y` matches at one place only.
const space = /(?:\s+|\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/)+/y
const number = /\d+(?:\.\d+)?|\.\d+/y
const name = /[A-Za-z_]\w*/y
const quoted = /"[^"\\]*(?:\\[^][^"\\]*)*"/y
const symbol = /&&|\|\||<>|!=|<=|>=|[=<>&+\-*/!(),.]/y

const digitsMax = { integer: 16, fraction: 20 }
const escapes: Readonly<Record<string, string>> = { '"': '"', '\\': '\\', n: '\n', t: '\t' }

function match(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? null
}

function checkedDigits(text: string, span: Span, digits: string): string {
  const [integer = '', fraction = ''] = digits.split('.')
  if (integer.replace(/^0+/, '').length > digitsMax.integer || fraction.length > digitsMax.fraction)
    fail(
      text,
      span,
      'FORMULA_SYNTAX',
      `A number has at most ${digitsMax.integer} digits before the point and ${digitsMax.fraction} after it.`,
    )
  return digits
}

function unescaped(text: string, span: Span, literal: string): string {
  const value = literal.slice(1, -1).replace(/\\([^])/g, (escape, character: string, index: number) => {
    const start = span.start + 1 + index
    return (
      escapes[character] ??
      fail(
        text,
        { start, end: start + 2 },
        'FORMULA_SYNTAX',
        `${escape} is not an escape; write \\" \\\\ \\n or \\t in a text.`,
      )
    )
  })
  if (!isStorable(value)) fail(text, span, 'FORMULA_SYNTAX', 'A text has no NUL character and no unpaired surrogate.')
  return value
}

function tokenAt(text: string, start: number): Token {
  const token = (kind: Token['kind'], value: string, end = start + value.length): Token => ({ kind, value, start, end })
  if (start >= text.length) return token('end', '')
  const digits = match(number, text, start)
  if (digits !== null) return token('number', checkedDigits(text, { start, end: start + digits.length }, digits))
  const word = match(name, text, start)
  if (word !== null) return token('name', word)
  const literal = match(quoted, text, start)
  if (literal !== null) {
    const end = start + literal.length
    return token('text', unescaped(text, { start, end }, literal), end)
  }
  const sign = match(symbol, text, start)
  if (sign !== null) return token('symbol', sign)
  if (text[start] === '"')
    fail(text, { start, end: text.length }, 'FORMULA_SYNTAX', 'A text ends with a quotation mark.')
  const character = String.fromCodePoint(text.codePointAt(start)!)
  const hint = character === "'" ? ' Texts are in double quotation marks.' : ''
  fail(
    text,
    { start, end: start + character.length },
    'FORMULA_SYNTAX',
    `${JSON.stringify(character)} has no meaning here.${hint}`,
  )
}

/** Reads the tokens of a formula one by one. */
export class Tokens {
  current: Token
  /** The end of the token before the current one. */
  previousEnd = 0

  constructor(readonly text: string) {
    this.current = this.#read(0)
  }

  /** Moves on, and returns the token that was current. */
  next(): Token {
    const token = this.current
    this.previousEnd = token.end
    if (token.kind !== 'end') this.current = this.#read(token.end)
    return token
  }

  isSymbol(...symbols: readonly string[]): boolean {
    return this.current.kind === 'symbol' && symbols.includes(this.current.value)
  }

  #read(from: number): Token {
    const start = from + (match(space, this.text, from)?.length ?? 0)
    if (this.text.startsWith('/*', start))
      fail(this.text, { start, end: this.text.length }, 'FORMULA_SYNTAX', 'A comment ends with */.')
    return tokenAt(this.text, start)
  }
}
