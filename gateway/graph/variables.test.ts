import { GraphQLList, GraphQLScalarType } from 'graphql'
import { expect, it } from 'vitest'
import { coerceVariables } from './variables.ts'

it('stops after fifty problems', () => {
  let looks = 0
  const picky = new GraphQLScalarType({
    name: 'Picky',
    parseValue() {
      looks++
      throw new Error('no')
    },
  })
  const declared = { type: new GraphQLList(picky), hasDefault: false, defaultValue: undefined, isNeeded: false }
  const items = Array.from({ length: 200_000 }, () => 1)
  const coerce = () =>
    coerceVariables(
      [
        { name: 'a', ...declared },
        { name: 'b', ...declared },
      ],
      { a: items, b: items },
    )
  expect(coerce).toThrow('50 inputs are not valid.')
  // The first one is found twice: it ends the quick coercion.
  expect(looks).toBe(51)
})
