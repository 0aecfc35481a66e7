import { Refusal } from '../errors.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { ExternalCalls, type Call } from './external-calls.ts'

/**
 * The result of an external call, which is made once and while no transaction is open. `key` identifies the call within the work;
 * `prepare` runs in the transaction and reads the data for the call. Use it only inside `transactionWithExternalCalls`.
 */
export async function externalCall<T>(ctx: RequestContext, key: string, prepare: () => Promise<Call<T>>): Promise<T> {
  if (!ctx.externalCalls) throw new Error('callOut must run inside transactionWithExternalCalls.')
  const outcome = ctx.externalCalls.outcomeOf(key)
  if (!outcome) {
    ctx.externalCalls.add(key, await prepare())
    throw new Refusal('UNAVAILABLE', 'The call to an external service was not made; retry in 1 s.', { retryAfter: 1 })
  }
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

/** Runs `work` in one transaction, and repeats it until every `externalCall` in it has a result. */
export async function transactionWithExternalCalls<T, C extends RequestContext>(
  ctx: C,
  work: (inner: C) => Promise<T>,
): Promise<T> {
  if (ctx.externalCalls) return inTransaction(ctx, work)
  if (ctx.db.open)
    throw new Error('callingOut must not start inside a transaction: the external call would keep it open.')
  const externalCalls = new ExternalCalls()
  for (;;) {
    try {
      return await inTransaction({ ...ctx, externalCalls }, work)
    } catch (error) {
      if (!(await externalCalls.callRegistered())) throw error
    }
  }
}
