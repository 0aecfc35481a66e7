import type { FieldProblem } from '../../subgraphs/kernel/errors.ts'
import { isRawNumber } from '../../subgraphs/kernel/json/exact-number.ts'
import { isStorable } from '../../subgraphs/kernel/record/scalars.ts'

/** At most this many problems are reported for one request. */
export const problemsMax = 50

/** The name of a value in messages, and how many levels of objects and lists it may have. */
export interface Bounds {
  readonly whole: string
  readonly levelsMax: number
  readonly tooDeep: string
}

/** Finds what no schema can exclude: text that cannot be stored, the key `__proto__`, and nesting that is too deep. */
export function invalidValuesIn(value: unknown, bounds: Bounds): FieldProblem[] {
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
      const message = 'A field must not be named __proto__.'
      problems.push({ path: `${prefix}__proto__`, code: 'UNKNOWN_FIELD', message })
    } else if (isStorable(key)) {
      examine((value as Record<string, unknown>)[key], prefix + key, depth + 1, bounds, problems)
    } else problems.push(notText(path, bounds))
  }
}

const notText = (path: string, { whole }: Bounds): FieldProblem => ({
  path,
  code: 'NOT_TEXT',
  message: `${path === '' ? whole : path} must not contain a NUL character or an unpaired surrogate.`,
})
