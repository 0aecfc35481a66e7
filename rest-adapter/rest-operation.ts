import type { OperationLimits } from '../subgraphs/kernel/operation-limits.ts'
import type { Method, Parameter, Schema } from './openapi.ts'
import type { ReadOnlyShape } from './read-only.ts'
import type { Shaping } from './shape/shaping.ts'

/** The deprecation of an operation: its start, its end and its successor. */
export interface Sunset {
  readonly endsAt: number
  /** `Link` is a template if the path of the successor has parameters. */
  readonly headers: Readonly<Record<string, string>>
}

/** The effect on the cookies of a browser: set those of a new session, clear them, or set a new CSRF token of the same session. */
export type CookieAction = 'set' | 'clear' | 'csrf'

/** The success response of an operation. */
export interface Success {
  readonly status: number
  /** The status of answers in which this property is not true, such as 200 where a POST creates a record or changes it; null if there is one status only. */
  readonly otherwise: { readonly status: number; readonly property: string } | null
  /** The property of the answer that is the body; null if the whole answer is. */
  readonly property: string | null
  readonly headers: ReadonlySet<string>
  readonly hasBody: boolean
  /** True if `If-None-Match` with the ETag of the record is answered 304. */
  readonly isConditional: boolean
  /** The properties of the record that also change without a new version (`x-unversioned`); the ETag contains their values. */
  readonly unversioned: readonly string[]
  /** The media type of a file that is the body, such as `application/pdf`; null for JSON. */
  readonly fileType: string | null
  /** True if the body is a stream of events (`text/event-stream`). */
  readonly isStream: boolean
}

/** One REST operation of the contract, with all references resolved. */
export interface RestOperation {
  readonly id: string
  /** The name of the stored document: the operation's own id, or the id of the original operation for an alias path. */
  readonly documentId: string
  readonly method: Method
  readonly path: string
  readonly scopes: readonly string[]
  /** True if no credential is required. */
  readonly isPublic: boolean
  readonly parameters: readonly Parameter[]
  /** Whether query parameters that the operation does not have are ignored. */
  readonly ignoresUnknownParameters: boolean
  /** The query parameter with the API key, which the caller sends instead of a header; null for other operations. */
  readonly keyParameter: string | null
  readonly body: { readonly required: boolean; readonly schema: Schema } | null
  /** The body is a file, which a custom handler reads from the request. */
  readonly takesFile: boolean
  /** Without a stored document: every credential may call it, and it checks the scopes itself. */
  readonly isForEveryCredential: boolean
  /** The properties of the answer of `GET` of the path that this change does not write; null if it is no change of what `GET` returns. */
  readonly readOnly: ReadOnlyShape | null
  readonly success: Success
  /** What callers can choose of the answered records (`fields`, `expand`); null if nothing. */
  readonly shaping: Shaping | null
  readonly acceptsIdempotencyKey: boolean
  readonly limits: OperationLimits
  readonly sunset: Sunset | null
  readonly sessionCookies: CookieAction | null
  /** The stored GraphQL document with the fragments that it uses; null if a custom handler serves the operation. */
  readonly document: string | null
}
