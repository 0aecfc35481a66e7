import type { FetchDataRewrite } from '@apollo/query-planner'
import { buildSchema } from 'graphql'
import { expect, it } from 'vitest'
import { applyRewrites } from './rewrites.ts'

const schema = buildSchema('type Query { books: [Book] } type Book { size: Int }')
const renaming: FetchDataRewrite[] = [{ kind: 'KeyRenamer', path: ['books', 'size__alias_0'], renameKeyTo: 'size' }]

it.each([0, false, '', null, 7, JSON.rawJSON('12345678901234567890')])('renames a key that holds %j', (size) => {
  const data = { books: [{ size__alias_0: size }, { other: 1 }] }
  applyRewrites(schema, renaming, data)
  expect(data).toEqual({ books: [{ size, size__alias_0: undefined }, { other: 1 }] })
})

it('does not look for keys inside a number', () => {
  const raw = JSON.rawJSON('12345678901234567890')
  const data = { books: raw }
  applyRewrites(schema, [{ kind: 'ValueSetter', path: ['books', 'size'], setValueTo: 1 }], data)
  expect(data).toEqual({ books: raw })
})
