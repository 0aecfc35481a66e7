import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from 'vitest'

export interface HookRequest {
  readonly hook: string
  readonly objectType: string
  readonly operation: string
  readonly depth: number
  readonly records: readonly {
    readonly id: string
    readonly values: Readonly<Record<string, unknown>>
    readonly next: Readonly<Record<string, unknown>> | null
    readonly previous: Readonly<Record<string, unknown>> | null
  }[]
}

export type Received = HookRequest & {
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly text: string
}

/** An address that decides as a test wants. */
export class HookReceiver {
  readonly received: Received[] = []
  url = ''
  /** Answers a request; what it returns is sent as JSON with status 200. */
  decide: (request: HookRequest, response: ServerResponse) => unknown = allow

  readonly #server = createServer((request, response) => {
    let text = ''
    request.on('data', (part: Buffer) => (text += part.toString()))
    request.on('end', () => {
      const parsed = JSON.parse(text) as HookRequest
      this.received.push({ ...parsed, headers: request.headers, path: request.url!, text })
      const answer = this.decide(parsed, response)
      if (answer !== undefined)
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
    })
  })

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/decide`
  }

  reset(): void {
    this.received.length = 0
    this.decide = allow
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => void this.#server.close(resolve))
  }
}

export const allow = ({ records }: HookRequest): object => ({ results: records.map(() => ({ decision: 'ALLOW' })) })

export function useHookReceiver(): HookReceiver {
  const receiver = new HookReceiver()
  beforeAll(() => receiver.open())
  afterAll(() => receiver.close())
  return receiver
}
