import { describe, expect, it } from 'vitest'
import { ApiKey, expiresSoon, statusOf } from './api-key.ts'

const now = new Date('2027-01-10T12:00:00.000Z')
const at = (ms: number): string => new Date(now.getTime() + ms).toISOString()
const week = 7 * 86_400_000

type Times = Partial<Pick<ApiKey, 'expiresAt' | 'revokedAt' | 'previousSecretExpiresAt'>>
const aKey = (times: Times): ApiKey =>
  Object.assign(Object.create(ApiKey.prototype) as ApiKey, {
    expiresAt: null,
    revokedAt: null,
    previousSecretExpiresAt: null,
    ...times,
  })

describe('the status of a key', () => {
  it.each<[string, boolean, Times]>([
    ['ACTIVE', false, {}],
    ['ACTIVE', false, { expiresAt: at(week + 1) }],
    ['ACTIVE', true, { expiresAt: at(week) }],
    ['ACTIVE', true, { expiresAt: at(1) }],
    ['EXPIRED', false, { expiresAt: at(0) }],
    ['ROTATING', false, { previousSecretExpiresAt: at(1) }],
    ['ROTATING', true, { previousSecretExpiresAt: at(1), expiresAt: at(1) }],
    ['ACTIVE', false, { previousSecretExpiresAt: at(0) }],
    ['EXPIRED', false, { previousSecretExpiresAt: at(1), expiresAt: at(0) }],
    ['REVOKED', false, { revokedAt: at(0) }],
    ['REVOKED', false, { revokedAt: at(-1), previousSecretExpiresAt: at(1), expiresAt: at(1) }],
    ['REVOKED', false, { revokedAt: at(-1), expiresAt: at(-2) }],
  ])('is %s, expiring soon: %s, with %o', (status, isSoon, times) => {
    expect([statusOf(aKey(times), now), expiresSoon(aKey(times), now)]).toEqual([status, isSoon])
  })
})
