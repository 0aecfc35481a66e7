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
class Arrivals {
  readonly #come: (Payload | 'completed' | 'closed')[] = []
  #waiting: ((come: Payload | 'completed' | 'closed') => void) | null = null

  push(come: Payload | 'completed' | 'closed'): void {
    if (this.#waiting) this.#waiting(come)
    else this.#come.push(come)
    this.#waiting = null
  }

  next(): Promise<Payload | 'completed' | 'closed'> {
    const come = this.#come.shift()
    return come === undefined ? new Promise((resolve) => (this.#waiting = resolve)) : Promise.resolve(come)
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
  const arrivals = new Arrivals()
  const leave = client.subscribe(
    { query, variables },
    {
      next: (payload) => arrivals.push(payload as Payload),
      error: (thrown) => arrivals.push(Array.isArray(thrown) ? { errors: thrown } : 'closed'),
      complete: () => arrivals.push('completed'),
    },
  )
  return { next: () => arrivals.next(), leave }
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
  const arrivals = new Arrivals()
  if (response.headers.get('content-type') === 'text/event-stream; charset=utf-8') void read(response, arrivals)
  else arrivals.push((await response.json()) as Payload)
  return { response, next: () => arrivals.next(), leave: () => leaving.abort() }
}

async function read(response: Response, arrivals: Arrivals): Promise<void> {
  let text = ''
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const [, event, data] = /^event: (\w+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? []
        text = text.slice(end + 2)
        if (event === 'next') arrivals.push(JSON.parse(data!) as Payload)
        if (event === 'complete') arrivals.push('completed')
      }
    }
  } catch {
    // The connection was interrupted.
  }
  arrivals.push('closed')
}

/** The protocols of subscriptions. */
export const ways: readonly [
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
