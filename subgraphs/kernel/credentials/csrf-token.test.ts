import { describe, expect, it } from 'vitest'
import { isCsrfToken, newCsrfToken } from './csrf-token.ts'

const key = Buffer.alloc(32, 1)

describe('a CSRF token', () => {
  it('is valid for its own session and key only', () => {
    const token = newCsrfToken(key, 'session-1')
    expect(isCsrfToken(key, 'session-1', token)).toBe(true)
    expect(isCsrfToken(key, 'session-2', token)).toBe(false)
    expect(isCsrfToken(Buffer.alloc(32, 2), 'session-1', token)).toBe(false)
  })

  it('is new each time', () => {
    expect(newCsrfToken(key, 'session-1')).not.toBe(newCsrfToken(key, 'session-1'))
  })

  it.each(['', 'x', 'é'.repeat(65), 'a'.repeat(65)])('refuses %s', (token) => {
    expect(isCsrfToken(key, 'session-1', token)).toBe(false)
  })
})
