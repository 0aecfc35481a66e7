import type { Logger } from 'pino'
import type { Caller } from '../../../subgraphs/kernel/context.ts'
import { endsCredential } from '../../edge/ends-credential.ts'
import { unsent } from '../../edge/unsent.ts'
import type { GraphResult } from '../../graph/graph.ts'
import type { EventChannel } from '../event-channel.ts'
import { topics, type EventMatch } from '../event-match.ts'
import type { Projection } from '../projection.ts'
import type { OpenedSubscription, OpenSubscription, SourceDependencies } from '../source.ts'
import { FrameQueue, type EndReason, type Frame } from './frame-queue.ts'
import { eventFrame, SharedEnvelopes, type EnvelopeOf } from './shared-envelopes.ts'

/** What listening needs from the subgraph that owns its rules. */
export interface ListenPort {
  /** Throws a `Refusal` unless the caller may listen. */
  requireListener(caller: Caller): void
  /** Whether a type is selected. Throws a `Refusal` for a type that does not exist. */
  selectionOf(events: readonly string[] | null): (type: string) => boolean
  /** One of the places of the organization over all processes. Rejects with a `Refusal` if all are taken. */
  takeSlot(organizationId: string, onLost: () => void): Promise<{ release(): void }>
  envelopeOf(...args: Parameters<EnvelopeOf>): ReturnType<EnvelopeOf>
  /** Resolves when samples are received: each calls `send`, until the returned function is called. */
  onTriggered(organizationId: string, send: (sample: Sample) => void): Promise<() => void>
}

/** A sample event. Its envelope is the same object for all listeners. */
export interface Sample {
  readonly type: string
  readonly envelope: object
}

export interface ListenLimits {
  readonly lastsMs: number
  /** Events that one listener has not read yet. */
  readonly bufferBytes: number
}

const defaultLimits: ListenLimits = { lastsMs: 15 * 60_000, bufferBytes: 1_048_576 }
/** Events of one read. */
const batch = 20
const retryMs = 1_000

interface ListenStreamOptions {
  readonly port: ListenPort
  readonly limits: ListenLimits
  readonly channel: EventChannel
  readonly after: number
  readonly envelopes: SharedEnvelopes
  readonly projection: Projection
  readonly selects: (type: string) => boolean
  /** The caller with its current rights. Throws or rejects with a `Refusal` if it may no longer listen. */
  readonly listener: () => Promise<Caller>
  readonly organizationId: string
  readonly log: Pick<Logger, 'warn'>
}

/** One listener. Events are rendered and queued as they happen, also while the client reads slowly. */
class ListenStream {
  readonly #queue: FrameQueue
  readonly #match: EventMatch
  readonly #timeLimit: NodeJS.Timeout
  #retry: NodeJS.Timeout | undefined
  #after: number
  #isReading = false
  #hasNews = false
  #isEnded = false

  constructor(private readonly options: ListenStreamOptions) {
    const { limits, organizationId, selects, after } = options
    this.#after = after
    this.#match = { matches: ({ type }) => selects(type), selection: {} }
    this.#queue = new FrameQueue(limits.bufferBytes, (bytes) => unsent.take(organizationId, bytes))
    const message = 'The stream has reached its maximum duration. Send the request again to continue.'
    this.#timeLimit = setTimeout(() => this.end('TIME_LIMIT', { message }), limits.lastsMs)
    this.#timeLimit.unref()
  }

  async *results(ready: Frame): AsyncGenerator<GraphResult> {
    const { projection } = this.options
    yield projection.resultOf(ready)
    for (let frame = await this.#queue.next(); frame; frame = await this.#queue.next()) yield projection.resultOf(frame)
  }

  end(reason: EndReason, details: object): void {
    this.#isEnded = true
    this.#queue.end(reason, details)
  }

  close(): void {
    this.#isEnded = true
    clearTimeout(this.#timeLimit)
    clearTimeout(this.#retry)
    this.#queue.close()
  }

  sample({ type, envelope }: Sample): void {
    if (!this.options.selects(type)) return
    const { frame, bytes } = eventFrame(envelope)
    this.#queue.offer(frame, bytes)
  }

  readonly recheck = async (): Promise<void> => {
    try {
      await this.options.listener()
    } catch (thrown) {
      this.#failed(thrown)
    }
  }

  readonly read = async (): Promise<void> => {
    this.#hasNews = true
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#hasNews && !this.#isEnded) {
        this.#hasNews = false
        await this.#readBatch()
      }
    } catch (thrown) {
      this.#failed(thrown)
      clearTimeout(this.#retry)
      this.#retry = setTimeout(() => void this.read(), retryMs)
    } finally {
      this.#isReading = false
    }
  }

  async #readBatch(): Promise<void> {
    const { channel, envelopes, listener } = this.options
    const { events, position } = await channel.next(this.#after, batch, this.#match)
    const caller = events.length > 0 ? await listener() : null
    for (const event of events) {
      const rendered = await envelopes.frameOf(event, caller!)
      if (this.#isEnded) return
      this.#after = event.position
      if (rendered) this.#queue.offer(rendered.frame, rendered.bytes)
    }
    this.#after = position
    if (channel.eventsAfter(position) > 0) this.#hasNews = true
  }

  /** Ends the stream if its credential is no longer valid. Other errors, such as an unreachable database, do not mean that. */
  #failed(thrown: unknown): void {
    if (endsCredential(thrown)) return this.end('CREDENTIAL_ENDED', { code: thrown.code, message: thrown.message })
    this.options.log.warn({ err: thrown }, 'events for a listener could not be read; retrying')
  }
}

export function openListen(
  { graph, events, channels, projections }: SourceDependencies,
  port: ListenPort,
  log: Pick<Logger, 'warn'>,
  givenLimits: Partial<ListenLimits> = {},
): OpenSubscription {
  const limits = { ...defaultLimits, ...givenLimits }
  const envelopes = new SharedEnvelopes((event, caller) => port.envelopeOf(event, caller))
  return async (call, { caller, currentCaller, prepared, variables }): Promise<OpenedSubscription> => {
    const { organizationId } = caller
    port.requireListener(caller)
    const given = (call.args['events'] ?? null) as readonly string[] | null
    const selects = port.selectionOf(given)
    const listener = async (): Promise<Caller> => {
      const current = await currentCaller()
      graph.authorize(prepared, current)
      port.requireListener(current)
      return current
    }
    let stream: ListenStream | null = null
    const lost = { message: 'The process did not keep the place of the stream. Send the request again.' }
    const slot = await port.takeSlot(organizationId, () => stream?.end('SLOT_LOST', lost))
    let stopTriggers = (): void => {}
    try {
      stopTriggers = await port.onTriggered(organizationId, (sample) => stream?.sample(sample))
      const after = await events.latest(organizationId)
      const { projection, release } = projections.use(call, variables)
      const { channel, leave } = channels.join(organizationId, [topics.all], () => void stream?.read())
      const shared = { port, limits, channel, envelopes, projection, listener, organizationId, log }
      const opened = new ListenStream({ ...shared, selects, after })
      stream = opened
      void opened.read()
      const endsAt = new Date(Date.now() + limits.lastsMs).toISOString()
      const ready: Frame = { frame: 'READY', data: { events: given, endsAt } }
      return {
        results: opened.results(ready),
        recheck: opened.recheck,
        stop: () => opened.end('SERVER_STOPPING', { message: 'The server is stopping. Send the request again.' }),
        leave: () => {
          opened.close()
          stopTriggers()
          leave()
          release()
          slot.release()
        },
      }
    } catch (thrown) {
      stopTriggers()
      slot.release()
      throw thrown
    }
  }
}
