import { describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform } from '../platform.ts'

const platform = usePlatform({ STORED_MB_PER_HOUR: '3' })

describe('the budget of stored bytes', () => {
  it('refuses the changes of an organization whose events write too much, and those of no other', async () => {
    const attacker = await platform.member()
    const other = await platform.member({ organizationId: await platform.organization('Elsewhere') })
    const { id } = await account(attacker, { metadata: { text: 'x'.repeat(450_000) } })
    const rename = (at: number) => attacker.rest.accountUpdate!({ id, body: { name: `Berth ${at}` } })
    // Each of these 20 bytes writes an event of 450,000: the whole record.
    const statuses: number[] = []
    for (let at = 0; at < 10; at++) statuses.push((await rename(at)).status)
    const allowed = statuses.filter((status) => status === 200).length
    expect(statuses).toEqual([...Array(allowed).fill(200), ...Array(10 - allowed).fill(429)])
    expect(allowed).toBeGreaterThanOrEqual(2)
    expect(allowed).toBeLessThanOrEqual(7)
    const { status, body, headers } = await unchanged(platform, () => rename(99))
    expect([status, body.code]).toEqual([429, 'STORAGE_RATE_LIMITED'])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3000)
    expect((await attacker.rest.account!({ id })).body.name).toBe(`Berth ${allowed - 1}`)
    await account(other)
  })
})
