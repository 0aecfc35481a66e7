import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { readAtOnce } from './send-json.ts'
import { countedFrom, sharerOf, unsent } from './unsent.ts'

/** One event of a stream in the format of server-sent events (WHATWG HTML, 9.2). */
export interface ServerSentEvent {
  /** The type that a client listens for; `message` where it is not given. */
  readonly event?: string
  /** A client that connects again sends the last one as `Last-Event-ID`. */
  readonly id?: string
  readonly data: string
}

export interface EventStreamTimes {
  /** After so much silence a comment is sent, so that proxies keep the connection and a dead client is noticed. */
  readonly heartbeatMs: number
  /** How long a client may take to read, for each 256 kB of an event. */
  readonly readMs: number
}

const defaultTimes: EventStreamTimes = { heartbeatMs: 15_000, readMs: 20_000 }
/** How long a stream may take to end when the server stops. */
const endingMs = 1_000
const heartbeat = ':\n\n'

const headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  // Proxies must neither keep nor compress it: both would hold back events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** `event` and `id` are one line each; `data` may have several. */
export function textOf({ event, id, data }: ServerSentEvent): string {
  const head = [...(event === undefined ? [] : [`event: ${event}`]), ...(id === undefined ? [] : [`id: ${id}`])]
  if (head.some((line) => /[\r\n\0]/.test(line))) throw new Error('The type and the id of an event are one line each.')
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)
  return `${[...head, ...lines].join('\n')}\n\n`
}

/** Every event stream that is open over HTTP. */
export class EventStreams {
  /** What ends the work behind each. */
  readonly #open = new Map<ServerResponse, () => void>()
  readonly #times: EventStreamTimes
  #isClosed = false

  constructor(times: Partial<EventStreamTimes> = {}) {
    this.#times = { ...defaultTimes, ...times }
  }

  get count(): number {
    return this.#open.size
  }

  /**
   * Answers with the events one after another, each when the client has taken the one before: nothing gathers. Resolves when
   * there are no more, the client left or the server stops; what produces the events is then told by `cancellation` and `return`.
   * Throws a `Refusal` when the server is stopping. What the events themselves throw breaks the connection.
   */
  async send(
    res: ServerResponse,
    events: AsyncIterable<ServerSentEvent>,
    cancellation: Cancellation,
    status = 200,
  ): Promise<void> {
    if (this.#isClosed) throw new Refusal('UNAVAILABLE', 'The server is stopping.', { retryAfter: 1 })
    const iterator = events[Symbol.asyncIterator]()
    const stop = (): void => {
      cancellation.cancel()
      iterator.return?.().catch(() => {})
    }
    if (res.destroyed) return stop()
    this.#open.set(res, stop)
    res.once('close', stop)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.writeHead(status)
    res.flushHeaders()
    const silence = setInterval(() => {
      if (!res.writableNeedDrain && !res.writableEnded) res.write(heartbeat)
    }, this.#times.heartbeatMs)
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        if (res.destroyed || res.writableEnded) break
        silence.refresh()
        await this.#write(res, textOf(next.value))
      }
      if (!res.destroyed) res.end()
    } catch (thrown) {
      if (!cancellation.isCancelled) {
        res.destroy()
        throw thrown
      }
    } finally {
      clearInterval(silence)
      this.#open.delete(res)
      stop()
    }
  }

  /** Ends every stream in the midst of it, so that its client connects again, to another process. */
  close(): void {
    this.#isClosed = true
    for (const [res, stop] of this.#open) {
      const late = setTimeout(() => res.destroy(), endingMs)
      res.once('close', () => clearTimeout(late))
      res.end()
      stop()
    }
  }

  /** Resolves when there is room for more; a client that does not read is cut off. */
  async #write(res: ServerResponse, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    const sent = bytes.length >= countedFrom ? unsent.take(sharerOf(res), bytes.length) : noCount
    if (!sent) return void res.destroy()
    try {
      if (!res.write(bytes)) await drained(res, this.#times.readMs * Math.ceil(bytes.length / readAtOnce))
    } finally {
      sent()
    }
  }
}

const noCount = (): void => {}

function drained(res: ServerResponse, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => res.destroy(), withinMs)
    const done = (): void => {
      clearTimeout(late)
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.once('drain', done).once('close', done)
  })
}
