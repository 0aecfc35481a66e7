import type { FieldProblem } from '../errors.ts'
import type { Outbound } from './outbound.ts'

const isPort = (port: number): boolean => port === 80 || port === 443 || (port >= 1024 && port <= 65_535)

/** White space and control characters, which a URL parser would skip. */
const invisible = /[\s\p{Cc}]/u

/** What is wrong with the address of a receiver. Names are not resolved here, except for http, because DNS may change at any time. */
export async function receiverUrlProblems(outbound: Outbound, text: string, path: string): Promise<FieldProblem[]> {
  const problem = (code: string, rule: string): FieldProblem[] => [{ path, code, message: `${path} must ${rule}.` }]
  const url = invisible.test(text) ? null : URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    return problem('NOT_A_URL', 'be an absolute URL that starts with https://')
  if (url.username || url.password)
    return problem('CREDENTIALS_IN_URL', 'not contain a user or a password; send them in a header')
  if (url.hash || text.includes('#')) return problem('FRAGMENT_IN_URL', 'not contain a fragment (#)')
  const isSecure = url.protocol === 'https:'
  if (!isPort(Number(url.port || (isSecure ? 443 : 80))))
    return problem('PORT_NOT_ALLOWED', 'have the port 80, 443 or one from 1024 to 65535')
  if (outbound.isRefusedAddress(url))
    return problem('ADDRESS_NOT_PUBLIC', 'have a public address; an operator can allow others with OUTBOUND_ALLOW')
  if (isSecure || (await outbound.isAllowedByConfiguration(url))) return []
  return problem('NOT_HTTPS', 'start with https://')
}
