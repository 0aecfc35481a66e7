import type { FieldProblem } from '../../kernel/errors.ts'
import { parseJsonExactly, TooManyInexact, inexactMax } from '../../kernel/json/exact-json.ts'
import type { Content } from '../../kernel/metadata/component.ts'
import type { FileSchema } from '../../kernel/metadata/file-schema.ts'
import { isStorable } from '../../kernel/record/scalars.ts'
import { depthMax } from './bounds.ts'

/** Whether JSON text nests deeper than a file may, before it is parsed. */
function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign === 0x22) {
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++) if (text.charCodeAt(at) === 0x5c) at++
    } else if (sign === 0x7b || sign === 0x5b) {
      if (++depth > depthMax) return true
    } else if (sign === 0x7d || sign === 0x5d) depth--
  }
  return false
}

type Parsed = { readonly content: unknown } | { readonly problem: FieldProblem }

function parsed(text: string): Parsed {
  const refused = (code: string, message: string): Parsed => ({ problem: { path: '', code, message } })
  if (isTooDeep(text))
    return refused('TOO_DEEP', `The file must nest objects and lists at most ${depthMax} levels deep.`)
  try {
    const content = parseJsonExactly(text, inexactMax)
    const flaw = flawOf(content)
    return flaw ? refused(...flaw) : { content }
  } catch (error) {
    if (error instanceof TooManyInexact)
      return refused('TOO_MANY', `The file must have at most ${inexactMax} numbers that double precision would round.`)
    const reason = error instanceof Error ? error.message : ''
    return refused('INVALID_JSON', `The file must be valid JSON: ${reason.slice(0, 200)}`)
  }
}

/** What PostgreSQL does not store, or objects cannot have, anywhere in the content. */
function flawOf(content: unknown): readonly [code: string, message: string] | null {
  const waiting = [content]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string' && !isStorable(value)) return notText
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) for (const item of value as unknown[]) waiting.push(item)
    else
      for (const [name, member] of Object.entries(value)) {
        if (name === '__proto__') return ['NOT_ALLOWED', 'A property must not be named __proto__.']
        if (!isStorable(name)) return notText
        waiting.push(member)
      }
  }
  return null
}

const notText = ['NOT_TEXT', 'The file must not contain a NUL character or an unpaired surrogate.'] as const

/** The content of a JSON file of a project, or what is wrong with it. */
export function contentOfFile(
  text: string,
  schema: FileSchema,
): { readonly content: Content } | { readonly problems: readonly FieldProblem[] } {
  const result = parsed(text)
  if ('problem' in result) return { problems: [result.problem] }
  const problems = schema.problems(result.content)
  return problems.length > 0 ? { problems } : { content: result.content as Content }
}
