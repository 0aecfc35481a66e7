import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

export interface OutboundRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly timeoutMs?: number
  /** Maximum size of the body of the answer; a longer answer is an error, unless `answerBytesKept` is given. */
  readonly answerBytesMax?: number
  /** Keep only the first bytes of the body. The rest is read up to `answerBytesMax`; then the connection is closed, which is no error. */
  readonly answerBytesKept?: number
  /** Use an open connection to the same origin if there is one, and keep the connection open for some seconds. */
  readonly keepAlive?: boolean
}

export interface OutboundAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface StreamDeadlines {
  /** Until the first byte of the body, with the resolution of the name and the connection. */
  readonly firstByteMs: number
  /** Between two parts of the body. */
  readonly silenceMs: number
  /** Until the last byte. */
  readonly totalMs: number
}

export interface StreamRequest extends Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>, StreamDeadlines {
  readonly answerBytesMax: number
  /** Ends the exchange and closes its connection. */
  readonly signal?: AbortSignal
}

/** An answer that is still arriving. */
export interface StreamedAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The bytes as they arrive. Reading it throws an `OutboundError` at a deadline or when the connection breaks. */
  readonly body: Readable
}
