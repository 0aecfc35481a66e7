import { plainLine } from '../plain.ts'
import type { Screen } from '../screen.ts'
import { positionOf } from './position.ts'
import type { Files } from './project.ts'

/** What is wrong with a file, as the API says it. */
export interface Problem {
  readonly file: string | null
  readonly path: string
  readonly code: string
  readonly message: string
  readonly line?: number | null
  readonly column?: number | null
  readonly usedBy?: readonly { readonly object: string; readonly name: string | null }[] | null
}

/** `src/fields/ACCOUNT.tier.field.json:5:16`: where editors and terminals find it. */
export function placeOf({ file, path, line, column }: Omit<Problem, 'code' | 'message'>, files: Files): string {
  if (file === null) return path || 'deployment'
  if (line != null) return `${file}:${line}:${column ?? 1}`
  const text = files[file]
  const position = text !== undefined && file.endsWith('.json') ? positionOf(text, path) : null
  return position ? `${file}:${position.line}:${position.column}` : file
}

export function problemLines(screen: Screen, problem: Problem, files: Files): string[] {
  const { path, code, message, usedBy } = problem
  const place = plainLine(placeOf(problem, files))
  return [
    `${screen.styled('red', 'x')} ${screen.styled('bold', place)}  ${plainLine(code)}${path && problem.file ? `  ${plainLine(path)}` : ''}`,
    `    ${plainLine(message)}`,
    ...(usedBy ?? []).map(({ object, name }) => `    used by ${plainLine(`${object} ${name ?? ''}`)}`),
  ]
}

/** The problems with their places. */
export const positioned = (problems: readonly Problem[], files: Files) =>
  problems.map((problem) => ({ ...problem, place: placeOf(problem, files) }))
