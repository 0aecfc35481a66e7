import type { IncomingMessage } from 'node:http'
import { CloseCode, type WebSocket as GraphqlWebSocket } from 'graphql-ws'
import type { Logger } from 'pino'
import { WebSocket, type RawData } from 'ws'
import { inexactMax, parseJsonExactly, TooManyInexact } from '../../subgraphs/kernel/json/exact-json.ts'
import type { IncomingRequest } from '../edge/address.ts'
import { bodyBytesMax } from '../edge/body.ts'
import { hasTooManyValues } from '../edge/count-values.ts'
import { sliceBytes } from '../edge/send-json.ts'
import { countedBytesMin, unsent } from '../edge/unsent.ts'
import type { Connection } from './socket-operations.ts'

export interface SocketTimes {
  /** The interval of pings. The connection of a client that did not answer a ping before the next one is closed. */
  readonly pingMs: number
  /** How long a client may send nothing while no operation runs and no subscription is live. */
  readonly idleMs: number
  /** How long a client may take to read an answer, for each of its 256 kB. */
  readonly readMs: number
}

// Close codes of RFC 6455, section 7.4.
const normalClosure = 1000
const policyViolation = 1008
const messageTooBig = 1009
const tryAgainLater = 1013

/** Unanswered messages of one connection, far more than a client has a reason to send before it reads an answer. */
const unansweredMax = 500
/** Bytes of unanswered messages of one connection. */
const unansweredBytesMax = 4 * bodyBytesMax

const releaseNothing = (): void => {}

const bytesOf = (message: RawData): Buffer =>
  Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message as Buffer)

/**
 * Parses a message. graphql-ws also accepts a parsed message, although its types allow only text; it refuses text that is not JSON
 * itself, so such text is returned unchanged. Null if the message has too many inexact numbers.
 */
function parsed(text: string): string | null {
  try {
    const message = parseJsonExactly(text, inexactMax)
    return typeof message === 'string' ? text : (message as string)
  } catch (thrown) {
    return thrown instanceof TooManyInexact ? null : text
  }
}

/** The id of the operation that a message starts; null for every other message. */
function operationIdOf(message: unknown): string | null {
  const { type, id } = (message ?? {}) as { readonly type?: unknown; readonly id?: unknown }
  return type === 'subscribe' && typeof id === 'string' ? id : null
}

/** One websocket connection: passes messages between `ws` and the protocol of graphql-ws, and enforces limits and timeouts. */
export class OpenSocket implements GraphqlWebSocket, Connection {
  readonly request: IncomingMessage
  incoming: IncomingRequest | null = null
  /**
   * The number of unanswered messages. A message counts until its answer has been sent, so a client that does not read cannot
   * accumulate messages.
   */
  unanswered = 0
  subscriptions = 0
  responseOwner = ''
  readonly #client: WebSocket
  readonly #log: Pick<Logger, 'error' | 'debug'>
  readonly #idleTimer: NodeJS.Timeout
  readonly #pingTimer: NodeJS.Timeout
  readonly #readMs: number
  /** Answers that the client has not read yet, the oldest first, each with the time by which it must be read. */
  readonly #unread = new Set<{ readonly until: number }>()
  /** For each unanswered operation, by its id: the function that counts its message as answered. */
  readonly #markAnswered = new Map<string, () => void>()
  #unansweredBytes = 0
  #hasAnsweredPing = true
  /** Set when the connection must close as soon as all messages are answered. */
  #closing: { readonly code: number; readonly reason: string } | null = null

  constructor(
    client: WebSocket,
    request: IncomingMessage,
    /** The address of the client, as limits count it. */
    readonly address: string,
    { pingMs, idleMs, readMs }: SocketTimes,
    log: Pick<Logger, 'error' | 'debug'>,
  ) {
    this.request = request
    this.#client = client
    this.#log = log
    this.#readMs = readMs
    this.#idleTimer = setTimeout(() => this.#closeIfIdle(), idleMs)
    this.#pingTimer = setInterval(() => this.#checkPing(), pingMs)
    client.on('pong', () => (this.#hasAnsweredPing = true))
    // ws closes the connection itself if the client sends an invalid frame.
    client.on('error', (err) => log.debug({ err }, 'a websocket connection failed'))
    client.once('close', () => {
      clearTimeout(this.#idleTimer)
      clearInterval(this.#pingTimer)
    })
  }

  get protocol(): string {
    return this.#client.protocol
  }

  send(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#client.readyState !== WebSocket.OPEN) return resolve()
      const bytes = Buffer.from(text)
      // A small answer is counted only if another answer is unread.
      const isCounted = bytes.length >= countedBytesMin || this.#unread.size > 0
      const release = isCounted ? unsent.take(this.responseOwner, bytes.length) : releaseNothing
      if (!release) {
        this.close(tryAgainLater, 'Too many bytes of answers are unread')
        return resolve()
      }
      const unread = { until: performance.now() + this.#readMs * Math.ceil(bytes.length / sliceBytes) }
      this.#unread.add(unread)
      this.#client.send(bytes, { binary: false }, () => {
        this.#unread.delete(unread)
        release()
        resolve()
      })
    })
  }

  close(code: number, reason: string): void {
    this.#client.close(code, reason)
  }

  terminate(): void {
    this.#client.terminate()
  }

  markLive(operationId: string): void {
    this.#markAnswered.get(operationId)?.()
  }

  /** Closes the connection as soon as every message is answered; live subscriptions do not delay this. Resolves when it is closed. */
  closeWhenAnswered(code: number, reason: string): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#client.once('close', () => resolve()))
    this.#closing = { code, reason }
    if (this.unanswered === 0) this.close(code, reason)
    return closed
  }

  onMessage(answer: (text: string) => Promise<void>): void {
    this.#client.on('message', (message) => {
      // A client may continue to send until it receives the close frame.
      if (this.#client.readyState !== WebSocket.OPEN || this.#closing) return
      const bytes = bytesOf(message)
      if (this.unanswered >= unansweredMax || this.#unansweredBytes + bytes.length > unansweredBytesMax)
        return this.close(policyViolation, 'Too many unanswered messages')
      const text = hasTooManyValues(bytes) ? null : parsed(bytes.toString('utf8'))
      if (text === null) return this.close(messageTooBig, 'Too many values or inexact numbers in one message')
      this.#idleTimer.refresh()
      const markAnswered = this.#countUnanswered(bytes.length, operationIdOf(text))
      void answer(text)
        .catch((thrown: unknown) => this.#failed(thrown))
        .finally(markAnswered)
    })
  }

  /** Counts a message as unanswered until the returned function is called. */
  #countUnanswered(bytes: number, operationId: string | null): () => void {
    this.unanswered++
    this.#unansweredBytes += bytes
    let isAnswered = false
    const markAnswered = (): void => {
      if (isAnswered) return
      isAnswered = true
      this.unanswered--
      this.#unansweredBytes -= bytes
      if (operationId !== null) this.#markAnswered.delete(operationId)
      if (this.#closing && this.unanswered === 0) this.close(this.#closing.code, this.#closing.reason)
    }
    // Ids are unique: graphql-ws closes the connection if an id is in use.
    if (operationId !== null) this.#markAnswered.set(operationId, markAnswered)
    return markAnswered
  }

  #failed(thrown: unknown): void {
    const { message } = thrown as Error
    if (message.startsWith('Unexpected message of type '))
      return this.close(CloseCode.BadRequest, 'Invalid message received')
    this.#log.error({ err: thrown }, 'a websocket message failed')
    this.close(CloseCode.InternalServerError, 'INTERNAL')
  }

  #closeIfIdle(): void {
    if (this.unanswered > 0 || this.subscriptions > 0) this.#idleTimer.refresh()
    else this.close(normalClosure, 'Idle')
  }

  #checkPing(): void {
    const [oldest] = this.#unread
    if (!this.#hasAnsweredPing || (oldest && oldest.until < performance.now())) return this.terminate()
    this.#hasAnsweredPing = false
    this.#client.ping()
  }
}
