import type { FieldProblem } from '../../kernel/errors.ts'
import { isJsonObject } from '../../kernel/json/exact-number.ts'
import { headerNameProblem, headersProblems } from '../../kernel/outbound/header-rules.ts'
import type { Outbound } from '../../kernel/outbound/outbound.ts'
import { receiverUrlProblems } from '../../kernel/outbound/receiver-url.ts'
import { apiNamePattern } from '../function/bounds.ts'
import { urlMax } from './bounds.ts'
import type { CredentialAuthType, NamedCredential } from './named-credential.ts'

type Settings = Partial<Pick<NamedCredential, 'baseUrl' | 'tokenUrl'>>

const control = /\p{Cc}/u
/** A scope token of RFC 6749. */
const scopeToken = /^[!#-[\]-~]+$/

const requiredFor = {
  NONE: [],
  API_KEY_HEADER: ['headerName'],
  BEARER: [],
  BASIC: ['username'],
  OAUTH2_CLIENT_CREDENTIALS: ['tokenUrl', 'clientId'],
} as const satisfies Record<CredentialAuthType, readonly (keyof NamedCredential)[]>

/** What the values of a credential alone say. */
export function authenticationProblems(next: NamedCredential, previous: NamedCredential | null): FieldProblem[] {
  const problems: FieldProblem[] = []
  const refuse = (path: string, code: string, rule: string): void =>
    void problems.push({ path, code, message: `${path} must ${rule}.` })
  if (!previous && !apiNamePattern.test(next.apiName))
    refuse('apiName', 'WRONG_FORMAT', 'be 2 to 48 lower-case letters, digits and underscores, and begin with a letter')
  for (const name of requiredFor[next.authType])
    if (!next[name]) refuse(name, 'REQUIRED', `be given for the authType ${next.authType}`)
  if (next.headerName && next.headerName !== previous?.headerName) {
    const problem = headerNameProblem('headerName', next.headerName)
    if (problem) problems.push(problem)
  }
  if (next.username && /[:\p{Cc}]/u.test(next.username))
    refuse('username', 'WRONG_FORMAT', 'have no colon and no control characters')
  if (next.clientId && control.test(next.clientId)) refuse('clientId', 'WRONG_FORMAT', 'have no control characters')
  for (const [index, scope] of next.scopes.entries())
    if (!scopeToken.test(scope)) refuse(`scopes.${index}`, 'WRONG_FORMAT', 'be visible ASCII characters without spaces')
  if (next.staticHeaders !== previous?.staticHeaders) problems.push(...staticProblems(next.staticHeaders))
  return problems
}

function staticProblems(headers: unknown): FieldProblem[] {
  const problems = headersProblems('staticHeaders', headers)
  if (problems.length > 0 || !isJsonObject(headers)) return problems
  return Object.keys(headers)
    .filter((name) => name.toLowerCase() === 'authorization')
    .map((name) => {
      const path = `staticHeaders.${name}`
      return { path, code: 'RESERVED', message: `${path} must not be set; use an authType, whose secret is encrypted.` }
    })
}

/** What is wrong with the addresses of a change. */
export async function addressProblems(
  outbound: Outbound,
  given: { readonly [Name in keyof Settings]: Settings[Name] | null },
): Promise<FieldProblem[]> {
  const problems: FieldProblem[] = []
  for (const path of ['baseUrl', 'tokenUrl'] as const) {
    const text = given[path]
    if (typeof text !== 'string' || text.length > urlMax) continue
    problems.push(...(await receiverUrlProblems(outbound, text, path)))
    if (path === 'baseUrl' && text.includes('?'))
      problems.push({ path, code: 'QUERY_IN_URL', message: 'baseUrl must not contain a query (?).' })
  }
  return problems
}

const originOf = (url: string | null): string | null => (url === null ? null : (URL.parse(url)?.origin ?? null))

/** Whether a change would send the secret to somebody whom it was not given for. */
export const losesSecret = (previous: NamedCredential, next: Partial<NamedCredential>): boolean =>
  (next.authType !== undefined && next.authType !== previous.authType) ||
  (next.baseUrl !== undefined && originOf(next.baseUrl) !== originOf(previous.baseUrl)) ||
  (next.tokenUrl !== undefined && originOf(next.tokenUrl) !== originOf(previous.tokenUrl))

/** What a header can carry: visible ASCII, with spaces only between. */
const headerText = /^[!-~](?:[ !-~]*[!-~])?$/

/** What is wrong with a secret for this way to authenticate. */
export function secretProblems(authType: CredentialAuthType, secret: string): FieldProblem[] {
  const found = (code: string, rule: string): FieldProblem[] => [
    { path: 'secret', code, message: `secret must ${rule}.` },
  ]
  if (authType === 'BEARER' && !/^[!-~]+$/.test(secret)) return found('WRONG_FORMAT', 'be visible ASCII characters')
  if (authType === 'API_KEY_HEADER' && !headerText.test(secret))
    return found('WRONG_FORMAT', 'be visible ASCII characters, with spaces only between them')
  return control.test(secret) ? found('WRONG_FORMAT', 'have no control characters') : []
}
