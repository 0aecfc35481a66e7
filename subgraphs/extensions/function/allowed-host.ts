import { isIP } from 'node:net'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** A name of at least two labels whose last one begins with a letter, so that no form of an address is a name. */
const hostName = new RegExp(`^(?=.{1,253}$)(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$`)
const wildcard = '*.'

/** Whether the text is an exact host, or a wildcard for all names below one of at least two labels. */
export function isHostPattern(text: string): boolean {
  const host = (text.startsWith(wildcard) ? text.slice(wildcard.length) : text).toLowerCase()
  return hostName.test(host) && isIP(host) === 0
}

/** Whether a pattern covers the host. `*.example.com` covers one or more labels before example.com, and not example.com. */
function covers(pattern: string, host: string): boolean {
  const lower = pattern.toLowerCase()
  return lower.startsWith(wildcard) ? host.endsWith(lower.slice(1)) && host.length > lower.length - 1 : host === lower
}

/** Why the URL must not be fetched; null if it may be. Its addresses are checked when a connection is opened. */
export function whyNotAllowed(url: URL, allowedHosts: readonly string[]): string | null {
  if (url.protocol !== 'https:') return 'fetch must use https.'
  if (url.port !== '' && url.port !== '443') return 'fetch must use the port 443.'
  if (url.username !== '' || url.password !== '') return 'fetch must not contain a user or a password in its URL.'
  const host = url.hostname.toLowerCase()
  const isCovered = allowedHosts.some((pattern) => covers(pattern, host))
  return isCovered ? null : `allowedHosts of the function does not contain ${host}.`
}
