import { expect, it } from 'vitest'
import { together } from './selection.ts'

it('gives the same set for the same columns, and does not remember every order that anybody asks for', () => {
  const asked = new Set(['id', 'name'])
  const first = together(asked, ['createdAt', 'id'])
  expect(first).toEqual(new Set(['id', 'name', 'createdAt']))
  expect(together(asked, ['createdAt', 'id'])).toBe(first)
  for (let order = 0; order < 2000; order++) together(asked, [`column${order}`])
  expect(together(asked, ['createdAt', 'id'])).not.toBe(first)
})

it('adds nothing to what is asked for already', () => {
  const asked = new Set(['id', 'createdAt'])
  expect(together(asked, ['createdAt', 'id'])).toBe(asked)
})
