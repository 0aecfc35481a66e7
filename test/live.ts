import { createClient, type Client } from 'graphql-ws'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Member, Platform } from './platform.ts'

/** The payloads of a subscription, read one after another, over any protocol. */
export interface Live {
  /** The next payload or error; `completed` or `closed` when the subscription has ended. */
  next(): Promise<Payload | 'completed' | 'closed'>
  leave(): void
}

export interface Payload {
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data?: any
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly errors?: any
}

/** Buffers payloads until they are read. */
class PayloadQueue {
  readonly #payloads: (Payload | 'completed' | 'closed')[] = []
  #waiting: ((payload: Payload | 'completed' | 'closed') => void) | null = null

  push(payload: Payload | 'completed' | 'closed'): void {
    if (this.#waiting) this.#waiting(payload)
    else this.#payloads.push(payload)
    this.#waiting = null
  }

  next(): Promise<Payload | 'completed' | 'closed'> {
    const payload = this.#payloads.shift()
    return payload === undefined ? new Promise((resolve) => (this.#waiting = resolve)) : Promise.resolve(payload)
  }
}

export function socketOf(
  platform: Platform,
  connectionParams: Record<string, unknown>,
  onClosed: (code: number, reason: string) => void = () => {},
): Client {
  const client = createClient({
    url: `${platform.url.replace('http', 'ws')}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
    lazyCloseTimeout: 60_000,
    on: { closed: (event) => onClosed((event as CloseEvent).code, (event as CloseEvent).reason) },
  })
  onTestFinished(() => void client.dispose())
  return client
}

export function subscribeOn(client: Client, query: string, variables: Record<string, unknown> = {}): Live {
  const queue = new PayloadQueue()
  const leave = client.subscribe(
    { query, variables },
    {
      next: (payload) => queue.push(payload as Payload),
      error: (thrown) => queue.push(Array.isArray(thrown) ? { errors: thrown } : 'closed'),
      complete: () => queue.push('completed'),
    },
  )
  return { next: () => queue.next(), leave }
}

/** Subscribes with GraphQL over SSE and parses the stream. */
export async function subscribeByEvents(
  url: string,
  headers: Readonly<Record<string, string>>,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<Live & { readonly response: Response }> {
  const leaving = new AbortController()
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query, variables }),
    signal: leaving.signal,
  })
  onTestFinished(() => leaving.abort())
  const queue = new PayloadQueue()
  if (response.headers.get('content-type') === 'text/event-stream; charset=utf-8') void read(response, queue)
  else queue.push((await response.json()) as Payload)
  return { response, next: () => queue.next(), leave: () => leaving.abort() }
}

async function read(response: Response, queue: PayloadQueue): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
        text = text.slice(end + 2)
        if (event === 'next') queue.push(JSON.parse(data!) as Payload)
        if (event === 'complete') queue.push('completed')
      }
    }
  } catch {
    // The connection was interrupted.
  }
  queue.push('closed')
}

/** A frame of `POST /v1/webhooks/listen`. */
export interface ListenFrame {
  readonly event: string
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** A live stream of events over REST. Frames are read from the connection only when they are requested. */
export class Listening {
  readonly #reader: ReadableStreamDefaultReader<string>
  #text = ''

  constructor(
    readonly response: Response,
    readonly leave: () => void,
  ) {
    this.#reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** The next frame without comments; null when the stream has ended. */
  async next(): Promise<ListenFrame | null> {
    for (;;) {
      const end = this.#text.indexOf('\n\n')
      if (end >= 0) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(this.#text.slice(0, end)) ?? []
        this.#text = this.#text.slice(end + 2)
        if (event !== undefined) return { event, data: JSON.parse(data!) as unknown }
        continue
      }
      const { value, done } = await this.#reader.read()
      if (done) return null
      this.#text += value
    }
  }
}

/** Sends `POST /v1/webhooks/listen`. The stream is closed when the test ends. */
export async function listen(
  platform: Pick<Platform, 'url'>,
  headers: Readonly<Record<string, string>>,
  body?: unknown,
): Promise<Listening> {
  const leaving = new AbortController()
  const response = await fetch(`${platform.url}/v1/webhooks/listen`, {
    method: 'POST',
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: leaving.signal,
  })
  onTestFinished(() => leaving.abort())
  return new Listening(response, () => leaving.abort())
}

/** The protocols of subscriptions. */
export const protocols: readonly [
  string,
  (platform: Platform, member: Member, query: string, variables?: Record<string, unknown>) => Promise<Live>,
][] = [
  [
    'graphql-ws',
    async (platform, member, query, variables) =>
      subscribeOn(socketOf(platform, { 'X-API-Key': member.secret }), query, variables),
  ],
  [
    'GraphQL over SSE',
    (platform, member, query, variables) =>
      subscribeByEvents(`${platform.url}/v1/graphql`, member.headers, query, variables),
  ],
]
