import { Refusal } from './errors.ts'
import { inTransaction, type RequestContext } from './request.ts'

const roundsMax = 4

type Outcome = { readonly value: unknown } | { readonly error: unknown }

type Call<T> = () => Promise<T>

/**
 * The calls that a piece of work makes to the world outside the database, and their outcomes. A transaction that needs an answer is
 * undone, the call is made while none is open, and the work runs again with the answer. No call is made twice.
 */
export class CallsOut {
  private readonly outcomes = new Map<string, Outcome>()
  private readonly waiting = new Map<string, Call<unknown>>()
  private rounds = 0

  outcomeOf(key: string): Outcome | undefined {
    return this.outcomes.get(key)
  }

  /** Makes the call when the transaction has been undone. */
  add(key: string, call: Call<unknown>): void {
    this.waiting.set(key, call)
  }

  /** Makes the calls that wait; tells whether the work is to run again. Work that keeps asking for other calls is given up. */
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
 * The answer of a call to the outside, made once and while no transaction is open. `key` names the call within the work; `prepare`
 * reads in the transaction what the call needs. Only inside `callingOut`.
 */
export async function callOut<T>(ctx: RequestContext, key: string, prepare: () => Promise<Call<T>>): Promise<T> {
  if (!ctx.callsOut) throw new Error('Work that calls out runs in callingOut.')
  const outcome = ctx.callsOut.outcomeOf(key)
  if (!outcome) {
    ctx.callsOut.add(key, await prepare())
    throw new Refusal('UNAVAILABLE', 'The call to an external service was not made; try again.', { retryAfter: 1 })
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

/** Runs `work` in one transaction, as often as it takes until every `callOut` in it has its answer. */
export async function callingOut<T>(ctx: RequestContext, work: (inner: RequestContext) => Promise<T>): Promise<T> {
  if (ctx.callsOut) return inTransaction(ctx, work)
  if (ctx.db.open) throw new Error('A transaction is open, and work that calls out would hold it.')
  const callsOut = new CallsOut()
  for (;;) {
    try {
      return await inTransaction({ ...ctx, callsOut }, work)
    } catch (error) {
      if (!(await callsOut.answer())) throw error
    }
  }
}
