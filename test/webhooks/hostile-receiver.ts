import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A receiver of webhooks on the loopback interface. */
export interface Receiver {
  readonly url: string
  /** Bytes that the receiver has sent. */
  bytesSent(): number
  readonly connections: () => number
}

async function listening(server: Server, scheme: 'http' | 'https', host = '127.0.0.1'): Promise<Receiver> {
  const sockets = new Set<Socket>()
  let bytes = 0
  let connections = 0
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => {
      bytes += socket.bytesWritten
      sockets.delete(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    url: `${scheme}://${host}:${(server.address() as AddressInfo).port}/hook`,
    bytesSent: () => [...sockets].reduce((sum, { bytesWritten }) => sum + bytesWritten, bytes),
    connections: () => connections,
  }
}

/** A receiver that answers as a web server does. The body of the request is read first. */
export const httpReceiver = (answer: RequestListener, host?: string): Promise<Receiver> =>
  listening(
    createHttpServer((request, response) => {
      request.resume().once('end', () => answer(request, response))
    }),
    'http',
    host,
  )

/** A receiver that reads the body of each request itself. */
export const rawHttpReceiver = (
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<Receiver> =>
  listening(
    createHttpServer((request, response) => void answer(request, response)),
    'http',
  )

/** A receiver that does with each connection what `talk` does. */
export const rawReceiver = (talk: (socket: Socket) => void): Promise<Receiver> => listening(createServer(talk), 'http')

/** A receiver with a certificate that nobody trusts. */
export const httpsReceiver = (certificate: { readonly key: string; readonly cert: string }): Promise<Receiver> =>
  listening(
    createHttpsServer(certificate, (_request, response) => void response.end()),
    'https',
  )

/** The whole body of a request. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
