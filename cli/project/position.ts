import { findNodeAtLocation, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser'

/** A place in a text, both from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

function positionAt(text: string, offset: number): Position {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

const strict = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false } as const

/** What is wrong with the syntax of a JSON text, and where; null if it is JSON. */
export function syntaxProblem(text: string): string | null {
  const [error] = errorsOf(text)
  if (!error) return null
  const { line, column } = positionAt(text, error.offset)
  return `is not valid JSON: ${printParseErrorCode(error.error)} in line ${line}, column ${column}`
}

function errorsOf(text: string): ParseError[] {
  const errors: ParseError[] = []
  parseTree(text, errors, strict)
  return errors
}

/** The child that the beginning of a path names. Keys may contain points themselves. */
function step(node: Node, parts: readonly string[]): [child: Node, rest: readonly string[]] | null {
  if (node.type === 'array') {
    const child = findNodeAtLocation(node, [Number(parts[0])])
    return child ? [child, parts.slice(1)] : null
  }
  for (let taken = 1; taken <= parts.length; taken++) {
    const child = node.type === 'object' ? findNodeAtLocation(node, [parts.slice(0, taken).join('.')]) : undefined
    if (child) return [child, parts.slice(taken)]
  }
  return null
}

/**
 * Where a JSON text has the value of a path such as `fields.0.type`, or as much of the path as there is. With wrong syntax: where that begins.
 * Null if nothing is known.
 */
export function positionOf(text: string, path: string): Position | null {
  const [error] = errorsOf(text)
  if (error) return positionAt(text, error.offset)
  let node = parseTree(text, [], strict)
  if (!node) return null
  let rest: readonly string[] = path === '' ? [] : path.split('.')
  while (rest.length > 0) {
    const next = step(node, rest)
    if (!next) break
    ;[node, rest] = next
  }
  return positionAt(text, node.offset)
}
