import { expect, it, vi } from 'vitest'
import { aSandbox } from './a-sandbox.fixture.ts'
import type { ChildSandbox } from './child-sandbox.ts'
import { runBody } from './sandbox.fixture.ts'

const until = (holds: () => boolean) => vi.waitUntil(holds, { timeout: 20_000, interval: 5 })

const calling = 'return (await context.api.rest("GET", "/")) + 1'

/** Programs of one organization, each of which waits for the one of the next level. */
async function nested(sandbox: ChildSandbox, organizationId: string, level = 0): Promise<number> {
  const call = () => nested(sandbox, organizationId, level + 1)
  const { status, output } = await runBody(sandbox, level === 5 ? 'return 0' : calling, {
    organizationId,
    level,
    call,
    timeoutMs: 20_000,
  })
  expect(status).toBe('SUCCEEDED')
  return output as number
}

it('lets programs of five levels that wait for one another end on one child, for several organizations at once', async () => {
  const sandbox = aSandbox({ childrenMax: 1, reservedIdleMs: 200 })
  const organizations = ['one', 'one', 'one', 'two', 'three']
  const ended = Promise.all(organizations.map((organization) => nested(sandbox, organization)))
  let most = 0
  let hasEnded = false
  void ended.then(() => (hasEnded = true))
  await until(() => {
    most = Math.max(most, sandbox.pool.children.length)
    return hasEnded
  })
  expect(await ended).toEqual([5, 5, 5, 5, 5])
  expect(most).toBe(6)
  await until(() => sandbox.pool.children.length === 1)
})

it('lets a program that others wait for begin while its organization and others fill the queue', async () => {
  const sandbox = aSandbox({ childrenMax: 1, waitingMax: 20 })
  const held: (() => void)[] = []
  const hold = () => new Promise((resolve) => held.push(() => resolve(1)))
  const holdChild = () => runBody(sandbox, calling, { call: hold, timeoutMs: 20_000 })
  const first = holdChild()
  await until(() => held.length === 1)
  const holding = [first, ...Array.from({ length: 20 }, holdChild)]
  expect(await runBody(sandbox, 'return 3')).toMatchObject({ status: 'THROTTLED' })
  expect(await runBody(sandbox, 'return 3', { level: 1 })).toMatchObject({ output: 3 })
  expect(await runBody(sandbox, 'return 4', { level: 1, organizationId: 'two' })).toMatchObject({ output: 4 })
  expect([held.length, sandbox.pool.waiting]).toEqual([1, 20])
  await sandbox.close()
  const ended = (await Promise.all(holding)).map(({ status }) => status)
  expect(ended.toSorted()).toEqual(['CRASHED', ...Array.from({ length: 20 }, () => 'THROTTLED')])
})

it('starts no reserved child while a child is free', async () => {
  const sandbox = aSandbox({ childrenMax: 2 })
  const call = async () => (await runBody(sandbox, 'return 1', { level: 1, organizationId: 'two' })).output
  expect(await runBody(sandbox, calling, { call })).toMatchObject({ output: 2 })
  expect(await runBody(sandbox, 'return 1', { level: 1 })).toMatchObject({ output: 1 })
  expect(sandbox.pool.children).toHaveLength(2)
})
