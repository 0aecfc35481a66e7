import { Agent, request, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import type { Logger } from 'pino'
import { systemClock, type Clock } from '../time/clock.ts'
import { Refusal } from '../errors.ts'
import { activeTracing } from '../tracing/tracing.ts'
import { callerHeader, signCaller } from './caller-token.ts'
import { Circuit } from './circuit.ts'
import type { SubgraphEndpoint, SubgraphRequest, SubgraphResult } from './endpoint.ts'
import { isQuery, readAnswer, wireBytesMax, writeRequest } from './wire.ts'

export interface RemoteOptions {
  readonly name: string
  readonly url: string
  /** The secret shared with the subgraph. */
  readonly callerKey: string
  readonly log: Logger
  readonly clock?: Clock
  readonly timeoutMs?: number
  /** Time for a new connection: a machine that is gone does not refuse it. */
  readonly connectMs?: number
  readonly circuit?: Circuit
}

/** What is known about an operation without an answer: it has not run, it may have run, or it took too long. */
export type Outcome = 'NOT_RUN' | 'LOST' | 'LATE'

/** The refusal of an operation that got no answer. */
export class Unanswered extends Refusal {
  constructor(
    readonly outcome: Outcome,
    reason: string,
    cause?: unknown,
  ) {
    super('UNAVAILABLE', 'A part of the service is not available.', { retryAfter: 1 })
    this.cause = new Error(reason, { cause })
  }
}

interface Answer {
  readonly status: number
  /** Null: the answer was larger than `wireBytesMax`. */
  readonly text: string | null
}

/** A request, and the largest answer that it may get. */
interface Sent {
  readonly body: string
  readonly bytesMax: number
}

const connectionsMax = 256

/**
 * A subgraph in another process. While that process is down, too slow or does not answer with GraphQL, `execute` rejects with
 * UNAVAILABLE. It recovers as soon as the process answers again.
 */
export class RemoteSubgraph implements SubgraphEndpoint {
  readonly name: string
  /** True from an answer with which the process said that it stops, until one without. */
  isStopping = false
  readonly #url: URL
  readonly #agent: Agent
  readonly #circuit: Circuit
  readonly #options: Required<Pick<RemoteOptions, 'callerKey' | 'log' | 'clock' | 'timeoutMs' | 'connectMs'>>

  constructor({
    name,
    url,
    callerKey,
    log,
    clock = systemClock,
    timeoutMs = 10_000,
    connectMs = 2_000,
    circuit = new Circuit(),
  }: RemoteOptions) {
    this.name = name
    this.#url = new URL(url)
    const agentOptions = { keepAlive: true, maxSockets: connectionsMax, scheduling: 'lifo' } as const
    this.#agent = this.#url.protocol === 'https:' ? new TlsAgent(agentOptions) : new Agent(agentOptions)
    this.#circuit = circuit
    this.#options = { callerKey, log, clock, timeoutMs, connectMs }
  }

  async execute(operation: SubgraphRequest): Promise<SubgraphResult> {
    if (operation.context.cancellation?.isCancelled) throw unavailable('the client has disconnected')
    if (!this.#circuit.enter()) {
      const reason = `subgraph ${this.name} is not called: its circuit is open after consecutive failures`
      throw new Unanswered('NOT_RUN', reason)
    }
    const { status, text } = await this.#send(operation)
    if (status !== 200) throw unavailable(`subgraph ${this.name} answered ${status}`)
    if (text === null)
      throw unavailable(`subgraph ${this.name} answered more than ${wireBytesMax(operation.context)} bytes`)
    try {
      return readAnswer(text)
    } catch (cause) {
      throw unavailable(`subgraph ${this.name} did not answer with GraphQL`, cause)
    }
  }

  /** The process has said that it stops, so it will close idle connections; this end does so first, before it sends anything on them. */
  #leave(): void {
    this.isStopping = true
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets!) socket.destroy()
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy()
  }

  async #send(operation: SubgraphRequest): Promise<Answer> {
    const body = writeRequest(operation)
    const { cancellation, limits } = operation.context
    const timeout = AbortSignal.timeout(limits?.deadlineMs ?? this.#options.timeoutMs)
    const signal = cancellation ? AbortSignal.any([timeout, cancellation.signal]) : timeout
    try {
      const answer = await this.#post(
        { body, bytesMax: wireBytesMax(operation.context) },
        signal,
        isQuery(operation.document),
      )
      if (this.#circuit.isOpen) this.#options.log.info({ subgraph: this.name }, 'the subgraph answers again')
      this.#circuit.succeeded()
      return answer
    } catch (cause) {
      // A disconnected client does not mean that the subgraph has failed.
      if (cancellation?.isCancelled) {
        this.#circuit.abandoned()
        throw unavailable('the client has disconnected', cause)
      }
      const wasOpen = this.#circuit.isOpen
      this.#circuit.failed()
      if (!wasOpen && this.#circuit.isOpen)
        this.#options.log.warn({ err: cause, subgraph: this.name }, 'the subgraph does not answer')
      throw new Unanswered((cause as CallFailure).outcome, `subgraph ${this.name} did not answer`, cause)
    }
  }

  /** The other end may have closed a keep-alive connection in the meantime. A query is then retried once, a mutation never. */
  async #post(sent: Sent, signal: AbortSignal, isRead: boolean): Promise<Answer> {
    const { body, bytesMax } = sent
    const { callerKey, clock } = this.#options
    const traceparent = activeTracing()?.traceparent()
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      [callerHeader]: signCaller({ subgraph: this.name, body }, callerKey, clock.now()),
      ...(traceparent && { traceparent }),
    }
    const send = this.#url.protocol === 'https:' ? tlsRequest : request
    const call = send(this.#url, { method: 'POST', agent: this.#agent, headers, signal })
    let isConnected = false
    call.once('socket', (socket) => {
      isConnected = !socket.connecting
      if (isConnected) return
      const late = setTimeout(() => call.destroy(new Error('no connection')), this.#options.connectMs)
      socket.once('connect', () => (isConnected = true)).once('connect', () => clearTimeout(late))
      socket.once('close', () => clearTimeout(late))
    })
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        call.once('response', resolve).on('error', reject).end(body),
      )
      if (response.headers.connection === 'close') this.#leave()
      else this.isStopping = false
      return { status: response.statusCode!, text: await responseText(response, bytesMax) }
    } catch (cause) {
      if (isRead && call.reusedSocket && !signal.aborted && (cause as NodeJS.ErrnoException).code === 'ECONNRESET') {
        return this.#post(sent, signal, false)
      }
      if (signal.aborted) throw new CallFailure('LATE', 'deadline passed', { cause })
      throw new CallFailure(isConnected ? 'LOST' : 'NOT_RUN', 'connection failed', { cause })
    }
  }
}

async function responseText(response: IncomingMessage, bytesMax: number): Promise<string | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > bytesMax) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

class CallFailure extends Error {
  constructor(
    readonly outcome: Outcome,
    message: string,
    options: ErrorOptions,
  ) {
    super(message, options)
  }
}

function unavailable(reason: string, cause?: unknown): Refusal {
  const refusal = new Refusal('UNAVAILABLE', 'A part of the service is not available.', { retryAfter: 1 })
  refusal.cause = new Error(reason, { cause })
  return refusal
}
