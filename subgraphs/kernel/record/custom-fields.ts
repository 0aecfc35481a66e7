import { invalid, type FieldProblem } from '../errors.ts'

type Fields = Readonly<Record<string, unknown>>

/** On one record. */
const countMax = 500
const nameMax = 100

export function checkCustomFields(value: unknown): FieldProblem | null {
  const problem = (code: string, message: string): FieldProblem => ({ path: 'customFields', code, message })
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return problem('WRONG_TYPE', 'customFields is an object keyed by API name.')
  for (const name in value) {
    if (name === '') return problem('EMPTY', 'A name in customFields must not be empty.')
    if (name.length > nameMax && [...name].length > nameMax)
      return problem('TOO_LONG', `A name in customFields takes at most ${nameMax} characters.`)
  }
  return null
}

/** A change of custom fields names those it changes; null clears one. */
export function mergeCustomFields(previous: unknown, change: unknown): Fields {
  const merged = Object.entries({ ...(previous as Fields), ...(change as Fields) }).filter(
    ([, value]) => value !== null,
  )
  if (merged.length > countMax) {
    const message = `A record has at most ${countMax} custom fields.`
    throw invalid({ path: 'customFields', code: 'TOO_MANY', message })
  }
  return Object.fromEntries(merged)
}
