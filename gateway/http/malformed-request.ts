import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newRequestId, problemOf } from '../edge/problem.ts'
import type { Edge } from '../edge/edge.ts'
import { requestTimeouts } from './connections.ts'

export const headerBytesMax = 32_768
const closingMs = 1_000

const refusalOf = ({ code }: NodeJS.ErrnoException): Refusal => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('HEADERS_TOO_LARGE', `The headers must have at most ${headerBytesMax} bytes.`)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('PAYLOAD_TOO_LARGE', 'Chunk extensions must be smaller; send chunks without extensions.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal(
        'REQUEST_TIMEOUT',
        `Send the headers of a request within ${requestTimeouts.headersTimeout / 1000} s and all of it within ${requestTimeouts.requestTimeout / 1000} s.`,
      )
    default:
      return new Refusal('MALFORMED_REQUEST', 'The request must be valid HTTP/1.1.')
  }
}

/** What Node keeps on a socket: the response that it is waiting for, and the request that is being parsed. */
type NodeSocket = object & {
  readonly _httpMessage?: ServerResponse | null
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null
}

/** Sends our error body for requests that Node cannot parse, and for unsupported `Expect` headers. */
export function answerMalformedRequests(
  server: Server,
  { edge, apiVersion }: { readonly edge: Pick<Edge, 'refuse'>; readonly apiVersion: string },
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { _httpMessage: answering, parser } = socket as NodeSocket
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy(error)
    } else if (answering?.req.complete) {
      // The invalid bytes follow a complete request. Its answer must not look like the answer to them, so the connection ends after it.
      if (answering.shouldKeepAlive) answering.once('finish', () => socket.end())
      answering.shouldKeepAlive = false
    } else if (answering?.headersSent) {
      socket.destroy(error)
    } else if (!answering && parser?.incoming?.complete === false) {
      // The invalid bytes are in the body of a request that has its answer, which must not be followed by another one.
      socket.end()
    } else {
      refuseAndClose(refusalOf(error), socket as Socket, apiVersion)
    }
  })
  server.on('checkExpectation', (req, res) => {
    res.setHeader('API-Version', apiVersion)
    edge.refuse(new Refusal('EXPECTATION_FAILED', 'Expect must be 100-continue.'), req, res)
  })
}

/** Writes the error body to the socket and closes it, for requests without a response object. */
export function refuseAndClose(refusal: Refusal, socket: Socket, apiVersion: string): void {
  socket.end(rawAnswer(refusal, apiVersion))
  // Reads and drops incoming bytes, because closing with unread bytes resets the connection and may lose the answer.
  socket.resume()
  socket.setTimeout(closingMs, () => socket.destroy())
}

function rawAnswer(refusal: Refusal, apiVersion: string): string {
  const requestId = newRequestId()
  const { problem, headers } = problemOf(refusal, '/', requestId)
  const body = JSON.stringify(problem)
  const lines = Object.entries({
    ...headers,
    'API-Version': apiVersion,
    'X-Request-Id': requestId,
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`
}
