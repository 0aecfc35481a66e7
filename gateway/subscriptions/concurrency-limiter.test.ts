import { expect, it } from 'vitest'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'

it('runs at most two tasks of an organization at the same time, the others in the order of their calls', async () => {
  const limiter = new ConcurrencyLimiter(2)
  const started: string[] = []
  const gates = new Map<string, () => void>()
  const run = (organization: string, name: string) =>
    limiter.run(organization, async () => {
      started.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
      if (name === 'b') throw new Error('failed')
      return name
    })
  const results = ['a', 'b', 'c', 'd'].map((name) => run('one', name).catch((error: Error) => error.message))
  const other = run('two', 'other')
  expect(started).toEqual(['a', 'b', 'other'])
  gates.get('b')!()
  await results[1]
  await expect.poll(() => started).toEqual(['a', 'b', 'other', 'c'])
  for (const name of ['other', 'a', 'c']) gates.get(name)!()
  await expect.poll(() => started.at(-1)).toBe('d')
  gates.get('d')!()
  expect([...(await Promise.all(results)), await other]).toEqual(['a', 'failed', 'c', 'd', 'other'])
})
