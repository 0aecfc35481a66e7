import { describe, expect, it } from 'vitest'
import { RecordCache } from './record-cache.ts'
import { anEdge, inventedKey, start } from './edge.fixture.ts'

describe('records of credentials', () => {
  it('are read once for concurrent requests, and again after 900 ms', async () => {
    const { sendWithKey, issue, reads, setNow } = anEdge()
    const { secret } = issue()
    await Promise.all(Array.from({ length: 20 }, () => sendWithKey(secret)))
    setNow(899)
    await sendWithKey(secret)
    expect(reads).toHaveLength(1)
    setNow(900)
    await sendWithKey(secret)
    expect(reads).toHaveLength(2)
  })

  it('are returned without a promise while they are cached', async () => {
    const cache = new RecordCache({ load: async (key) => ({ key }), organizationOf: () => 'org-1' })
    expect(await cache.get('a', 0)).toEqual({ key: 'a' })
    expect(cache.get('a', 1)).toEqual({ key: 'a' })
  })

  it.each(['hash', 'organization'])('are dropped immediately by %s', async (by) => {
    const { sendWithKey, edge, issue, keys } = anEdge()
    const { secret, hash } = issue()
    const other = issue({ id: 'key-2', organizationId: 'org-2' })
    await Promise.all([sendWithKey(secret), sendWithKey(other.secret)])
    keys.set(hash, { ...keys.get(hash)!, revokedAt: start })
    expect((await sendWithKey(secret)).code).toBe('OK')
    edge.forget(by === 'hash' ? hash : 'org-1')
    expect((await sendWithKey(secret)).code).toBe('API_KEY_INVALID')
  })

  it('that are missing are not looked up again for 900 ms, until something changes', async () => {
    const { sendWithKey, edge, reads, setNow } = anEdge()
    const secret = inventedKey()
    await sendWithKey(secret)
    await sendWithKey(secret)
    expect(reads).toHaveLength(1)
    edge.forget('org-1')
    await sendWithKey(secret)
    expect(reads).toHaveLength(2)
    setNow(900)
    await sendWithKey(secret)
    expect(reads).toHaveLength(3)
  })

  it('that were being read when something changed are not cached', async () => {
    const answers = ['before', 'after']
    const gates: (() => void)[] = []
    const cache = new RecordCache({
      load: () => {
        const value = answers.shift()!
        return new Promise<string>((resolve) => void gates.push(() => resolve(value)))
      },
      organizationOf: () => 'org-1',
    })
    const early = cache.get('a', 0)
    cache.forget('a')
    const late = cache.get('a', 1)
    gates[1]!()
    gates[0]!()
    expect([await early, await late, cache.get('a', 2)]).toEqual(['before', 'after', 'after'])
  })

  it('are read again after a read that failed', async () => {
    const outcomes: (() => Promise<string>)[] = [async () => Promise.reject(new Error('away')), async () => 'found']
    const cache = new RecordCache({ load: () => outcomes.shift()!(), organizationOf: () => 'org-1' })
    await expect(cache.get('a', 0)).rejects.toThrow('away')
    expect(await cache.get('a', 0)).toBe('found')
  })

  it('of a real key survive a flood of invented ones', async () => {
    let reads = 0
    const load = async (key: string) => {
      reads++
      return key === 'real' ? { key } : null
    }
    const cache = new RecordCache({ load, organizationOf: () => 'org-1', max: 10 })
    await cache.get('real', 0)
    for (let index = 0; index < 100; index++) await cache.get(`invented${index}`, 0)
    expect(cache.get('real', 1)).toEqual({ key: 'real' })
    expect(reads).toBe(101)
  })
})
