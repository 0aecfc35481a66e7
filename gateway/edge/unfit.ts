import type { FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { isRawNumber } from '../../subgraphs/kernel/exact-number.ts'
import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'

/** Of one request so many are told. */
export const problemsMax = 50

/** What a value is called, and how many levels of objects and lists it may have. */
export interface Bounds {
  readonly whole: string
  readonly levelsMax: number
  readonly tooDeep: string
}

/** What no schema and no type can say: text that cannot be stored, keys that mean something to JavaScript, endless nesting. */
export function unfitIn(value: unknown, bounds: Bounds): FieldProblem[] {
  const problems: FieldProblem[] = []
  examine(value, '', 0, bounds, problems)
  return problems
}

function examine(value: unknown, path: string, depth: number, bounds: Bounds, problems: FieldProblem[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) problems.push(notText(path, bounds))
    return
  }
  if (typeof value !== 'object' || value === null || isRawNumber(value) || problems.length >= problemsMax) return
  if (depth >= bounds.levelsMax) {
    problems.push({ path, code: 'TOO_DEEP', message: bounds.tooDeep })
    return
  }
  const prefix = path === '' ? '' : `${path}.`
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      examine(value[index], `${prefix}${index}`, depth + 1, bounds, problems)
    }
    return
  }
  for (const key of Object.keys(value)) {
    if (key === '__proto__') {
      const message = 'A field cannot be called __proto__.'
      problems.push({ path: `${prefix}__proto__`, code: 'UNKNOWN_FIELD', message })
    } else if (isStorable(key)) {
      examine((value as Record<string, unknown>)[key], prefix + key, depth + 1, bounds, problems)
    } else problems.push(notText(path, bounds))
  }
}

const notText = (path: string, { whole }: Bounds): FieldProblem => ({
  path,
  code: 'NOT_TEXT',
  message: `${path === '' ? whole : path} contains a NUL character or half of a surrogate pair.`,
})
