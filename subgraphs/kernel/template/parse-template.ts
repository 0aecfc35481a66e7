import type { FieldProblem } from '../errors.ts'
import { isTurnOver, nextTurn } from '../work/turn.ts'
import { Tokenizer, TokenKind, type Liquid, type Template } from 'liquidjs'
import { allowedFilters, liquidEngine } from './liquid-engine.ts'
import { depthMax, sourceMax, tagsLengthMax, tokenLengthMax, tokensMax } from './template-bounds.ts'
import { problemOf, TemplateProblem } from './template-problem.ts'

interface TopLevelToken {
  readonly kind: number
  readonly begin: number
  readonly end: number
  readonly name?: string
  readonly content?: string
}

export interface ParsedTemplate {
  readonly templates: Template[]
  /** The contents of the outputs, such as `contact.firstName | upcase`. */
  readonly outputs: readonly string[]
  /** The conditions of `if`, `elsif`, `unless` and `case`. */
  readonly conditions: readonly string[]
}

const isPath = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/
const isNamed = /^([a-z_]+)\s*(:|$)/

/** The parts of an output between `|` that is not in quotes. */
function segmentsOf(content: string): string[] {
  const segments: string[] = ['']
  let quote = ''
  for (const character of content) {
    if (quote === '' && character === '|') segments.push('')
    else {
      if (character === quote) quote = ''
      else if (quote === '' && (character === '"' || character === "'")) quote = character
      segments[segments.length - 1] += character
    }
  }
  return segments
}

/** `contact.firstName | there` is a variable with a fallback: `contact.firstName | default: "there"`. */
function withFallback(content: string): string {
  const [value = '', second, ...rest] = segmentsOf(content)
  if (second === undefined || !isPath.test(value.trim())) return content
  const text = second.trim()
  const name = isNamed.exec(text)
  if (text === '' || (name && (name[2] === ':' || allowedFilters.has(name[1]!)))) return content
  return [value, `default: ${JSON.stringify(text)}`, ...rest].join('|')
}

const blocks = new Set(['if', 'unless', 'case', 'for', 'capture', 'comment'])

function refuseDepth(tokens: readonly TopLevelToken[]): void {
  let depth = 0
  for (const { kind, name = '' } of tokens) {
    if (kind !== TokenKind.Tag) continue
    if (blocks.has(name)) depth += 1
    else if (name.startsWith('end') && blocks.has(name.slice(3))) depth -= 1
    if (depth > depthMax)
      throw new TemplateProblem('TOO_DEEP', `must have at most ${depthMax} blocks inside one another.`)
  }
}

function countOf(source: string, text: string): number {
  let count = 0
  for (let at = source.indexOf(text); at >= 0; at = source.indexOf(text, at + 2)) count += 1
  return count
}

/** Parses one part of a template within its bounds. Throws a `TemplateProblem`. */
export function parseTemplate(engine: Liquid, source: string): ParsedTemplate {
  if (source.length > sourceMax * 2) throw new TemplateProblem('TOO_LONG', `must have at most ${sourceMax} characters.`)
  if (countOf(source, '{{') + countOf(source, '{%') > tokensMax)
    throw new TemplateProblem('TOO_MANY', `must have at most ${tokensMax} tags and outputs.`)
  try {
    const tokens = new Tokenizer(source).readTopLevelTokens(engine.options) as unknown as TopLevelToken[]
    refuseDepth(tokens)
    if (tokens.some(({ kind, begin, end }) => kind !== TokenKind.HTML && end - begin > tokenLengthMax))
      throw new TemplateProblem('TOO_LONG', `must have tags and outputs of at most ${tokenLengthMax} characters.`)
    const tagsLength = tokens.reduce(
      (sum, { kind, begin, end }) => sum + (kind === TokenKind.HTML ? 0 : end - begin),
      0,
    )
    if (tagsLength > tagsLengthMax)
      throw new TemplateProblem('TOO_LONG', `must have at most ${tagsLengthMax} characters in tags and outputs.`)
    const outputs: string[] = []
    const conditions: string[] = []
    let rewritten = ''
    let done = 0
    for (const { kind, begin, end, name = '', content = '' } of tokens) {
      if (kind === TokenKind.Tag && ['if', 'elsif', 'unless', 'case'].includes(name))
        conditions.push(content.trim().slice(name.length))
      if (kind !== TokenKind.Output) continue
      const written = source.slice(begin, end)
      const output = withFallback(content)
      outputs.push(output)
      rewritten += source.slice(done, begin) + written.replace(content, () => output)
      done = end
    }
    return { templates: engine.parse(rewritten + source.slice(done)), outputs, conditions }
  } catch (error) {
    throw problemOf(error) ?? error
  }
}

/** Why this source is not a template; null if it is one. It may take some tens of milliseconds: see `templateProblemsOf`. */
export function templateProblem(source: string): TemplateProblem | null {
  try {
    parseTemplate(liquidEngine({ isHtml: true, budget: { left: 0 } }), source)
    return null
  } catch (error) {
    if (error instanceof TemplateProblem) return error
    throw error
  }
}

/** What is wrong with templates, each by its path. They are parsed in turns, so that the requests of others run between two of them. */
export async function templateProblemsOf(
  organizationId: string,
  sources: Iterable<readonly [path: string, source: string]>,
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const [path, source] of sources) {
    if (isTurnOver()) await nextTurn(organizationId)
    const problem = templateProblem(source)
    if (problem) problems.push({ path, code: problem.code, message: `${path} ${problem.message}` })
  }
  return problems
}
