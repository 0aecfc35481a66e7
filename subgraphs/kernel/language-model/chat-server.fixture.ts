import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AskedChat {
  readonly model: string
  readonly stream?: boolean
  readonly max_tokens?: number
  readonly messages: readonly {
    readonly role: string
    readonly content: string | null
    readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[]
    readonly tool_call_id?: string
  }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
}

/** Writes one answer as chunks of chat completions. */
export class ChatReply {
  constructor(readonly response: ServerResponse) {}

  #chunk(choice: object, more: object = {}): this {
    if (!this.response.headersSent) this.response.writeHead(200, { 'content-type': 'text/event-stream' })
    return this.raw({ id: 'chat-1', model: 'writer-1-0405', choices: [{ index: 0, ...choice }], ...more })
  }

  raw(chunk: object | string): this {
    if (!this.response.headersSent) this.response.writeHead(200, { 'content-type': 'text/event-stream' })
    this.response.write(`data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`)
    return this
  }

  text(...deltas: readonly string[]): this {
    for (const content of deltas) this.#chunk({ delta: { content } })
    return this
  }

  call(name: string, args: object | string, id = `call-${name}`, index = 0): this {
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    return this.#chunk({
      delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: text } }] },
    })
  }

  end(reason = 'stop', usage: object | null = { prompt_tokens: 12, completion_tokens: 7 }): void {
    this.#chunk({ delta: {}, finish_reason: reason }, usage ? { usage } : {})
    this.response.end('data: [DONE]\n\n')
  }

  /** Closes the connection in the middle of the answer, after what was written has left. */
  cut(): void {
    this.response.write(':\n\n', () => this.response.destroy())
  }
}

/** A provider of language models on loopback, which streams what a test says and counts the clients that left before the end. */
export class ChatServer {
  readonly asked: AskedChat[] = []
  left = 0
  answer: (reply: ChatReply, asked: AskedChat) => unknown = (reply) => reply.text('Hello.').end()
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  async start(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  stop(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as AskedChat
    this.asked.push(asked)
    response.once('close', () => {
      if (!response.writableEnded) this.left += 1
    })
    this.answer(new ChatReply(response), asked)
  }
}
