import { expect, it } from 'vitest'
import { Turns } from './turns.ts'

it('lets so many of an organization work at once, the others in the order in which they came', async () => {
  const turns = new Turns(2)
  const begun: string[] = []
  const gates = new Map<string, () => void>()
  const work = (organization: string, name: string) =>
    turns.run(organization, async () => {
      begun.push(name)
      await new Promise<void>((resolve) => gates.set(name, resolve))
      if (name === 'b') throw new Error('failed')
      return name
    })
  const own = ['a', 'b', 'c', 'd'].map((name) => work('one', name).catch((error: Error) => error.message))
  const other = work('two', 'other')
  expect(begun).toEqual(['a', 'b', 'other'])
  gates.get('b')!()
  await own[1]
  await expect.poll(() => begun).toEqual(['a', 'b', 'other', 'c'])
  for (const name of ['other', 'a', 'c']) gates.get(name)!()
  await expect.poll(() => begun.at(-1)).toBe('d')
  gates.get('d')!()
  expect([...(await Promise.all(own)), await other]).toEqual(['a', 'failed', 'c', 'd', 'other'])
})
