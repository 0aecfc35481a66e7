import { Refusal } from '../errors.ts'
import { inTransaction, type RequestContext } from '../request.ts'

const roundsMax = 4

type Outcome = { readonly value: unknown } | { readonly error: unknown }

type Call<T> = () => Promise<T>

/**
 * The external calls of one piece of work, and their outcomes. A transaction that needs the result of an external call is rolled
 * back, the call is made while no transaction is open, and the work runs again with the result. Each call is made once.
 */
export class CallsOut {
  private readonly outcomes = new Map<string, Outcome>()
  private readonly waiting = new Map<string, Call<unknown>>()
  private rounds = 0

  outcomeOf(key: string): Outcome | undefined {
    return this.outcomes.get(key)
  }

  /** Registers a call, to be made after the transaction has been rolled back. */
  add(key: string, call: Call<unknown>): void {
    this.waiting.set(key, call)
  }

  /** Makes the registered calls. True: the work must run again. False: no call was registered, or the limit of rounds is reached. */
  async answer(): Promise<boolean> {
    const calls = [...this.waiting]
    this.waiting.clear()
    if (calls.length === 0 || ++this.rounds > roundsMax) return false
    for (const [key, call] of calls) {
      const outcome = call().then(
        (value): Outcome => ({ value }),
        (error: unknown): Outcome => ({ error }),
      )
      this.outcomes.set(key, await outcome)
    }
    return true
  }
}

/**
 * The result of an external call, which is made once and while no transaction is open. `key` identifies the call within the work;
 * `prepare` reads in the transaction what the call needs. Use it only inside `callingOut`.
 */
export async function callOut<T>(ctx: RequestContext, key: string, prepare: () => Promise<Call<T>>): Promise<T> {
  if (!ctx.callsOut) throw new Error('callOut must run inside callingOut.')
  const outcome = ctx.callsOut.outcomeOf(key)
  if (!outcome) {
    ctx.callsOut.add(key, await prepare())
    throw new Refusal('UNAVAILABLE', 'The call to an external service was not made; retry in 1 s.', { retryAfter: 1 })
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

/** Runs `work` in one transaction, and repeats it until every `callOut` in it has a result. */
export async function callingOut<T>(ctx: RequestContext, work: (inner: RequestContext) => Promise<T>): Promise<T> {
  if (ctx.callsOut) return inTransaction(ctx, work)
  if (ctx.db.open)
    throw new Error('callingOut must not start inside a transaction: the external call would keep it open.')
  const callsOut = new CallsOut()
  for (;;) {
    try {
      return await inTransaction({ ...ctx, callsOut }, work)
    } catch (error) {
      if (!(await callsOut.answer())) throw error
    }
  }
}
