import { describe, expect, it } from 'vitest'
import { account } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { fanOut } from '../webhooks/deliver.ts'

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

describe('bodies of webhooks', () => {
  const large = 100_000
  /** Merges a change into the deliveries of webhooks that wait for different first updates, so that each of them has a body of its own. */
  async function merging(owner: Member, webhooks: number) {
    const { id } = await account(owner, { metadata: { text: 'x'.repeat(large) } })
    const update = async (industry: string): Promise<number> =>
      (await owner.rest.accountUpdate!({ id, body: { industry } })).status
    const change = async (industry: string): Promise<number> => {
      const status = await update(industry)
      await fanOut(platform.services, owner.organizationId)
      return status
    }
    for (let at = 0; at < webhooks; at++) {
      const body = {
        name: `ERP ${at}`,
        url: 'https://erp.example/hook',
        events: ['account.updated'],
        debounceSeconds: 300,
      }
      expect((await owner.rest.webhookCreate!({ body })).status).toBe(201)
      expect(await change(`Fishing ${at}`)).toBe(200)
    }
    return { update, change }
  }
  const anOwner = async () => platform.member({ role: 'OWNER', organizationId: await platform.organization() })
  const bodiesOf = ({ organizationId }: Member) =>
    platform.query(
      `select d.id, b.body::json -> 'data' -> 'omitted' as omitted, octet_length(b.body) as bytes from events.delivery_queue d
       join events.delivery_body b on b.organization_id = d.organization_id and b.id = d.body_id
       where d.organization_id = $1 order by d.id`,
      [organizationId],
    ) as Promise<{ id: string; omitted: string[] | null; bytes: number }[]>

  it('count as bytes of the organization, merged ones too', async () => {
    const owner = await anOwner()
    const { change } = await merging(owner, 4)
    // Four merged bodies of 200,000 bytes for each change, whose own event has as many: the budget of three megabytes ends soon.
    expect(await change('Salvage')).toBe(200)
    const bodies = await bodiesOf(owner)
    expect(bodies.map(({ omitted }) => omitted)).toEqual([null, null, null, null])
    expect(bodies.every(({ bytes }) => bytes > 2 * large)).toBe(true)
    let changes = 0
    while ((await change(`Towing ${changes}`)) === 200) changes++
    expect(changes).toBeLessThanOrEqual(2)
  })

  it('are without records while the budget is used up, and have them again in the next hour', async () => {
    const owner = await anOwner()
    const { update, change } = await merging(owner, 2)
    const omitted = async () => (await bodiesOf(owner)).map((body) => body.omitted)
    expect(await update('Towing')).toBe(200)
    await platform.services.storedBytes.count(owner.organizationId, 4_194_304)
    await fanOut(platform.services, owner.organizationId)
    expect(await omitted()).toEqual([
      ['previous', 'record'],
      ['previous', 'record'],
    ])
    platform.advanceClock(3_600_000)
    expect(await change('Salvage')).toBe(200)
    expect(await omitted()).toEqual([['previous'], ['previous']])
  })
})
