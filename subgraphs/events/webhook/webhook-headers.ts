import { invalid } from '../../kernel/errors.ts'
import { headerProblem, headersCharactersMax, headersMax } from '../../kernel/outbound/header-rules.ts'

type Headers = Readonly<Record<string, string>>

/** The custom headers as requested. Null as a value keeps the stored value. Throws when a name or a value is not allowed. */
export function requestedHeaders(given: unknown, stored: Headers): Headers {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid({ path: 'headers', code: 'WRONG_TYPE', message: 'headers must be an object of names and values.' })
  const entries = Object.entries(given)
  const tooMany = { path: 'headers', code: 'TOO_MANY', message: `headers must have at most ${headersMax} names.` }
  if (entries.length > headersMax) throw invalid(tooMany)
  const problems = entries.flatMap(([name, value]) => headerProblem('headers', name, value, stored) ?? [])
  if (problems.length > 0) throw invalid(...problems)
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length) {
    const message = 'headers must contain each name once, in upper or lower case.'
    throw invalid({ path: 'headers', code: 'NOT_UNIQUE', message })
  }
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, (value as string | null) ?? stored[name]!]))
  if (Object.entries(headers).join('').length > headersCharactersMax) {
    const message = `headers must have at most ${headersCharactersMax} characters together.`
    throw invalid({ path: 'headers', code: 'TOO_LONG', message })
  }
  return headers
}

/** The headers as they are shown: each name with null. */
export const withoutValues = (headers: Headers): Record<string, null> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, null]))
