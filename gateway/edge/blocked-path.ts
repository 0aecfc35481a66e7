/** What API keys can never call, whatever their scopes (specification, Authentication, rule 4). */
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

/** A path that can be read in one way only: lower case, single slashes, nothing encoded, no dot segments. */
const plain = /^(?:\/[a-z0-9_-]+)+\/?$/
const plainFamily = /^\/v1\/([a-z0-9_-]+)/

/** The path of a request target: without query, fragment, and the scheme and host of an absolute one. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/)
  const path = end < 0 ? target : target.slice(0, end)
  return path.startsWith('/') ? path : path.replace(/^[a-z][a-z0-9+.-]*:(\/\/[^/\\]*)?/i, '')
}

/** Percent-encoding undone until nothing changes: a proxy in front may undo one layer before the router undoes another. */
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
 * Whether a key may not call this, in any reading of the path: routers, proxies and browsers disagree on case, doubled
 * slashes, dot segments and encoding, and no reading that one of them could act on may pass.
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
