import { buildSchema, coerceInputValue, parseType, typeFromAST, type GraphQLInputType } from 'graphql'
import { describe, expect, it } from 'vitest'
import { quicklyCoerced } from './quick-coercion.ts'

const schema = buildSchema(`
  enum Color { RED BLUE }
  input Inner { name: String! color: Color list: [Int!] }
  input Outer { id: ID count: Int inner: Inner inners: [Inner] self: Outer limit: Int = 5 }
  input Free { a: Int b: [[Boolean]] }
  input One @oneOf { a: Int b: Int }
  type Query { a: Int }
`)
const typeOf = (text: string) => typeFromAST(schema, parseType(text) as never) as unknown as GraphQLInputType

function withGraphqlJs(value: unknown, type: GraphQLInputType): unknown {
  let isValid = true
  const coerced = coerceInputValue(value, type, () => (isValid = false))
  return isValid ? coerced : undefined
}

const plain = (value: unknown): unknown =>
  value === undefined ? undefined : (JSON.parse(JSON.stringify(value)) as unknown)

describe('quicklyCoerced', () => {
  it.each([
    ['Inner', { name: 'a', color: 'RED', list: [1, 2] }],
    ['Inner!', { color: null, list: null, name: '' }],
    ['Free', { b: [[true, null], null], a: 1 }],
    ['[Inner!]!', [{ name: 'a' }, { name: 'b' }]],
    ['[Color]', ['RED', null]],
    ['ID', 7],
    ['Outer', {}],
    ['Outer', { limit: null }],
    ['Outer', { limit: 1, self: { limit: 2, inner: { name: 'x' } }, inners: [null] }],
  ])('is quick with valid %s %j', (text, value) => {
    const type = typeOf(text)
    expect(quicklyCoerced(value, type)).toBeDefined()
    expect(plain(quicklyCoerced(value, type))).toEqual(plain(withGraphqlJs(value, type)))
  })

  it.each([
    ['Inner', {}, 'a required field is missing'],
    ['Inner', { name: null }, 'a required field is null'],
    ['Inner', { name: 'a', color: 'GREEN' }, 'an enumeration has another value'],
    ['Inner', { name: 'a', list: [1, null] }, 'an item is null'],
    ['Inner', { name: 1 }, 'a type is wrong'],
    ['Inner', { name: 'a', other: 1 }, 'a field is unknown'],
    ['Free', { toString: 'x' }, 'a field is unknown and inherited'],
    ['Free', JSON.parse('{"__proto__": {"a": 1}}'), 'a field is the prototype'],
    ['Inner', [], 'a list is no object'],
    ['Inner', 'a', 'a text is no object'],
    ['Int', 2 ** 40, 'a number is too large'],
  ])('leaves %s %j to graphql-js: %s', (text, value) => {
    const type = typeOf(text)
    expect(quicklyCoerced(value, type)).toBeUndefined()
    expect(withGraphqlJs(value, type)).toBeUndefined()
  })

  it.each([
    ['[Int]', 3, [3]],
    ['One', { a: 1 }, { a: 1 }],
  ])('leaves %s %j to graphql-js, which accepts it', (text, value, coerced) => {
    const type = typeOf(text)
    expect(quicklyCoerced(value, type)).toBeUndefined()
    expect(plain(withGraphqlJs(value, type))).toEqual(coerced)
  })
})
