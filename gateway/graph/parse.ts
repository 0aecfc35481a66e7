import { GraphQLError, Lexer, parse, Source, TokenKind, type DocumentNode, type Token } from 'graphql'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import type { GraphLimits } from './limits.ts'
import { shortened } from './shortened.ts'

export type TextLimits = Pick<GraphLimits, 'tokens' | 'comments' | 'nesting' | 'nameLength'>

/** The document and the number of its tokens. */
export interface Parsed {
  readonly document: DocumentNode
  readonly tokens: number
}

/** Longer values should be sent as variables, which need no lexing. */
const charactersMax = 100_000

const exceeded = (message: string): Refusal => new Refusal('GRAPHQL_LIMIT_EXCEEDED', message)
/** The message of graphql-js when it stops at `maxComments`. */
const tooManyComments = /more than \d+ comments/

/** Counts tokens while the text is read. The parser is recursive, so the limit of open brackets limits its stack. */
class BoundedLexer extends Lexer {
  tokens = 0
  private nesting = 0
  private readonly limits: TextLimits

  constructor(text: string, limits: TextLimits) {
    super(new Source(text))
    this.limits = limits
  }

  override advance(): Token {
    const token = super.advance()
    const { tokens, nesting, nameLength } = this.limits
    switch (token.kind) {
      case TokenKind.BRACE_L:
      case TokenKind.BRACKET_L:
      case TokenKind.PAREN_L:
        if (++this.nesting > nesting) throw exceeded(`Nesting limit of ${nesting} brackets exceeded.`)
        break
      case TokenKind.BRACE_R:
      case TokenKind.BRACKET_R:
      case TokenKind.PAREN_R:
        this.nesting--
        break
      case TokenKind.NAME:
        if (token.value.length > nameLength) throw exceeded(`Name limit of ${nameLength} characters exceeded.`)
        break
      default:
    }
    if (token.kind !== TokenKind.EOF && ++this.tokens > tokens) throw exceeded(`Token limit of ${tokens} exceeded.`)
    return token
  }
}

/** Stops reading at the limits, so that the cost of a hostile document is bounded. */
export function parseWithin(limits: TextLimits, text: string): Parsed {
  if (text.length > charactersMax) {
    throw exceeded(
      `Characters limit of ${charactersMax} exceeded, found ${text.length}; send long values as variables.`,
    )
  }
  const lexer = new BoundedLexer(text, limits)
  try {
    return { document: parse(text, { lexer, maxComments: limits.comments }), tokens: lexer.tokens }
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof GraphQLError)) throw error
    if (tooManyComments.test(error.message)) throw exceeded(`Comment limit of ${limits.comments} exceeded.`)
    const [location] = error.locations ?? []
    const message = shortened(error.message)
    throw new Refusal('GRAPHQL_PARSE_FAILED', message, {
      errors: [{ path: 'query', code: 'GRAPHQL_PARSE_FAILED', message, ...location }],
    })
  }
}
