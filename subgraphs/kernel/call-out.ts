import { Refusal } from './errors.ts'
import { inTransaction, type RequestContext } from './request.ts'

const roundsMax = 4

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/**
 * What a piece of work asks of the world outside the database, and what it was told. A transaction that needs an answer is undone,
 * the call is made while none is open, and the work runs again with the answer: it must decide anew from what it reads.
 */
export class CallsOut {
  private readonly outcomes = new Map<string, Outcome>()
  private readonly waiting = new Map<string, () => Promise<unknown>>()
  private rounds = 0

  outcomeOf(key: string, call: () => Promise<unknown>): Outcome {
    const outcome = this.outcomes.get(key)
    if (outcome) return outcome
    this.waiting.set(key, call)
    return { error: new Refusal('UNAVAILABLE', 'What this is about keeps changing; try again.', { retryAfter: 1 }) }
  }

  /** Whether the work is to run once more. Of what changes all the time, it is told so in the end. */
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
 * The answer of a call to the outside, made while no transaction is open. Only inside `callingOut`; `key` says everything that the
 * answer depends on.
 */
export async function callOut<T>(ctx: RequestContext, key: string, call: () => Promise<T>): Promise<T> {
  if (!ctx.callsOut) throw new Error('Work that calls out runs in callingOut.')
  const outcome = ctx.callsOut.outcomeOf(key, call)
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
