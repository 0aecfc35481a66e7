import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import type { Caller } from '../../subgraphs/kernel/context.ts'
import { endsCredential } from '../edge/ends-credential.ts'
import { Signal } from './signal.ts'

export interface WakeupOptions {
  currentCaller(): Caller | Promise<Caller>
  readonly cancellation: Cancellation
}

/** Wakes the reader of one subscription for news, for the end of its credential and for the cancellation. */
export class Wakeup {
  readonly #signal = new Signal()
  #refusal: Error | null = null

  constructor(private readonly options: WakeupOptions) {
    options.cancellation.add({ cancel: this.notify })
  }

  readonly notify = (): void => this.#signal.notify()

  /** Wakes the reader if the credential of the subscriber is no longer valid. */
  readonly recheck = async (): Promise<void> => {
    try {
      await this.options.currentCaller()
    } catch (thrown) {
      // An unreachable database does not mean that the credential is invalid.
      if (!endsCredential(thrown)) return
      this.#refusal = thrown
      this.notify()
    }
  }

  /** Throws the refusal of a credential that is no longer valid. */
  requireCredential(): void {
    if (this.#refusal) throw this.#refusal
  }

  /** Resolves at the next notification, or at once if there was one since the last wait. */
  wait(): Promise<void> {
    return this.#signal.wait()
  }
}
