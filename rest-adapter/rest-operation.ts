import type { Method, Parameter, Schema } from './openapi.ts'

/** The deprecation of an operation: since when, until when, and its successor. */
export interface Sunset {
  readonly endsAt: number
  /** `Link` is a template if the path of the successor has parameters. */
  readonly headers: Readonly<Record<string, string>>
}

/** The effect on the cookies of a browser: set those of a new session, clear them, or set a new CSRF token of the same session. */
export type CookieAction = 'set' | 'clear' | 'csrf'

/** The success answer of an operation. */
export interface Success {
  readonly status: number
  readonly headers: ReadonlySet<string>
  readonly hasBody: boolean
  /** It is a stream of events (`text/event-stream`). */
  readonly isStream: boolean
}

/** One REST operation: what the routes, the translation and the answers need to know of it. */
export interface RestOperation {
  readonly id: string
  /** The operation whose stored document this one runs: its own, unless it is another's second path. */
  readonly documentId: string
  readonly method: Method
  readonly path: string
  readonly scopes: readonly string[]
  /** Open to callers without a credential. */
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  readonly body: { readonly required: boolean; readonly schema: Schema } | null
  readonly success: Success
  readonly acceptsIdempotencyKey: boolean
  readonly sunset: Sunset | null
  readonly sessionCookies: CookieAction | null
  /** The stored GraphQL document with the fragments it uses; null when an exception serves the operation. */
  readonly document: string | null
}
