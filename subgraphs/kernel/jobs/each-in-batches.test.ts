import { expect, it } from 'vitest'
import { notFound } from '../errors.ts'
import { eachInBatches } from './each-in-batches.ts'

const batches = async (after: number | null): Promise<number[]> => (after === null ? [1, 2] : after === 2 ? [3] : [])

it('works on the items of all batches, skips records that were deleted meanwhile, and throws the other errors at the end', async () => {
  const seen: number[] = []
  const work = (fails: Readonly<Record<number, Error>>) => async (item: number) => {
    seen.push(item)
    if (fails[item]) throw fails[item]
  }
  await eachInBatches(batches, work({ 1: notFound('The case') }))
  expect(seen).toEqual([1, 2, 3])
  const failure = new Error('away')
  await expect(eachInBatches(batches, work({ 1: notFound('The case'), 2: failure }))).rejects.toMatchObject({
    errors: [failure],
  })
  expect(seen).toEqual([1, 2, 3, 1, 2, 3])
})
