import type { IncomingMessage } from 'node:http'
import { CloseCode, type WebSocket as GraphqlWebSocket } from 'graphql-ws'
import type { Logger } from 'pino'
import { WebSocket, type RawData } from 'ws'
import { inexactMax, parseJsonExactly, TooManyInexact } from '../../subgraphs/kernel/json/exact-json.ts'
import type { IncomingRequest } from '../edge/address.ts'
import { bodyBytesMax } from '../edge/body.ts'
import { hasTooManyValues } from '../edge/count-values.ts'
import { readAtOnce } from '../edge/send-json.ts'
import { countedFrom, unsent } from '../edge/unsent.ts'
import type { Connection } from './socket-operations.ts'

export interface SocketTimes {
  /** How often a client is asked whether it is there; one that did not answer by the next time is cut off. */
  readonly pingMs: number
  /** How long a client may stay silent while nothing runs and no subscription is live. */
  readonly idleMs: number
  /** How long a client may take to read an answer, for each of its 256 kB. */
  readonly readMs: number
}

const normal = 1000
const policyViolation = 1008
const tryAgainLater = 1013
const tooBig = 1009
// Far more than a client has reason to send before it read an answer.
const messagesMax = 500
// Of messages that are being answered.
const bytesMax = 4 * bodyBytesMax

const noCount = (): void => {}

const bytesOf = (message: RawData): Buffer =>
  Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message as Buffer)

/**
 * graphql-ws takes a message that was parsed before, which its types do not say; what is no JSON it refuses itself. Null for one
 * with more inexact numbers than are taken.
 */
function parsed(text: string): string | null {
  try {
    const message = parseJsonExactly(text, inexactMax)
    return typeof message === 'string' ? text : (message as string)
  } catch (thrown) {
    return thrown instanceof TooManyInexact ? null : text
  }
}

/** The id of the operation that a message begins; null for every other message. */
function operationIdOf(message: unknown): string | null {
  const { type, id } = (message ?? {}) as { readonly type?: unknown; readonly id?: unknown }
  return type === 'subscribe' && typeof id === 'string' ? id : null
}

/** One websocket between `ws` and the protocol of graphql-ws. */
export class OpenSocket implements GraphqlWebSocket, Connection {
  readonly request: IncomingMessage
  incoming: IncomingRequest | null = null
  /** Messages that are being answered: until the answer has left, so a client that does not read gathers no more of them. */
  running = 0
  subscriptions = 0
  sharer = ''
  readonly #client: WebSocket
  readonly #log: Pick<Logger, 'error' | 'debug'>
  readonly #idle: NodeJS.Timeout
  readonly #ping: NodeJS.Timeout
  readonly #readMs: number
  /** Until when each answer that is on its way must have been read; the oldest first. */
  readonly #unread = new Set<{ readonly until: number }>()
  /** Ends the account of the message of each operation that is not answered yet, by the id of the operation. */
  readonly #unanswered = new Map<string, () => void>()
  #bytes = 0
  #isThere = true
  #finish: { readonly code: number; readonly reason: string } | null = null

  constructor(
    client: WebSocket,
    request: IncomingMessage,
    /** Of the client, as limits count it. */
    readonly address: string,
    { pingMs, idleMs, readMs }: SocketTimes,
    log: Pick<Logger, 'error' | 'debug'>,
  ) {
    this.request = request
    this.#client = client
    this.#log = log
    this.#readMs = readMs
    this.#idle = setTimeout(() => this.#whenIdle(), idleMs)
    this.#ping = setInterval(() => this.#checkPresence(), pingMs)
    client.on('pong', () => (this.#isThere = true))
    // What is wrong with a frame is the client's doing; ws closes the connection with the fitting code itself.
    client.on('error', (err) => log.debug({ err }, 'a websocket failed'))
    client.once('close', () => {
      clearTimeout(this.#idle)
      clearInterval(this.#ping)
    })
  }

  get protocol(): string {
    return this.#client.protocol
  }

  send(text: string): Promise<void> {
    return new Promise((resolve) => {
      if (this.#client.readyState !== WebSocket.OPEN) return resolve()
      const bytes = Buffer.from(text)
      // One small answer is free; what gathers behind it is counted.
      const isCounted = bytes.length >= countedFrom || this.#unread.size > 0
      const counted = isCounted ? unsent.take(this.sharer, bytes.length) : noCount
      if (!counted) {
        this.close(tryAgainLater, 'Too many large answers wait to be read')
        return resolve()
      }
      const unread = { until: performance.now() + this.#readMs * Math.ceil(bytes.length / readAtOnce) }
      this.#unread.add(unread)
      this.#client.send(bytes, { binary: false }, () => {
        this.#unread.delete(unread)
        counted()
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

  becameLive(id: string): void {
    this.#unanswered.get(id)?.()
  }

  /** Closes as soon as every request is answered, whatever subscriptions are live; resolves when that is done. */
  finish(code: number, reason: string): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#client.once('close', () => resolve()))
    this.#finish = { code, reason }
    if (this.running === 0) this.close(code, reason)
    return closed
  }

  onMessage(answer: (text: string) => Promise<void>): void {
    this.#client.on('message', (message) => {
      // A client may go on sending after it was told that the connection ends.
      if (this.#client.readyState !== WebSocket.OPEN || this.#finish) return
      const bytes = bytesOf(message)
      if (this.running >= messagesMax || this.#bytes + bytes.length > bytesMax)
        return this.close(policyViolation, 'Too many messages at once')
      const text = hasTooManyValues(bytes) ? null : parsed(bytes.toString('utf8'))
      if (text === null) return this.close(tooBig, 'Too many values in a message')
      this.#idle.refresh()
      const answered = this.#take(bytes.length, operationIdOf(text))
      void answer(text)
        .catch((thrown: unknown) => this.#failed(thrown))
        .finally(answered)
    })
  }

  /** Counts a message as unanswered until the function that it gives is called. */
  #take(bytes: number, operationId: string | null): () => void {
    this.running++
    this.#bytes += bytes
    let isAnswered = false
    const answered = (): void => {
      if (isAnswered) return
      isAnswered = true
      this.running--
      this.#bytes -= bytes
      if (operationId !== null) this.#unanswered.delete(operationId)
      if (this.#finish && this.running === 0) this.close(this.#finish.code, this.#finish.reason)
    }
    // Two operations with one id close the connection.
    if (operationId !== null) this.#unanswered.set(operationId, answered)
    return answered
  }

  #failed(thrown: unknown): void {
    const { message } = thrown as Error
    if (message.startsWith('Unexpected message of type '))
      return this.close(CloseCode.BadRequest, 'Invalid message received')
    this.#log.error({ err: thrown }, 'a websocket message failed')
    this.close(CloseCode.InternalServerError, 'INTERNAL')
  }

  #whenIdle(): void {
    if (this.running > 0 || this.subscriptions > 0) this.#idle.refresh()
    else this.close(normal, 'Idle')
  }

  #checkPresence(): void {
    const [oldest] = this.#unread
    if (!this.#isThere || (oldest && oldest.until < performance.now())) return this.terminate()
    this.#isThere = false
    this.#client.ping()
  }
}
