import { STATUS_CODES, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { newRequestId, problemOf } from '../edge/problem.ts'
import type { Edge } from '../edge/edge.ts'

export const headerBytesMax = 32_768
const closingMs = 1_000

const refusalOf = ({ code }: NodeJS.ErrnoException): Refusal => {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal('HEADERS_TOO_LARGE', `The headers are larger than ${headerBytesMax} bytes.`)
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new Refusal('PAYLOAD_TOO_LARGE', 'The extensions of the chunks are too large.')
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal('REQUEST_TIMEOUT', 'The request did not come to its end in time.')
    default:
      return new Refusal('MALFORMED_REQUEST', 'The request is not valid HTTP/1.1.')
  }
}

/** Answers what Node itself refuses before there is a request, and expectations that nobody can meet, with the error body. */
export function answerUnreadable(
  server: Server,
  { edge, apiVersion }: { readonly edge: Pick<Edge, 'refuse'>; readonly apiVersion: string },
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse | null }
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy(error)
    } else if (answering?.req.complete) {
      // It came behind a whole request, whose answer is not to be taken for this one.
      if (answering.shouldKeepAlive) answering.once('finish', () => socket.end())
      answering.shouldKeepAlive = false
    } else if (answering?.headersSent) {
      socket.destroy(error)
    } else {
      endWith(refusalOf(error), socket as Socket, apiVersion)
    }
  })
  server.on('checkExpectation', (req, res) => {
    res.setHeader('API-Version', apiVersion)
    edge.refuse(new Refusal('EXPECTATION_FAILED', 'The only expectation that is met is 100-continue.'), req, res)
  })
}

/** Ends a connection with the error body, where no response can. */
export function endWith(refusal: Refusal, socket: Socket, apiVersion: string): void {
  socket.end(rawAnswer(refusal, apiVersion))
  // What is still coming is read and dropped: a connection that is reset would take the answer with it.
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
