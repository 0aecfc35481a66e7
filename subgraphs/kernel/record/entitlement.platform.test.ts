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
// No plan withholds what the specification gives to everybody, so the rule is shown on accounts as a plan could withhold them.
const withheld = { ...accounts, entitlement: 'key-accounts' }
const kinds = new Map([['account', withheld]])
const asked = { page: new Set<string>(), record: new Set(['name']), total: false }

async function aContext(entitlements: string[]): Promise<{ ctx: RequestContext; id: string }> {
  const member = await platform.member()
  const { caller } = systemContext(platform.services, member.organizationId)
  const acting: Caller = { ...caller, kind: 'SESSION', userId: member.userId, entitlements }
  const ctx = requestContext({ caller: acting, requestId: 'request', idempotency: null }, platform.services)
  return { ctx, id: (await account(member)).id as string }
}

const attempts = (ctx: RequestContext, id: string): Promise<unknown>[] => {
  const records = recordsOf(withheld)
  return [
    readPage(ctx, withheld, {}, asked),
    records.require(ctx, id),
    records.create(ctx, { name: 'New' }),
    records.update(ctx, id, { name: 'Newer' }),
    records.remove(ctx, id),
    // A replay of an answer that told of the record.
    seesAll(ctx, kinds, { account: [id] }),
  ]
}

describe('records that the plan withholds', () => {
  it('answer 402 to every reading and writing, and nothing changes', async () => {
    const { ctx, id } = await aContext(['forecasts'])
    const before = await platform.fingerprint()
    const refusals = (await Promise.allSettled(attempts(ctx, id))).map((result) =>
      result.status === 'rejected' ? (result.reason as Refusal) : null,
    )
    expect(refusals.map((refusal) => [refusal?.status, refusal?.extensions])).toEqual(
      refusals.map(() => [402, { code: 'ENTITLEMENT_REQUIRED', requiredEntitlement: 'key-accounts' }]),
    )
    expect(await platform.fingerprint()).toBe(before)
  })

  it('are there with the feature', async () => {
    const { ctx, id } = await aContext(['key-accounts'])
    expect((await recordsOf(withheld).update(ctx, id, { name: 'Newer' })).name).toBe('Newer')
    expect((await readPage(ctx, withheld, {}, asked)).data.length).toBeGreaterThan(0)
    expect(await seesAll(ctx, kinds, { account: [id] })).toBe(true)
  })
})
