import 'reflect-metadata'
import { describe, expect, it } from 'vitest'
import { account } from '../../../test/builders.ts'
import { usePlatform } from '../../../test/platform.ts'
import { account as accounts } from '../../crm/account/account.record.ts'
import type { Caller } from '../context.ts'
import type { Refusal } from '../errors.ts'
import { requestContext, systemContext, type RequestContext } from '../request.ts'
import { readPage } from './list.ts'
import { recordsOf } from './records-of.ts'
import { seesAll } from './visible-records.ts'

const platform = usePlatform()
// No record type of the specification requires a plan feature, so the tests add one to accounts.
const restricted = { ...accounts, entitlement: 'key-accounts' }
const kinds = new Map([['account', restricted]])
const asked = { page: new Set<string>(), record: new Set(['name']), total: false }

async function contextWith(entitlements: string[]): Promise<{ ctx: RequestContext; id: string }> {
  const member = await platform.member()
  const { caller } = systemContext(platform.services, member.organizationId)
  const acting: Caller = { ...caller, kind: 'SESSION', userId: member.userId, entitlements }
  const ctx = requestContext({ caller: acting, requestId: 'request', idempotency: null }, platform.services)
  return { ctx, id: (await account(member)).id as string }
}

const attempts = (ctx: RequestContext, id: string): Promise<unknown>[] => {
  const records = recordsOf(restricted)
  return [
    readPage(ctx, restricted, {}, asked),
    records.require(ctx, id),
    records.create(ctx, { name: 'New' }),
    records.update(ctx, id, { name: 'Newer' }),
    records.remove(ctx, id),
    // The replay of a stored answer that contains the record.
    seesAll(ctx, kinds, { account: [id] }),
  ]
}

describe('records of a type that requires a plan feature', () => {
  it('refuse every read and write with 402 without the feature, and nothing changes', async () => {
    const { ctx, id } = await contextWith(['forecasts'])
    const before = await platform.fingerprint()
    const refusals = (await Promise.allSettled(attempts(ctx, id))).map((result) =>
      result.status === 'rejected' ? (result.reason as Refusal) : null,
    )
    expect(refusals.map((refusal) => [refusal?.status, refusal?.extensions])).toEqual(
      refusals.map(() => [402, { code: 'ENTITLEMENT_REQUIRED', requiredEntitlement: 'key-accounts' }]),
    )
    expect(await platform.fingerprint()).toBe(before)
  })

  it('can be read and written with the feature', async () => {
    const { ctx, id } = await contextWith(['key-accounts'])
    expect((await recordsOf(restricted).update(ctx, id, { name: 'Newer' })).name).toBe('Newer')
    expect((await readPage(ctx, restricted, {}, asked)).data.length).toBeGreaterThan(0)
    expect(await seesAll(ctx, kinds, { account: [id] })).toBe(true)
  })
})
