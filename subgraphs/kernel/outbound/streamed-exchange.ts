import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { OutboundError, outboundErrorOf } from './outbound-error.ts'
import type { StreamDeadlines, StreamedAnswer } from './outbound-request.ts'

type Bounds = StreamDeadlines & { readonly answerBytesMax: number }

/**
 * One request whose answer is read while it arrives. It ends at the last byte, at an error, at a bound, at a deadline, or when its reader
 * or its caller leaves, whichever comes first; the connection is then closed. Bytes that are not read yet stop the sender.
 */
export class StreamedExchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<StreamedAnswer>
  readonly #bounds: Bounds
  readonly #begun: (answer: StreamedAnswer) => void
  readonly #failed: (error: OutboundError) => void
  readonly #total: NodeJS.Timeout
  #silence: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false
  #isPaused = false
  #bytes = 0
  readonly #body = new Readable({
    read: () => this.#resume(),
    destroy: (error, done) => {
      this.#close(error ?? new Error('The rest of the answer is not read.'))
      done(error)
    },
  })

  constructor(bounds: Bounds, signal?: AbortSignal) {
    const { promise, resolve, reject } = Promise.withResolvers<StreamedAnswer>()
    this.answer = promise
    this.#begun = resolve
    this.#failed = reject
    this.#bounds = bounds
    // Errors are thrown to the reader of the body, or by `answer` before there is one.
    this.#body.on('error', () => undefined)
    this.#total = setTimeout(() => this.#late(bounds.totalMs), bounds.totalMs)
    this.#silence = setTimeout(() => this.#late(bounds.firstByteMs), bounds.firstByteMs)
    const leave = (): void => this.fail(signal!.reason instanceof Error ? signal!.reason : new Error('aborted'))
    if (signal?.aborted) leave()
    else signal?.addEventListener('abort', leave, { once: true })
    this.#body.once('close', () => signal?.removeEventListener('abort', leave))
  }

  fail(error: Error): void {
    if (this.#isOver) return
    const reported = error.name === 'AbortError' ? error : outboundErrorOf(error)
    this.#failed(reported as OutboundError)
    this.#close(error)
    this.#body.destroy(reported)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // A deadline was over, or the caller had left, before there was a connection.
    if (this.#isOver) controller.abort(new Error('The exchange is over.'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#begun({ status, headers, body: this.#body })
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#bytes += chunk.length
    if (this.#bytes > this.#bounds.answerBytesMax) {
      this.fail(new OutboundError('TOO_LARGE', `The answer is longer than ${this.#bounds.answerBytesMax} bytes.`))
      return
    }
    this.#awaitNext()
    if (this.#body.push(Buffer.from(chunk))) return
    this.#isPaused = true
    clearTimeout(this.#silence)
    controller.pause()
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    this.#end()
    this.#body.push(null)
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  #resume(): void {
    if (!this.#isPaused || this.#isOver) return
    this.#isPaused = false
    this.#awaitNext()
    this.#controller?.resume()
  }

  /** The silence of a sender that is stopped by its reader is not counted. */
  #awaitNext(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#late(this.#bounds.silenceMs), this.#bounds.silenceMs)
  }

  #late(withinMs: number): void {
    this.fail(new OutboundError('TIMEOUT', `The answer did not go on within ${withinMs} ms.`))
  }

  #close(error: Error): void {
    if (this.#isOver) return
    this.#end()
    this.#controller?.abort(error)
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
  }
}
