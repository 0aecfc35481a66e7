import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { OutboundError, outboundErrorOf } from './outbound-error.ts'
import type { OutboundAnswer, OutboundRequest } from './outbound-request.ts'

interface Bounds extends Required<Pick<OutboundRequest, 'timeoutMs' | 'answerBytesMax'>> {
  readonly answerBytesKept: number | undefined
}

/** One request and its answer. It ends at the last byte, at an error, at a bound, or at the timeout, whichever comes first. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<OutboundAnswer>
  readonly #bounds: Bounds
  readonly #timer: NodeJS.Timeout
  readonly #done: (answer: OutboundAnswer) => void
  readonly #failed: (error: OutboundError) => void
  #controller: Dispatcher.DispatchController | null = null
  #isOver = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #chunks: Buffer[] = []
  #bytes = 0
  #bytesKept = 0

  constructor(bounds: Bounds) {
    const { promise, resolve, reject } = Promise.withResolvers<OutboundAnswer>()
    this.answer = promise
    this.#done = resolve
    this.#failed = reject
    this.#bounds = bounds
    const late = (): void =>
      this.fail(new OutboundError('TIMEOUT', `There was no complete answer within ${bounds.timeoutMs} ms.`))
    this.#timer = setTimeout(late, bounds.timeoutMs)
  }

  fail(error: Error): void {
    if (!this.#end()) return
    this.#failed(outboundErrorOf(error))
    this.#controller?.abort(error)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // The timeout was over before there was a connection.
    if (this.#isOver) controller.abort(new Error('The exchange is over.'))
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { answerBytesMax, answerBytesKept = answerBytesMax } = this.#bounds
    this.#bytes += chunk.length
    if (this.#bytesKept < answerBytesKept) {
      const kept = chunk.subarray(0, answerBytesKept - this.#bytesKept)
      this.#chunks.push(Buffer.from(kept))
      this.#bytesKept += kept.length
    }
    if (this.#bytes <= answerBytesMax) return
    if (this.#bounds.answerBytesKept === undefined)
      return this.fail(new OutboundError('TOO_LARGE', `The answer is longer than ${answerBytesMax} bytes.`))
    this.onResponseEnd()
    controller.abort(new Error('The rest of the answer is not read.'))
  }

  onResponseEnd(): void {
    if (this.#end()) this.#done({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error)
  }

  /** False if the exchange had ended before. */
  #end(): boolean {
    if (this.#isOver) return false
    clearTimeout(this.#timer)
    return (this.#isOver = true)
  }
}
