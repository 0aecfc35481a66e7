import { refuseInDryRun } from '../dry-run.ts'
import { newId } from '../ids.ts'
import { inTransaction, type RequestContext } from '../request.ts'
import { batchesMsMax, callsWaiting, ExternalCalls, type BatchCall, type Call, type Outcome } from './external-calls.ts'

function valueOf<T>(outcome: Outcome): T {
  if ('error' in outcome) throw outcome.error
  return outcome.value as T
}

/**
 * The result of an external call, which is made once and while no transaction is open. `key` identifies the call within the work;
 * `prepare` runs in the transaction and reads the data for the call. Use it only inside `transactionWithExternalCalls`.
 */
export async function externalCall<T>(ctx: RequestContext, key: string, prepare: () => Promise<Call<T>>): Promise<T> {
  refuseInDryRun(ctx)
  return pureCall(ctx, key, prepare)
}

/**
 * The same for what the platform itself reads or calculates, such as the PDF of a document: it has no effect, so that a dry run does it, too. It runs
 * outside of the transaction only because it takes long.
 */
export async function pureCall<T>(ctx: RequestContext, key: string, prepare: () => Promise<Call<T>>): Promise<T> {
  if (!ctx.externalCalls) throw new Error('externalCall and pureCall must run inside transactionWithExternalCalls.')
  const outcome = ctx.externalCalls.outcomeOf(key)
  if (outcome) return valueOf(outcome)
  ctx.externalCalls.add(key, await prepare())
  throw callsWaiting()
}

/** What is called for several records at once. */
export interface BatchedCall<I> {
  /** Calls of one round with the same name are made together. */
  readonly name: string
  /** What the result depends on. Equal calls of one round are numbered, so each has a result of its own. */
  readonly key: string
  readonly item: I
  readonly call: BatchCall<I>
}

/**
 * The result of a call that is made together with those of other records. Outside of a transaction it is made at once. Inside of one that does not
 * run in `transactionWithExternalCalls` it cannot be made, and the caller must retry.
 */
export async function batchedCall<T, I>(ctx: RequestContext, { name, key, item, call }: BatchedCall<I>): Promise<T> {
  const { externalCalls, db } = ctx
  if (!externalCalls) {
    if (db.open) throw callsWaiting()
    const [outcome] = await call([item], batchesMsMax)
    return valueOf(outcome!)
  }
  const numbered = externalCalls.numbered(`${name} ${key}`)
  const outcome = externalCalls.outcomeOf(numbered)
  if (outcome) return valueOf(outcome)
  externalCalls.addToBatch(name, numbered, item, call)
  throw callsWaiting()
}

/** A new id for what the name says; the same one when the work runs again after external calls. */
export const newIdFor = ({ externalCalls }: Pick<RequestContext, 'externalCalls'>, name: string): string =>
  externalCalls?.idOf(name) ?? newId()

/** A new id for the next thing of this kind in the work; the same ones in the same order when the work runs again after external calls. */
export const nextIdFor = ({ externalCalls }: Pick<RequestContext, 'externalCalls'>, kind: string): string =>
  externalCalls ? externalCalls.idOf(externalCalls.numbered(kind)) : newId()

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
    externalCalls.beginRound()
    try {
      return await inTransaction({ ...ctx, externalCalls }, async (inner) => {
        const result = await work(inner)
        externalCalls.requireNoneWaiting()
        return result
      })
    } catch (error) {
      if (!(await externalCalls.callRegistered())) throw error
    }
  }
}
