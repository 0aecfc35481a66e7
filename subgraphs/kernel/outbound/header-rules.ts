import type { FieldProblem } from '../errors.ts'
import { isJsonObject } from '../json/exact-number.ts'

export const headersMax = 20
const nameMax = 100
export const headersCharactersMax = 8192

/** What an organization may set, as descriptions say it. */
export const headersDescription = `at most ${headersMax} with ${headersCharactersMax} characters together: an object of names and values. Headers of the connection, of the body, of signatures (X-Service-*, X-Webhook-*, Webhook-*) and cookies are refused`

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

/** What is wrong with the name of a header that an organization sets. */
export function headerNameProblem(path: string, name: string): FieldProblem | null {
  const found = (code: string, message: string): FieldProblem => ({ path, code, message })
  if (name.length > nameMax) return found('TOO_LONG', `The name of a header must have at most ${nameMax} characters.`)
  if (!token.test(name))
    return found('NOT_A_HEADER', 'The name of a header must consist of letters, digits and hyphens.')
  const lower = name.toLowerCase()
  if (reserved.has(lower) || reservedPrefix.test(lower))
    return found('RESERVED', `${path} must not be set, because the platform or the connection decides on it.`)
  return null
}

/** What is wrong with a header that an organization sets. Null as a value stands for the stored one. */
export function headerProblem(
  of: string,
  name: string,
  value: unknown,
  stored: Readonly<Record<string, string>> = {},
): FieldProblem | null {
  const path = `${of}.${name.slice(0, nameMax)}`
  const found = (code: string, message: string): FieldProblem => ({ path, code, message })
  const wrongName = headerNameProblem(path, name)
  if (wrongName) return wrongName
  if (value === null)
    return Object.hasOwn(stored, name) ? null : found('REQUIRED', `${path} must have a value, because none is stored.`)
  if (typeof value !== 'string') return found('WRONG_TYPE', `${path} must be text.`)
  if (!fieldValue.test(value))
    return found('NOT_A_HEADER', `${path} must be visible ASCII characters, with spaces only between them.`)
  return null
}

/** What is wrong with headers that an organization sets, all with their values. */
export function headersProblems(of: string, given: unknown): FieldProblem[] {
  const found = (code: string, rule: string): FieldProblem[] => [{ path: of, code, message: `${of} must ${rule}.` }]
  if (!isJsonObject(given)) return found('WRONG_TYPE', 'be an object of names and values')
  const entries = Object.entries(given)
  if (entries.length > headersMax) return found('TOO_MANY', `have at most ${headersMax} names`)
  const problems = entries.flatMap(([name, value]) => headerProblem(of, name, value) ?? [])
  if (problems.length > 0) return problems
  if (new Set(entries.map(([name]) => name.toLowerCase())).size < entries.length)
    return found('NOT_UNIQUE', 'contain each name once, in upper or lower case')
  return entries.flat().join('').length > headersCharactersMax
    ? found('TOO_LONG', `have at most ${headersCharactersMax} characters together`)
    : []
}
