import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** A service on the loopback interface that organizations call. `respond` decides what it answers; by default what it got. */
export class Service {
  readonly received: ReceivedRequest[] = []
  respond: (res: ServerResponse, request: ReceivedRequest) => void | Promise<void> = echoed
  readonly #server: Server

  private constructor() {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const request = { method: req.method!, path: req.url!, headers: req.headers, text }
        this.received.push(request)
        void this.respond(res, request)
      })
    })
  }

  static async start(): Promise<Service> {
    const service = new Service()
    service.#server.listen(0, '127.0.0.1')
    await once(service.#server, 'listening')
    return service
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What was received since the last call. */
  take(): ReceivedRequest[] {
    return this.received.splice(0)
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

export const echoed: Service['respond'] = (res, { method, path, headers, text }) =>
  answerJson(res, 200, { method, path, headers, text })

export const answerJson = (res: ServerResponse, status: number, body: unknown): void =>
  void res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
