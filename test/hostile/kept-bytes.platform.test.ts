import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { measureKeptBytes } from '../../subgraphs/kernel/stored-bytes/measure-kept-bytes.ts'
import { account } from '../builders.ts'
import { unchanged } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import type { Answer } from '../rest-client.ts'

const megabyte = 1_048_576
const platform = usePlatform({ STORED_MB_MAX: '3' })

const anOwner = async (): Promise<Member> =>
  platform.member({ role: 'OWNER', organizationId: await platform.organization() })
/** PostgreSQL cannot make random text smaller. */
const large = (): object => ({ metadata: { text: randomBytes(300_000).toString('base64') } })
const storage = async (owner: Member) => (await owner.rest.apiUsageSummary!()).body.storage
const code = ({ status, body }: Answer): string => `${status} ${String(body?.code ?? '')}`.trim()

it('an organization writes until it keeps as much as it may, and others go on', async () => {
  const [owner, other] = [await anOwner(), await anOwner()]
  expect(await storage(owner)).toEqual({ bytes: 0, limitBytes: 3 * megabyte, measuredAt: null })
  const { id } = await account(owner, large())
  const rename = (name: string): Promise<Answer> => owner.rest.accountUpdate!({ id, body: { name } })
  const fill = async (): Promise<number> => {
    let changes = 0
    while ((await rename(`Berth ${changes}`)).status === 200) changes++
    return changes
  }
  // Each change writes an event of more than 400,000 bytes: the whole record.
  const changes = await fill()
  expect(changes).toBeGreaterThanOrEqual(2)
  expect(changes).toBeLessThanOrEqual(6)
  const refused = await unchanged(platform, () => rename('Refused'))
  expect(code(refused)).toBe('403 STORAGE_LIMIT_EXCEEDED')
  expect(refused.body.limitBytes).toBe(3 * megabyte)
  expect((await owner.rest.account!({ id })).body.name).toBe(`Berth ${changes - 1}`)
  await account(other, large())

  // A measurement finds that a little less is kept than was written, which is not enough for another change.
  await measureKeptBytes(platform.services)
  const kept = await storage(owner)
  expect(kept.measuredAt).toBe(platform.now.toISOString())
  expect(kept.bytes).toBeGreaterThan(2.5 * megabyte)
  expect(kept.bytes).toBeLessThan(3 * megabyte)
  platform.advanceClock(61_000)
  expect(code(await rename('Refused'))).toBe('403 STORAGE_LIMIT_EXCEEDED')
  expect(code(await owner.rest.accountDelete!({ id }))).toBe('204')

  // Events are dropped some weeks later.
  await platform.query('delete from kernel.event where organization_id = $1', [owner.organizationId])
  platform.advanceClock(3_600_000)
  await measureKeptBytes(platform.services)
  expect((await storage(owner)).bytes).toBeLessThan(megabyte)
  await account(owner, large())
})

it('what was replaced is measured before the limit is reached', async () => {
  const owner = await anOwner()
  // PostgreSQL stores this text in a hundredth of its size.
  const { id } = await account(owner, { metadata: { text: 'x'.repeat(450_000) } })
  for (let at = 0; at < 12; at++) {
    expect(code(await owner.rest.accountUpdate!({ id, body: { name: `Berth ${at}` } }))).toBe('200')
    await measureKeptBytes(platform.services)
  }
  expect((await storage(owner)).bytes).toBeLessThan(2 * megabyte)
})
