import { invalid, type FieldProblem } from '../../kernel/errors.ts'

const headersMax = 20
const nameMax = 100
const charactersMax = 8192

/** Names that the platform, the connection or the body decides on, and headers by which proxies act. */
const reserved = new Set([
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'cookie2',
  'date',
  'expect',
  'forwarded',
  'host',
  'http2-settings',
  'keep-alive',
  'range',
  'set-cookie',
  'set-cookie2',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
])
const reservedPrefix = /^(?:proxy-|x-service-|x-webhook-|webhook-|x-forwarded-)/

/** A token of RFC 9110. */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Visible ASCII, with spaces and tabs inside. */
const fieldValue = /^[!-~](?:[ \t!-~]*[!-~])?$/

type Headers = Readonly<Record<string, string>>

function problemOf(name: string, value: unknown, stored: Headers): FieldProblem | null {
  const path = `headers.${name.slice(0, nameMax)}`
  const found = (code: string, message: string): FieldProblem => ({ path, code, message })
  if (name.length > nameMax) return found('TOO_LONG', `The name of a header must have at most ${nameMax} characters.`)
  if (!token.test(name))
    return found('NOT_A_HEADER', 'The name of a header must consist of letters, digits and hyphens.')
  const lower = name.toLowerCase()
  if (reserved.has(lower) || reservedPrefix.test(lower))
    return found('RESERVED', `${path} must not be set, because the platform or the connection decides on it.`)
  if (value === null)
    return Object.hasOwn(stored, name) ? null : found('REQUIRED', `${path} must have a value, because none is stored.`)
  if (typeof value !== 'string') return found('WRONG_TYPE', `${path} must be text.`)
  if (!fieldValue.test(value))
    return found('NOT_A_HEADER', `${path} must be visible ASCII characters, with spaces only between them.`)
  return null
}

/** The custom headers as requested. Null as a value keeps the stored value. Throws when a name or a value is not allowed. */
export function requestedHeaders(given: unknown, stored: Headers): Headers {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid({ path: 'headers', code: 'WRONG_TYPE', message: 'headers must be an object of names and values.' })
  const entries = Object.entries(given)
  const tooMany = { path: 'headers', code: 'TOO_MANY', message: `headers must have at most ${headersMax} names.` }
  if (entries.length > headersMax) throw invalid(tooMany)
  const problems = entries.flatMap(([name, value]) => problemOf(name, value, stored) ?? [])
  if (problems.length > 0) throw invalid(...problems)
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length) {
    const message = 'headers must contain each name once, in upper or lower case.'
    throw invalid({ path: 'headers', code: 'NOT_UNIQUE', message })
  }
  const headers = Object.fromEntries(entries.map(([name, value]) => [name, (value as string | null) ?? stored[name]!]))
  if (Object.entries(headers).join('').length > charactersMax) {
    const message = `headers must have at most ${charactersMax} characters together.`
    throw invalid({ path: 'headers', code: 'TOO_LONG', message })
  }
  return headers
}

/** The headers as they are shown: each name with null. */
export const withoutValues = (headers: Headers): Record<string, null> =>
  Object.fromEntries(Object.keys(headers).map((name) => [name, null]))
