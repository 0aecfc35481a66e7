import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedDelivery {
  readonly headers: IncomingMessage['headers']
  /** Names and values as they were sent. */
  readonly rawHeaders: readonly string[]
  readonly text: string
  readonly body: Record<string, unknown> & { readonly data: Record<string, unknown> }
}

type Respond = (res: ServerResponse, received: ReceivedDelivery) => void

/** A receiver of webhooks on the loopback interface. `respond` decides what it answers. */
export class Receiver {
  readonly received: ReceivedDelivery[] = []
  respond: Respond = (res) => res.writeHead(204).end()
  connections = 0
  readonly #server: Server

  private constructor() {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const { headers, rawHeaders } = req
        const received = { headers, rawHeaders, text, body: JSON.parse(text) as ReceivedDelivery['body'] }
        this.received.push(received)
        this.respond(res, received)
      })
    })
    this.#server.on('connection', () => this.connections++)
  }

  static async start(): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hooks?a=b`
  }

  /** What was received since the last call. */
  take(): ReceivedDelivery[] {
    return this.received.splice(0)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
