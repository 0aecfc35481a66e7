import { formulaLimits } from './limits.ts'
import type { Span } from './problem.ts'
import type { CallSyntax, PathSyntax, Syntax } from './syntax.ts'
import { fail, Tokens } from './tokens.ts'

const { characters, depth: depthMax, nodes: nodesMax } = formulaLimits

/** Binary operators, loosest first. Comparisons are not chained: `a < b < c` is an error. */
const levels: readonly { readonly operators: readonly string[]; readonly isChained: boolean }[] = [
  { operators: ['||'], isChained: true },
  { operators: ['&&'], isChained: true },
  { operators: ['=', '<>', '!=', '<', '<=', '>', '>='], isChained: false },
  { operators: ['&'], isChained: true },
  { operators: ['+', '-'], isChained: true },
  { operators: ['*', '/'], isChained: true },
]

const words: ReadonlySet<string> = new Set(['TRUE', 'FALSE', 'NULL'])

/** A parser by recursive descent. Its recursion is bounded by the depth, its work by the number of nodes. */
class Parser {
  readonly #tokens: Tokens
  #depth = 0
  #nodes = 0

  constructor(readonly text: string) {
    this.#tokens = new Tokens(text)
  }

  formula(): Syntax {
    const syntax = this.#binary(0)
    if (this.#tokens.current.kind !== 'end') this.#unexpected('an operator or the end of the formula')
    return syntax
  }

  #binary(level: number): Syntax {
    const rule = levels[level]
    if (!rule) return this.#unary()
    let left = this.#binary(level + 1)
    while (this.#tokens.isSymbol(...rule.operators)) {
      const { value, start, end } = this.#tokens.next()
      const right = this.#binary(level + 1)
      const name = value === '!=' ? '<>' : value
      left = this.#call(name, { start, end }, [left, right], { start: left.start, end: right.end })
      if (!rule.isChained && this.#tokens.isSymbol(...rule.operators))
        this.#refuse('Comparisons cannot be chained; combine them with &&.')
    }
    return left
  }

  #unary(): Syntax {
    if (!this.#tokens.isSymbol('-', '!')) return this.#primary()
    const { value, start, end } = this.#tokens.next()
    const argument = this.#primary()
    const name = value === '!' ? 'NOT' : value
    return this.#call(name, { start, end }, [argument], { start, end: argument.end })
  }

  #primary(): Syntax {
    const { kind, value, start, end } = this.#tokens.current
    switch (kind) {
      case 'number':
        this.#tokens.next()
        return this.#counted({ kind: 'number', digits: value, start, end })
      case 'text':
        this.#tokens.next()
        return this.#counted({ kind: 'text', text: value, start, end })
      case 'name':
        return this.#named()
      default:
        if (this.#tokens.isSymbol('(')) return this.#parenthesis()
        this.#unexpected('a value, a field or a function')
    }
  }

  #parenthesis(): Syntax {
    this.#enter(this.#tokens.next())
    const inner = this.#binary(0)
    this.#expect(')')
    this.#depth -= 1
    return inner
  }

  /** A word, a call or a path, which all begin with a name. */
  #named(): Syntax {
    const first = this.#tokens.next()
    const { value, start, end } = first
    if (this.#tokens.isSymbol('(')) return this.#function(value.toUpperCase(), first)
    const word = value.toUpperCase()
    if (words.has(word) && !this.#tokens.isSymbol('.'))
      return this.#counted({ kind: 'word', word: word as 'TRUE' | 'FALSE' | 'NULL', start, end })
    return this.#path(first.value, start)
  }

  #path(first: string, start: number): PathSyntax {
    const names = [first]
    while (this.#tokens.isSymbol('.')) {
      this.#tokens.next()
      if (this.#tokens.current.kind !== 'name') this.#unexpected('the name of a field')
      names.push(this.#tokens.next().value)
    }
    return this.#counted({ kind: 'path', names, start, end: this.#tokens.previousEnd })
  }

  #function(name: string, at: Span): CallSyntax {
    this.#enter(this.#tokens.next())
    const args: Syntax[] = []
    if (!this.#tokens.isSymbol(')')) {
      args.push(this.#binary(0))
      while (this.#tokens.isSymbol(',')) {
        this.#tokens.next()
        args.push(this.#binary(0))
      }
    }
    this.#expect(')')
    this.#depth -= 1
    return this.#call(name, at, args, { start: at.start, end: this.#tokens.previousEnd })
  }

  #call(name: string, { start, end }: Span, args: readonly Syntax[], whole: Span): CallSyntax {
    return this.#counted({ kind: 'call', name, at: { start, end }, args, ...whole })
  }

  #enter(span: Span): void {
    this.#depth += 1
    if (this.#depth > depthMax)
      fail(this.text, span, 'FORMULA_TOO_COMPLEX', `Calls and parentheses are at most ${depthMax} levels deep.`)
  }

  #counted<S extends Syntax>(syntax: S): S {
    this.#nodes += 1
    if (this.#nodes > nodesMax)
      fail(
        this.text,
        syntax,
        'FORMULA_TOO_COMPLEX',
        `A formula has at most ${nodesMax} operators, calls, literals and fields together.`,
      )
    return syntax
  }

  #expect(symbol: string): void {
    if (!this.#tokens.isSymbol(symbol)) this.#unexpected(symbol === ')' ? '")" or an operator' : `"${symbol}"`)
    this.#tokens.next()
  }

  #unexpected(expected: string): never {
    const { kind, value } = this.#tokens.current
    const found = kind === 'end' ? 'the formula ends' : `${JSON.stringify(value)} is`
    this.#refuse(`There must be ${expected} where ${found}.`)
  }

  #refuse(message: string): never {
    fail(this.text, this.#tokens.current, 'FORMULA_SYNTAX', message)
  }
}

/** The syntax tree of a formula. Throws a `FormulaError` with one problem. */
export function parseFormula(text: string): Syntax {
  if (text.length > characters)
    fail(
      text,
      { start: characters, end: text.length },
      'FORMULA_TOO_COMPLEX',
      `A formula has at most ${characters} characters.`,
    )
  return new Parser(text).formula()
}
