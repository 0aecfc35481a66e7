import { expect, it } from 'vitest'
import { inTurn } from './in-turn.ts'

/** The names in the order of their turns. Each has as many steps as its number. */
const run = async (steps: Record<string, number>, until?: number): Promise<string[]> => {
  const order: string[] = []
  const step = async ([name, count]: [string, number]) => {
    order.push(name)
    if (count < 0) throw new Error(`${name} failed`)
    return order.filter((one) => one === name).length < count
  }
  await inTurn(Object.entries(steps), step, until === undefined ? {} : { until }).catch((error: unknown) =>
    order.push((error as AggregateError).message),
  )
  return order
}

it('makes one step of each item, round after round', async () => {
  expect(await run({ a: 3, b: 1, c: 2 })).toEqual(['a', 'b', 'c', 'a', 'c', 'a'])
})

it('goes on after a step that failed, without a further turn of its item, and fails at the end', async () => {
  expect(await run({ a: -1, b: 2 })).toEqual(['a', 'b', 'b', '1 items failed; first: Error: a failed'])
})

it('ends after the round in which the time is over', async () => {
  expect(await run({ a: 2, b: 2 }, performance.now() - 1)).toEqual(['a', 'b'])
})
