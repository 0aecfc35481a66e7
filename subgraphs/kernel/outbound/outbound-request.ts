import type { IncomingHttpHeaders } from 'node:http'

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
