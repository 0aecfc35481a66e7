import { expect, it } from 'vitest'
import type { SubgraphRequest } from './endpoint.ts'
import { readAnswer, readRequest, writeAnswer, writeRequest } from './wire.ts'

const number = JSON.rawJSON('12345678901234567890.5')
const context = { requestId: 'req_1', queryName: 'accountList', isAtomic: true } as SubgraphRequest['context']

it('carries every digit of a number, there and back', () => {
  const request = { document: '{ a }', variables: { a: { b: [number, 1.5] } }, context }
  expect(readRequest(writeRequest(request))).toEqual(request)
  expect(writeRequest(readRequest(writeRequest(request)))).toBe(writeRequest(request))

  const answer = { data: { a: [{ b: number }], c: 1 } }
  expect(writeAnswer(answer)).toBe('{"data":{"a":[{"b":12345678901234567890.5}],"c":1}}')
  expect(writeAnswer(readAnswer(writeAnswer(answer)))).toBe(writeAnswer(answer))
})

it('does not accept a number as an answer', () => {
  expect(() => readAnswer('12345678901234567890')).toThrow(SyntaxError)
  expect(() => readAnswer('{"data":12345678901234567890}')).toThrow(SyntaxError)
})
