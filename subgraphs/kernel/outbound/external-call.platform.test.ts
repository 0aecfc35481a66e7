import { afterEach, describe, expect, it, vi } from 'vitest'
import { account } from '../../crm/account/account.record.ts'
import { recordsOf } from '../record/records-of.ts'
import { usePlatform } from '../../../test/platform.ts'
import { inTransaction, requestContext, systemContext, type RequestContext } from '../request.ts'
import { batchedCall, externalCall, newIdFor, transactionWithExternalCalls } from './external-call.ts'
import type { BatchCall } from './external-calls.ts'

const platform = usePlatform()
const accounts = recordsOf(account)

/** The context of a new organization, which has only what the test writes. */
async function aContext(): Promise<RequestContext> {
  const { organizationId, userId } = await platform.member({ organizationId: await platform.organization('Calls') })
  const caller = { ...systemContext(platform.services, organizationId).caller, kind: 'API_KEY' as const, userId }
  return requestContext({ caller, requestId: 'request', idempotency: null }, platform.services)
}

const namesOf = async ({ caller }: RequestContext): Promise<unknown[]> =>
  (
    await platform.query('select name from crm.account where organization_id = $1 order by name', [
      caller.organizationId,
    ])
  ).map(({ name }) => name)

/** A batch that doubles numbers, and notes what it was called with. */
function doubling() {
  const made: (readonly number[])[] = []
  const call: BatchCall<number> = (items) => {
    made.push(items)
    return Promise.resolve(items.map((item) => ({ value: 2 * item })))
  }
  const double = (ctx: RequestContext, item: number, name = 'double'): Promise<number> =>
    batchedCall(ctx, { name, key: `of ${item}`, item, call })
  return { made, double }
}

/** The result of work, or that it was refused, as an operation on several records catches the refusal of one. */
const orRefused = <T>(work: Promise<T>): Promise<T | 'refused'> => work.catch(() => 'refused')

afterEach(() => vi.restoreAllMocks())

describe('external calls of one round with the same batch', () => {
  it('are made together, and each once', async () => {
    const { made, double } = doubling()
    const results = await transactionWithExternalCalls(await aContext(), async (ctx) => {
      const first = [
        await orRefused(double(ctx, 1)),
        await orRefused(double(ctx, 2)),
        await orRefused(double(ctx, 3, 'other')),
      ]
      return [...first, await double(ctx, 4)]
    })
    expect(results).toEqual([2, 4, 6, 8])
    expect(made).toEqual([[1, 2, 4], [3]])
  })

  it('have a result each where they are equal, and a failure of the batch is one of each', async () => {
    const { made, double } = doubling()
    const failing: BatchCall<number> = () => Promise.reject(new Error('no'))
    const results = await transactionWithExternalCalls(await aContext(), async (ctx) => {
      const one = [await orRefused(double(ctx, 1)), await orRefused(double(ctx, 1))]
      const failed = batchedCall(ctx, { name: 'failing', key: '', item: 1, call: failing })
      return [...one, await failed.catch(({ message }: Error) => message)]
    })
    expect(results).toEqual([2, 2, 'no'])
    expect(made).toEqual([[1, 1]])
  })

  it('are made at once outside of a transaction, and refused in one that cannot run again', async () => {
    const { made, double } = doubling()
    const ctx = await aContext()
    expect(await double(ctx, 1)).toBe(2)
    await expect(inTransaction(ctx, (inner) => double(inner, 2))).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(made).toEqual([[1]])
  })
})

describe('a transaction that waits for calls', () => {
  it('is rolled back also when its work returned', async () => {
    const ctx = await aContext()
    const seen: unknown[][] = []
    const { double } = doubling()
    const result = await transactionWithExternalCalls(ctx, async (inner) => {
      seen.push(await namesOf(ctx))
      await accounts.create(inner, { name: 'Written' })
      return orRefused(double(inner, 1))
    })
    expect([result, seen, await namesOf(ctx)]).toEqual([2, [[], []], ['Written']])
  })

  it('is refused after 20 rounds, and nothing is written', async () => {
    const ctx = await aContext()
    let made = 0
    const endless = transactionWithExternalCalls(ctx, async (inner) => {
      await accounts.create(inner, { name: 'Written' })
      return orRefused(externalCall(inner, `call ${made}`, async () => async () => made++))
    })
    await expect(endless).rejects.toMatchObject({ code: 'UNAVAILABLE', extensions: { retryAfter: 1 } })
    expect([made, await namesOf(ctx)]).toEqual([20, []])
  })

  it('gives its batches 15 s together', async () => {
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
    const given: number[] = []
    const slow: BatchCall<number> = (items, msMax) => {
      given.push(msMax)
      now += 10_000
      return Promise.resolve(items.map((value) => ({ value })))
    }
    await transactionWithExternalCalls(await aContext(), async (ctx) => {
      for (const item of [1, 2, 3]) await batchedCall(ctx, { name: 'slow', key: `${item}`, item, call: slow })
    })
    clock.mockRestore()
    expect(given).toEqual([15_000, 5_000, 0])
  })

  it('keeps new ids from round to round', async () => {
    const ids: string[] = []
    const { double } = doubling()
    await transactionWithExternalCalls(await aContext(), async (ctx) => {
      ids.push(newIdFor(ctx, 'one'), newIdFor(ctx, 'other'))
      await double(ctx, 1)
    })
    expect(ids.slice(2)).toEqual(ids.slice(0, 2))
    expect(new Set(ids).size).toBe(2)
  })
})
