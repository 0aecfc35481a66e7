import { expect, it } from 'vitest'
import { withFields } from './selection.ts'

it('returns the same set for the same columns, from a cache of limited size', () => {
  const selected = new Set(['id', 'name'])
  const first = withFields(selected, ['createdAt', 'id'])
  expect(first).toEqual(new Set(['id', 'name', 'createdAt']))
  expect(withFields(selected, ['createdAt', 'id'])).toBe(first)
  for (let order = 0; order < 2000; order++) withFields(selected, [`column${order}`])
  expect(withFields(selected, ['createdAt', 'id'])).not.toBe(first)
})

it('returns the given set when all fields are already selected', () => {
  const selected = new Set(['id', 'createdAt'])
  expect(withFields(selected, ['createdAt', 'id'])).toBe(selected)
})
