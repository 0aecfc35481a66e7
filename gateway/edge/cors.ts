import type { IncomingMessage, ServerResponse } from 'node:http'

export interface CorsPolicy {
  /** Pages of any origin may send requests with an API key or a token, and without cookies. */
  readonly anyOrigin: boolean
  /** Origins whose pages may also send cookies. */
  readonly origins: readonly string[]
}

/** Response headers that a page of another origin may read, besides those that browsers always allow. */
const exposedHeaders = [
  'API-Version',
  'Deprecation',
  'Dry-Run-Events',
  'Dry-Run-Not-Executed',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'Preference-Applied',
  'RateLimit-Limit',
  'RateLimit-Policy',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
].join(', ')
const methods = 'GET, HEAD, POST, PUT, PATCH, DELETE'
/** How long a browser may cache the answer to a preflight; Chromium caps it at this value. */
const cachedSeconds = '7200'
/**
 * The interfaces for programs. Pages, health and metrics are not readable by other origins; OAuth allows origins by client, except where
 * there is no client yet.
 */
const programPath =
  /^\/(?:v1\/(?!oauth(?:[/?]|$)(?!register(?:\?|$)))|(?:graphql|schema\.graphql|openapi\.json|mcp)(?:[/?]|$)|\.well-known\/(?:jwks\.json|oauth-))/

/**
 * Cross-origin resource sharing (CORS) by the Fetch standard. Only named origins get `Access-Control-Allow-Credentials`, so
 * with `*` a page can use a credential that it has, and never the cookies of its visitor.
 */
export class Cors {
  readonly #anyOrigin: boolean
  readonly #origins: ReadonlySet<string>

  constructor({ anyOrigin, origins }: CorsPolicy) {
    this.#anyOrigin = anyOrigin
    this.#origins = new Set(origins)
  }

  /** Whether pages of this origin may call interfaces for programs. */
  permits(origin: string): boolean {
    return this.#anyOrigin || this.#origins.has(origin)
  }

  /**
   * Sets the headers that let the page of another origin read the response. Call it before anything is sent, so that pages can
   * read refusals as well.
   */
  allow(req: IncomingMessage, res: ServerResponse): void {
    const { origin } = req.headers
    if (origin === undefined || !programPath.test(req.url ?? '')) return
    if (this.#origins.size > 0) res.setHeader('Vary', 'Origin')
    if (this.#origins.has(origin)) {
      res.setHeader('Access-Control-Allow-Origin', origin)
      res.setHeader('Access-Control-Allow-Credentials', 'true')
    } else if (this.#anyOrigin) res.setHeader('Access-Control-Allow-Origin', '*')
    else return
    res.setHeader('Access-Control-Expose-Headers', exposedHeaders)
  }

  /**
   * Answers a preflight request and returns true; returns false for any other request. A preflight has no credential and runs
   * nothing, so it is neither authenticated nor counted by rate limits and quotas: the answer costs less than a refusal, and the
   * limits of connections bound it.
   */
  answersPreflight(req: IncomingMessage, res: ServerResponse): boolean {
    const { origin, 'access-control-request-method': method } = req.headers
    if (req.method !== 'OPTIONS' || origin === undefined || method === undefined) return false
    if (!programPath.test(req.url ?? '')) return false
    if (res.hasHeader('Access-Control-Allow-Origin')) {
      res.setHeader('Access-Control-Allow-Methods', methods)
      // Any header may be sent, because clients and tracing tools add their own, and no unknown header has a meaning here.
      const requested = req.headers['access-control-request-headers']
      if (requested !== undefined) res.setHeader('Access-Control-Allow-Headers', requested)
      res.setHeader('Access-Control-Max-Age', cachedSeconds)
    }
    res.writeHead(204, { 'Cache-Control': 'no-store' }).end()
    return true
  }
}
