import { expect, it } from 'vitest'
import { onceASecond } from './once-a-second.ts'

it('runs at most once a second, and never concurrently', async () => {
  const time = { ms: 0 }
  const asked: PromiseWithResolvers<string>[] = []
  const known = onceASecond(
    () => {
      const one = Promise.withResolvers<string>()
      asked.push(one)
      return one.promise
    },
    () => time.ms,
  )
  const both = [known(), known()]
  time.ms = 5_000
  both.push(known())
  expect(asked).toHaveLength(1)
  asked[0]!.resolve('first')
  expect(await Promise.all(both)).toEqual(['first', 'first', 'first'])

  const second = known()
  expect(asked).toHaveLength(2)
  asked[1]!.reject(new Error('away'))
  await expect(second).rejects.toThrow('away')
  time.ms = 5_999
  await expect(known()).rejects.toThrow('away')
  time.ms = 6_000
  const third = known()
  asked[2]!.resolve('third')
  expect([await third, asked.length]).toEqual(['third', 3])
})
