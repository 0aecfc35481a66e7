/** Path families that no API key may call, whatever its scopes (specification, Authentication, rule 4). */
const blockedFamilies: ReadonlySet<string> = new Set([
  'auth',
  'api-keys',
  'admin',
  'scim',
  'oauth',
  'oauth-apps',
  'connected-apps',
  'developer-orgs',
  'apps',
  'marketplace',
  'page-builder',
  'named-credentials',
])

/** An unambiguous path: lower case, single slashes, no percent-encoding, no dot segments. */
const plain = /^(?:\/[a-z0-9_-]+)+\/?$/
const plainFamily = /^\/v1\/([a-z0-9_-]+)/

/** The path of a request target, without query and fragment, and without scheme and host if the target is absolute. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/\\]*)?/i, '')
}

/** Decodes percent-encoding until nothing changes, because a proxy may decode one layer before the router decodes another. */
function decoded(path: string): string {
  let text = path
  for (let layer = 0; layer < 5; layer++) {
    const next = text.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    if (next === text) break
    text = next
  }
  return text
}

function resolved(segments: readonly string[]): string[] {
  const kept: string[] = []
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else kept.push(segment)
  }
  return kept
}

const isBlocked = ([version, family]: readonly string[]): boolean =>
  version === 'v1' && family !== undefined && blockedFamilies.has(family)

/**
 * Whether API keys may not call this path. Routers, proxies and browsers normalise case, doubled slashes, dot segments and
 * encoding differently, so a path is blocked when any of these normalised forms is blocked.
 */
export function isBlockedPath(target: string): boolean {
  const path = pathOf(target)
  if (plain.test(path)) {
    const family = plainFamily.exec(path)?.[1]
    return family !== undefined && blockedFamilies.has(family)
  }
  const segments = decoded(path)
    .toLowerCase()
    .split(/[/\\]/)
    .map((segment) => segment.replace(/;.*$/, '').trim())
    .filter((segment) => segment !== '' && segment !== '.')
  return isBlocked(segments) || isBlocked(resolved(segments))
}
