import { invalid, type FieldProblem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { levelsMax, type Arguments, type Tool } from './tool.ts'

const problem = (path: string, rule: string): FieldProblem => ({
  path,
  code: 'WRONG_TYPE',
  message: `${path} must be ${rule}.`,
})
export const refuse = (path: string, rule: string): never => {
  throw invalid(problem(path, rule))
}

function levelsOf(value: unknown): number {
  let levels = 0
  for (let level: unknown[] = [value]; level.length > 0 && levels <= levelsMax; levels++)
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
  return levels
}

/** The arguments, if they are an object with members that the tool knows and is not too deep. */
export function checkedArguments({ parameters }: Tool, given: unknown): Arguments {
  if (!isJsonObject(given)) return refuse('arguments', 'a JSON object')
  const known = (parameters as { readonly properties: object }).properties
  const problems = Object.keys(given)
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => problem(name.slice(0, 100), `absent; the arguments are ${Object.keys(known).join(', ') || 'none'}`))
  if (problems.length > 0) throw invalid(...problems.slice(0, 10))
  if (levelsOf(given) > levelsMax) return refuse('arguments', `of at most ${levelsMax} levels`)
  return given as Arguments
}

export function textIn(given: Arguments, name: string, min: number, max: number): string {
  const value = given[name]
  if (typeof value !== 'string' || value.trim().length < min || value.length > max)
    return refuse(name, `a text of ${min} to ${max} characters`)
  return value
}

export function oneIn<T extends string>(given: Arguments, name: string, values: readonly T[]): T {
  const value = given[name]
  if (typeof value !== 'string' || !(values as readonly string[]).includes(value))
    return refuse(name, `one of ${values.join(', ')}`)
  return value as T
}

export function idIn(given: Arguments, name: string): string {
  const value = given[name]
  if (typeof value !== 'string' || !isId(value)) return refuse(name, 'the id of a record, a UUID')
  return value.toLowerCase()
}

export function objectIn(given: Arguments, name: string): Arguments {
  const value = given[name]
  if (!isJsonObject(value)) return refuse(name, 'a JSON object')
  return value as Arguments
}
