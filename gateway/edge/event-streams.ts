import type { ServerResponse } from 'node:http'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { sliceBytes } from './send-json.ts'
import { countedBytesMin, responseOwnerOf, unsent } from './unsent.ts'

/** One event of a stream in the format of server-sent events (WHATWG HTML, 9.2). */
export interface ServerSentEvent {
  /** The event type; `message` if it is not given. */
  readonly event?: string
  /** A client that reconnects sends the last id as `Last-Event-ID`. */
  readonly id?: string
  readonly data: string
}

export interface EventStreamTimes {
  /** A comment is sent after this time without events, so that proxies keep the connection and a dead client is detected. */
  readonly heartbeatMs: number
  /** How long a client may take to read each 256 kB of an event. */
  readonly readMs: number
}

const defaultTimes: EventStreamTimes = { heartbeatMs: 15_000, readMs: 20_000 }
/** How long a stream may take to close when the server stops. */
const endingMs = 1_000

/** How the items of a stream are written. */
export interface StreamFormat<Item> {
  readonly contentType: string
  /** Sent before the first item. */
  readonly begin: string
  readonly textOf: (item: Item) => string
  readonly heartbeat: string
  /** Sent after the last item. */
  readonly end: string
}

const headers = {
  // Proxies must neither cache nor compress the stream, because both delay events.
  'Cache-Control': 'no-store, no-transform',
  'X-Accel-Buffering': 'no',
}

/** `event` and `id` must have one line each; `data` may have several. */
export function textOf({ event, id, data }: ServerSentEvent): string {
  const head = [...(event === undefined ? [] : [`event: ${event}`]), ...(id === undefined ? [] : [`id: ${id}`])]
  if (head.some((line) => /[\r\n\0]/.test(line)))
    throw new Error('The type and the id of an event must have one line each.')
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)
  return `${[...head, ...lines].join('\n')}\n\n`
}

export const serverSentEvents: StreamFormat<ServerSentEvent> = {
  contentType: 'text/event-stream; charset=utf-8',
  begin: '',
  textOf,
  heartbeat: ':\n\n',
  end: '',
}

/** All open event streams over HTTP. */
export class EventStreams {
  /** The function that stops the source of each stream. */
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
   * Sends the events with back-pressure: the next event is requested when the client has taken the one before. Resolves when the
   * events end, the client leaves or the server stops; the source is then stopped by `cancellation` and `return`.
   * Throws a `Refusal` if the server is stopping. If the source throws, the connection is closed.
   */
  send(
    res: ServerResponse,
    events: AsyncIterable<ServerSentEvent>,
    cancellation: Cancellation,
    status = 200,
  ): Promise<void> {
    return this.sendAs(serverSentEvents, res, events, cancellation, status)
  }

  /** Like `send`, in another format. */
  async sendAs<Item>(
    format: StreamFormat<Item>,
    res: ServerResponse,
    events: AsyncIterable<Item>,
    cancellation: Cancellation,
    status = 200,
  ): Promise<void> {
    if (this.#isClosed) throw new Refusal('UNAVAILABLE', 'The server is stopping; retry in 1 s.', { retryAfter: 1 })
    const iterator = events[Symbol.asyncIterator]()
    const stop = (): void => {
      cancellation.cancel()
      iterator.return?.().catch(() => {})
    }
    if (res.destroyed) return stop()
    this.#open.set(res, stop)
    res.once('close', stop)
    for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
    res.setHeader('Content-Type', format.contentType)
    res.writeHead(status)
    res.flushHeaders()
    if (format.begin !== '') res.write(format.begin)
    const heartbeatTimer = setInterval(() => {
      if (!res.writableNeedDrain && !res.writableEnded) res.write(format.heartbeat)
    }, this.#times.heartbeatMs)
    try {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        if (res.destroyed || res.writableEnded) break
        heartbeatTimer.refresh()
        await this.#write(res, format.textOf(next.value))
      }
      if (!res.destroyed && !res.writableEnded) res.end(format.end)
    } catch (thrown) {
      if (!cancellation.isCancelled) {
        res.destroy()
        throw thrown
      }
    } finally {
      clearInterval(heartbeatTimer)
      this.#open.delete(res)
      stop()
    }
  }

  /** Ends all streams, so that their clients reconnect to another process. */
  close(): void {
    this.#isClosed = true
    for (const [res, stop] of this.#open) {
      const timeout = setTimeout(() => res.destroy(), endingMs)
      res.once('close', () => clearTimeout(timeout))
      res.end()
      stop()
    }
  }

  /** Resolves when the socket accepts more bytes. Closes the connection if the client does not read. */
  async #write(res: ServerResponse, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    const release = bytes.length >= countedBytesMin ? unsent.take(responseOwnerOf(res), bytes.length) : noCount
    if (!release) return void res.destroy()
    try {
      if (!res.write(bytes)) await drained(res, this.#times.readMs * Math.ceil(bytes.length / sliceBytes))
    } finally {
      release()
    }
  }
}

const noCount = (): void => {}

function drained(res: ServerResponse, withinMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(() => res.destroy(), withinMs)
    const done = (): void => {
      clearTimeout(timeout)
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.once('drain', done).once('close', done)
  })
}
