import { expect, it } from 'vitest'
import { isId, newId } from './ids.ts'

it('gives ids that ascend, differ and are valid', () => {
  const ids = Array.from({ length: 5_000 }, newId)
  expect(ids).toEqual([...new Set(ids)].toSorted())
  expect(ids.filter((id) => !isId(id) || id[14] !== '7')).toEqual([])
})

it('has the time in its first 48 bits', () => {
  const before = Date.now()
  const time = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16)
  expect(time).toBeGreaterThanOrEqual(before)
  expect(time).toBeLessThanOrEqual(Date.now())
})
