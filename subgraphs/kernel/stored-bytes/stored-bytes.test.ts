import { describe, expect, it } from 'vitest'
import { MemoryCounters } from '../counters/memory-counters.ts'
import type { StoredBytesLimits } from '../config/stored-bytes.ts'
import { bytesOfValues, StoredBytes } from './stored-bytes.ts'

const megabyte = 1_048_576
let nowMs = 0
const clock = { now: () => new Date(nowMs) }
const budget = (limits: Partial<StoredBytesLimits>, counters = new MemoryCounters()) =>
  new StoredBytes({ organization: null, all: null, kept: null, ...limits }, counters, clock)

/** OK, or the code and the seconds to wait. */
async function taken(stored: StoredBytes, organizationId: string, bytes: number): Promise<string> {
  try {
    await stored.take(organizationId, bytes)
    return 'OK'
  } catch (error) {
    const { code, extensions } = error as { code: string; extensions: { retryAfter: number } }
    return `${code} ${extensions.retryAfter}`
  }
}

describe('the bytes that an organization writes', () => {
  it('are refused beyond its budget until its hour ends, and those of others are not', async () => {
    nowMs = 0
    const stored = budget({ organization: 2 * megabyte })
    expect(await taken(stored, 'a', megabyte)).toBe('OK')
    nowMs = 600_000
    expect(await taken(stored, 'a', megabyte)).toBe('OK')
    expect(await taken(stored, 'a', megabyte)).toBe('STORAGE_RATE_LIMITED 3000')
    expect(await taken(stored, 'a', 1)).toBe('STORAGE_RATE_LIMITED 3000')
    expect(await taken(stored, 'b', megabyte)).toBe('OK')
    nowMs = 3_600_000
    expect(await taken(stored, 'a', megabyte)).toBe('OK')
  })

  it('are counted together by all processes, small ones in parts', async () => {
    nowMs = 0
    const counters = new MemoryCounters()
    const [one, other] = [budget({ organization: megabyte }, counters), budget({ organization: megabyte }, counters)]
    let bytes = 0
    for (; (await taken(one, 'a', 1000)) === 'OK' && (await taken(other, 'a', 1000)) === 'OK';) bytes += 2000
    expect(bytes).toBeGreaterThan(megabyte - 2 * 263_000)
    expect(bytes).toBeLessThan(megabyte + 2 * 263_000)
  })

  it('cost no promise while they are few', () => {
    expect(budget({ organization: megabyte }).take('a', 3000)).toBeUndefined()
  })

  it('that the platform writes use up the budget without a refusal', async () => {
    nowMs = 0
    const stored = budget({ organization: megabyte })
    for (let time = 0; time < 5; time++) await stored.count('a', megabyte)
    expect(await taken(stored, 'a', 10)).toBe('STORAGE_RATE_LIMITED 3600')
  })
})

describe('the bytes that all organizations write', () => {
  it('are refused beyond their budget, but not for those that wrote little', async () => {
    nowMs = 0
    const stored = budget({ organization: 10 * megabyte, all: 4 * megabyte })
    for (const name of ['a', 'b']) expect(await taken(stored, name, 2 * megabyte)).toBe('OK')
    expect(await taken(stored, 'a', megabyte)).toBe('STORAGE_RATE_LIMITED 3600')
    expect(await taken(stored, 'c', megabyte / 2)).toBe('OK')
    expect(await taken(stored, 'c', megabyte)).toBe('STORAGE_RATE_LIMITED 3600')
  })
})

describe('bytesOfValues', () => {
  it('counts texts, bytes and those in arrays', () => {
    expect(bytesOfValues(['abc', 1, null, new Uint8Array(4), ['de', ['f']], new Date()])).toBe(10)
  })
})
