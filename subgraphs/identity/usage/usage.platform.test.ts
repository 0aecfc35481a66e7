import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Caller } from '../../kernel/context.ts'
import type { Counted } from '../../kernel/credentials/public.ts'
import { newId } from '../../kernel/ids.ts'
import { aKeyOf, aSignedInUser } from '../api-key/api-key.fixture.ts'
import { useIdentity, type AnswerPart } from '../identity.fixture.ts'
import { flushEveryMs, UsageBuffer } from './usage-buffer.ts'
import { usageForget } from './usage-forget.job.ts'

const world = useIdentity()
const hour = 3_600_000
const day = 24 * hour
const figures = 'requests rateLimitHits byStatus latency { p50 p90 p95 p99 }'
const summing = `query($days: Int!) { apiUsageSummary(days: $days) { days from to totals { ${figures} }
  byCredential { credentialKind credentialId name requests } byOperation { operation requests } byHour { hour requests } } }`
const listing = `{ apiKeyDeprecatedUsage { credentialKind credentialId name operationId endpoint calls lastCalledAt sunset } }`

async function buffering(work: (usage: UsageBuffer) => void | Promise<void>): Promise<void> {
  const usage = new UsageBuffer(world.services.database, world.services.log)
  await work(usage)
  await usage.close()
}

const countedAs = ({ organizationId, userId }: Caller, kind: Counted['kind'], id: string): Counted => ({
  kind,
  id,
  organizationId,
  userId,
})
const finished = (counted: Counted, rest: object = {}) => ({
  counted,
  operation: 'accountList',
  status: 200,
  durationMs: 3,
  isRateLimited: false,
  at: world.now,
  ...rest,
})
const summary = async (caller: Caller, days = 30): Promise<AnswerPart> =>
  (await world.run(summing, { days }, caller)).data.apiUsageSummary!
const deprecated = async (caller: Caller) => (await world.run(listing, {}, caller)).data.apiKeyDeprecatedUsage!
const anHour = (time: number) => new Date(time - (time % hour)).toISOString()

describe('apiUsageSummary', () => {
  it('adds up requests by caller, operation, hour and status, with percentiles', async () => {
    const admin = await aSignedInUser(world, 'ADMIN')
    const { id } = await aKeyOf(world, admin)
    const key = countedAs(admin, 'API_KEY', id!)
    const user = countedAs(admin, 'SESSION', admin.userId)
    await buffering((usage) => {
      for (let count = 0; count < 90; count++) usage.finished(finished(key, { durationMs: 20 }))
      for (let count = 0; count < 9; count++) {
        usage.finished(finished(key, { operation: 'caseCreate', status: 201, durationMs: 400 }))
      }
      usage.finished(finished(key, { status: 429, isRateLimited: true, durationMs: 1 }))
      usage.finished(finished(user, { operation: 'graphql', status: 500, durationMs: 60_000 }))
    })
    world.advanceClock(hour)
    await buffering((usage) => usage.finished(finished(user, { operation: 'graphql', status: 404 })))
    const now = world.now.getTime()
    expect(await summary(admin)).toEqual({
      days: 30,
      from: anHour(now - 30 * day),
      to: world.now.toISOString(),
      totals: {
        requests: 102,
        rateLimitHits: 1,
        byStatus: { '2xx': 99, '3xx': 0, '4xx': 2, '5xx': 1 },
        latency: { p50: 25, p90: 25, p95: 500, p99: 500 },
      },
      byCredential: [
        { credentialKind: 'API_KEY', credentialId: id, name: 'Sync', requests: 100 },
        { credentialKind: 'SESSION', credentialId: admin.userId, name: 'Ann Lee', requests: 2 },
      ],
      byOperation: [
        { operation: 'accountList', requests: 91 },
        { operation: 'caseCreate', requests: 9 },
        { operation: 'graphql', requests: 2 },
      ],
      byHour: [
        { hour: anHour(now - hour), requests: 101 },
        { hour: anHour(now), requests: 1 },
      ],
    })
  })

  it('returns zeros and null percentiles without requests', async () => {
    expect(await summary(await aSignedInUser(world, 'OWNER'))).toMatchObject({
      totals: {
        requests: 0,
        rateLimitHits: 0,
        byStatus: { '2xx': 0, '3xx': 0, '4xx': 0, '5xx': 0 },
        latency: { p50: null, p90: null, p95: null, p99: null },
      },
      byCredential: [],
      byOperation: [],
      byHour: [],
    })
  })

  it('covers the given number of days from the start of the hour, at most 90 days', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    const user = countedAs(owner, 'SESSION', owner.userId)
    const now = world.now.getTime()
    const ages = [0, day, 31 * day, 90 * day, 90 * day + hour]
    await buffering((usage) => {
      for (const age of ages) usage.finished(finished(user, { at: new Date(now - age) }))
    })
    const requests = async (days: number) => ((await summary(owner, days)).totals as AnswerPart).requests
    expect([await requests(1), await requests(30), await requests(31), await requests(90)]).toEqual([2, 2, 3, 4])
    for (const days of [0, 91, -1]) {
      expect((await world.run(summing, { days }, owner)).codes).toEqual(['VALIDATION_FAILED'])
    }
  })

  it('is only for owners and admins, and contains nothing of another organization', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    await buffering((usage) => usage.finished(finished(countedAs(owner, 'SESSION', owner.userId))))
    for (const role of ['MANAGER', 'MEMBER', 'READ_ONLY'] as const) {
      const caller = await aSignedInUser(world, role, owner.organizationId)
      expect((await world.run(summing, { days: 1 }, caller)).codes).toEqual(['PERMISSION_DENIED'])
    }
    expect((await summary(await aSignedInUser(world, 'OWNER'))).totals).toMatchObject({ requests: 0 })
  })
})

describe('the buffer', () => {
  it('counts an app separately in each organization, and adds up the counts of concurrent processes', async () => {
    const owners = [await aSignedInUser(world, 'OWNER'), await aSignedInUser(world, 'OWNER')]
    const app = newId()
    await Promise.all(
      Array.from({ length: 8 }, () =>
        buffering((usage) => {
          for (const owner of owners) {
            usage.finished(finished(countedAs(owner, 'OAUTH_APP', app)))
            usage.finished(finished(countedAs(owner, 'SESSION', owner.userId)))
          }
        }),
      ),
    )
    for (const owner of owners) {
      const callers = (await summary(owner)).byCredential as unknown as Record<string, unknown>[]
      expect(new Map(callers.map(({ credentialId, ...rest }) => [credentialId, rest]))).toEqual(
        new Map([
          [app, { credentialKind: 'OAUTH_APP', name: null, requests: 8 }],
          [owner.userId, { credentialKind: 'SESSION', name: 'Ann Lee', requests: 8 }],
        ]),
      )
    }
  })

  it('writes every two seconds', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await buffering(async (usage) => {
      usage.finished(finished(countedAs(owner, 'SESSION', owner.userId)))
      vi.advanceTimersByTime(flushEveryMs - 1)
      expect((await summary(owner)).totals).toMatchObject({ requests: 0 })
      vi.advanceTimersByTime(1)
      await vi.waitFor(async () => expect((await summary(owner)).totals).toMatchObject({ requests: 1 }), {
        timeout: 10_000,
      })
    })
  })

  it('keeps counts that could not be written for the next attempt', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    const { id } = await aKeyOf(world, owner)
    const counted = countedAs(owner, 'API_KEY', id!)
    await buffering(async (usage) => {
      usage.finished(finished(counted))
      usage.record({ counted, operationId: 'old', endpoint: 'GET /v1/old', sunset: world.now, at: world.now })
      await world.query('alter table identity.usage_hour rename to usage_hour_away')
      await usage.flush()
      await world.query('alter table identity.usage_hour_away rename to usage_hour')
      usage.finished(finished(counted))
    })
    expect((await summary(owner)).totals).toMatchObject({ requests: 2 })
    expect(await deprecated(owner)).toMatchObject([{ calls: 1 }])
    expect(await world.query('select deprecated_calls from identity.api_key where id = $1', [id])).toEqual([
      { deprecated_calls: 1 },
    ])
  })
})

describe('apiKeyDeprecatedUsage', () => {
  it('lists calls of the last 30 days per key, and per user for sessions; users see their own', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    const member = await aSignedInUser(world, 'MEMBER', owner.organizationId)
    const { id } = await aKeyOf(world, member)
    const start = world.now
    const call = (counted: Counted, at: Date) => ({
      counted,
      operationId: 'apiKeyRegenerate',
      endpoint: 'POST /v1/api-keys/{id}/regenerate',
      sunset: new Date('2027-04-01T00:00:00Z'),
      at,
    })
    await buffering((usage) => {
      for (const at of [start, new Date(start.getTime() + day), new Date(start.getTime() + day)]) {
        usage.record(call(countedAs(member, 'API_KEY', id!), at))
      }
      usage.record(call(countedAs(owner, 'SESSION', owner.userId), start))
    })
    const common = {
      operationId: 'apiKeyRegenerate',
      endpoint: 'POST /v1/api-keys/{id}/regenerate',
      sunset: '2027-04-01',
    }
    const lastCalledAt = new Date(start.getTime() + day).toISOString()
    const ofKey = { ...common, credentialKind: 'API_KEY', credentialId: id, name: 'Sync', calls: 3, lastCalledAt }
    const ofOwner = {
      ...common,
      credentialKind: 'SESSION',
      credentialId: owner.userId,
      name: 'Ann Lee',
      calls: 1,
      lastCalledAt: start.toISOString(),
    }
    expect(await deprecated(owner)).toEqual([ofKey, ofOwner])
    expect(await deprecated(member)).toEqual([ofKey])
    expect(await deprecated(await aSignedInUser(world, 'OWNER'))).toEqual([])
    world.advanceClock(30 * day)
    expect(await deprecated(owner)).toEqual([{ ...ofKey, calls: 2 }])
    world.advanceClock(day)
    expect(await deprecated(owner)).toEqual([])
  })
})

describe('usage.forget', () => {
  it('deletes usage that no query can return', async () => {
    const owner = await aSignedInUser(world, 'OWNER')
    const user = countedAs(owner, 'SESSION', owner.userId)
    const call = { counted: user, operationId: 'old', endpoint: 'GET /v1/old', sunset: world.now, at: world.now }
    await buffering((usage) => {
      usage.finished(finished(user))
      usage.record(call)
    })
    const kept = async () => [
      (await world.query('select 1 from identity.usage_hour where organization_id = $1', [owner.organizationId]))
        .length,
      (await world.query('select 1 from identity.deprecated_call where organization_id = $1', [owner.organizationId]))
        .length,
    ]
    world.advanceClock(31 * day)
    await usageForget.run(world.services)
    expect(await kept()).toEqual([1, 1])
    world.advanceClock(day)
    await usageForget.run(world.services)
    expect(await kept()).toEqual([1, 0])
    world.advanceClock(59 * day + hour)
    await usageForget.run(world.services)
    expect(await kept()).toEqual([0, 0])
  })
})
