import { describe, expect, it } from 'vitest'
import { auditedChange } from './audit.ts'

describe('auditedChange', () => {
  it('contains only the differences', () => {
    const before = { name: 'Sync', scopes: ['READ_CASES'], rateLimit: { limit: 5, window: 'DAY' }, revokedAt: null }
    expect(
      auditedChange({ before, after: { ...before, scopes: ['*'], rateLimit: { limit: 5, window: 'DAY' } } }),
    ).toEqual({
      before: { scopes: ['READ_CASES'] },
      after: { scopes: ['*'] },
    })
  })

  it('contains all values of a new or deleted target', () => {
    expect(auditedChange({ after: { name: 'Sync' } })).toEqual({ before: null, after: { name: 'Sync' } })
    expect(auditedChange({ before: { name: 'Sync' } })).toEqual({ before: { name: 'Sync' }, after: null })
  })

  it('omits secrets, and contains their expiry', () => {
    const record = {
      secret: 's',
      secretHash: 'h',
      previousSecretHash: 'p',
      password: 'p',
      passwordHash: 'p',
      refreshToken: 't',
      code: 'c',
      previousSecretExpiresAt: 'at',
    }
    expect(auditedChange({ after: record }).after).toEqual({ previousSecretExpiresAt: 'at' })
  })
})
