import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One request to the provider of language models. */
export interface AskedModel {
  readonly path: string | undefined
  readonly authorization: string | undefined
  readonly body: {
    readonly model: string
    readonly stream: boolean
    readonly max_tokens: number
    readonly messages: readonly { readonly role: string; readonly content: string }[]
    readonly response_format: { readonly json_schema: { readonly name: string } }
  }
}

/** A provider of language models on loopback, which answers as a test says. */
export class ModelServer {
  readonly asked: AskedModel[] = []
  answer: (asked: AskedModel, response: ServerResponse) => unknown = () => undefined
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

  /** The brief in the last request. */
  get brief(): Record<string, unknown> {
    return JSON.parse(this.asked.at(-1)!.body.messages.at(-1)!.content) as Record<string, unknown>
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as AskedModel['body']
    const asked = { path: request.url, authorization: request.headers.authorization, body }
    this.asked.push(asked)
    this.answer(asked, response)
  }
}

export const completion = (content: string, more: object = {}): string =>
  JSON.stringify({
    model: 'writer-1-0405',
    choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop', ...more }],
    usage: { prompt_tokens: 12, completion_tokens: 7 },
  })

/** The answer with these mails. */
export const mailsOf = (...mails: readonly { subject: string; paragraphs: readonly string[] }[]): string =>
  completion(JSON.stringify({ mails }))
