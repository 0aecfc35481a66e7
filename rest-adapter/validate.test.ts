import { describe, expect, it } from 'vitest'
import { Refusal } from '../subgraphs/kernel/errors.ts'
import { readJson } from './body.ts'
import { partId, partsContract } from './rest.fixture.ts'
import type { Values } from './translate.ts'
import { Validator } from './validate.ts'

const validator = await Validator.of(partsContract)
const operation = (id: string) => partsContract.operations.find((candidate) => candidate.id === id)!

/** The code of the refusal, then path and code of each problem; null if the request is valid. */
function refusedFor(work: () => unknown): string[] | null {
  try {
    work()
    return null
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const errors = (error.extensions['errors'] ?? []) as { path: string; code: string }[]
    return [error.code, ...errors.map(({ path, code }) => `${path} ${code}`)]
  }
}

const body = (value: unknown) =>
  refusedFor(() => validator.check(operation('partCreate'), { url: '/v1/parts', query: {}, headers: {}, body: value }))
const query = (values: Values) =>
  refusedFor(() =>
    validator.check(operation('partList'), { url: '/v1/parts', query: values, headers: {}, body: undefined }),
  )
const ifMatch = (header: string) =>
  refusedFor(() => {
    const headers = { 'if-match': header, 'idempotency-key': '' }
    validator.check(operation('partDelete'), { url: `/v1/parts/${partId}`, query: {}, headers, body: undefined })
  })
const parsed = (text: string, headers = {}) =>
  refusedFor(() => readJson(Buffer.from(text), { 'content-type': 'application/json', ...headers }))

describe('Validator.check', () => {
  it('refuses a body with too many problems to list', () => {
    const pieces = Array.from({ length: 200_000 }, () => 1)
    expect(body({ name: 'bolt', pieces })).toEqual(['VALIDATION_FAILED', ' TOO_MANY'])
  })

  it.each<[unknown, string[] | null]>([
    [{ name: 'bolt', kind: null, pieces: [{ id: partId }], metadata: { any: [1] } }, null],
    [{ name: '𝒷𝑜𝓁𝓉' }, null],
    [{ name: '𝒷𝑜𝓁𝓉𝓈' }, ['VALIDATION_FAILED', 'name TOO_LONG']],
    [{ name: '' }, ['VALIDATION_FAILED', 'name TOO_SHORT']],
    [{}, ['VALIDATION_FAILED', 'name REQUIRED']],
    [{ name: 5 }, ['VALIDATION_FAILED', 'name WRONG_TYPE']],
    [{ name: 'bolt', kind: 'SCREW' }, ['VALIDATION_FAILED', 'kind NOT_ALLOWED']],
    [{ name: 'bolt', weight: -1 }, ['VALIDATION_FAILED', 'weight OUT_OF_RANGE']],
    [{ name: 'bolt', weight: '1' }, ['VALIDATION_FAILED', 'weight WRONG_TYPE']],
    [{ name: 'bolt', madeAt: '2026-02-30T00:00:00Z' }, ['VALIDATION_FAILED', 'madeAt WRONG_FORMAT']],
    [{ name: 'bolt', pieces: [{ id: partId }, { id: 'x' }] }, ['VALIDATION_FAILED', 'pieces.1.id WRONG_FORMAT']],
    [
      { name: 'bolt', pieces: [{}, {}, {}, {}] },
      ['VALIDATION_FAILED', 'pieces TOO_MANY', ...[0, 1, 2, 3].map((i) => `pieces.${i}.id REQUIRED`)],
    ],
    [{ name: 'bolt', version: 3 }, ['UNKNOWN_FIELD', 'version UNKNOWN_FIELD']],
    [{ name: '', constructor: 1 }, ['UNKNOWN_FIELD', 'constructor UNKNOWN_FIELD', 'name TOO_SHORT']],
    [JSON.parse('{"name":"bolt","__proto__":{"kind":"NUT"}}'), ['UNKNOWN_FIELD', '__proto__ UNKNOWN_FIELD']],
    [[], ['VALIDATION_FAILED', ' WRONG_TYPE']],
    [null, ['VALIDATION_FAILED', ' WRONG_TYPE']],
    ['bolt', ['VALIDATION_FAILED', ' WRONG_TYPE']],
  ])('body %j', (value, refusal) => {
    expect(body(value)).toEqual(refusal)
  })

  it.each<[Values, string[] | null]>([
    [{ limit: 100, isActive: false, kind: 'NUT', since: '2026-01-01', ids: [partId], customFields: { a: null } }, null],
    [{ limit: 0 }, ['VALIDATION_FAILED', 'limit OUT_OF_RANGE']],
    [{ limit: '1e1' }, ['VALIDATION_FAILED', 'limit WRONG_TYPE']],
    [{ isActive: 'yes' }, ['VALIDATION_FAILED', 'isActive WRONG_TYPE']],
    [{ kind: '' }, ['VALIDATION_FAILED', 'kind NOT_ALLOWED']],
    [{ kind: 'a\0' }, ['VALIDATION_FAILED', 'kind NOT_TEXT']],
    [{ customFields: { a: '\ud800' } }, ['VALIDATION_FAILED', 'customFields.a NOT_TEXT']],
    [{ customFields: { a: {} } }, ['VALIDATION_FAILED', 'customFields.a WRONG_TYPE']],
    [{ customFields: '{' }, ['VALIDATION_FAILED', 'customFields INVALID_JSON']],
    [{ ids: ['x', partId, partId] }, ['VALIDATION_FAILED', 'ids TOO_MANY', 'ids.0 WRONG_FORMAT']],
    [{ since: '2026-13-01T00:00:00Z' }, ['VALIDATION_FAILED', 'since WRONG_FORMAT']],
  ])('query %j', (values, refusal) => {
    expect(query(values)).toEqual(refusal)
  })

  it('checks headers that are variables, and no others', () => {
    expect(ifMatch('"3"')).toBe(null)
    expect(ifMatch('*')).toBe(null)
    expect(ifMatch('"a"')).toEqual(['VALIDATION_FAILED', 'If-Match WRONG_FORMAT'])
  })
})

describe('parseBody', () => {
  it.each<[string, string[] | null]>([
    ['{"a":1,"a":2}', null],
    ['{"a":', ['INVALID_JSON', 'body INVALID_JSON']],
    ['', ['INVALID_JSON', 'body INVALID_JSON']],
    ['{"a":NaN}', ['INVALID_JSON', 'body INVALID_JSON']],
    ['{"a":["\\u0000"]}', ['VALIDATION_FAILED', 'a.0 NOT_TEXT']],
    ['{"a":"\\ud800"}', ['VALIDATION_FAILED', 'a NOT_TEXT']],
    ['{"\\u0000":1}', ['VALIDATION_FAILED', ' NOT_TEXT']],
    ['{"a":{"__proto__":1}}', ['UNKNOWN_FIELD', 'a.__proto__ UNKNOWN_FIELD']],
    ['['.repeat(16) + ']'.repeat(16), null],
    ['['.repeat(17) + ']'.repeat(17), ['VALIDATION_FAILED', `${Array(16).fill(0).join('.')} TOO_DEEP`]],
  ])('%s', (text, refusal) => {
    expect(parsed(text)).toEqual(refusal)
  })

  it('uses the last of two equal keys', () => {
    expect(readJson(Buffer.from('{"a":1,"a":2}'), { 'content-type': 'application/json' })).toEqual({ a: 2 })
  })

  it('refuses 100,000 nested brackets without a stack overflow', () => {
    expect(parsed('['.repeat(100_000) + ']'.repeat(100_000))?.[0]).toBe('VALIDATION_FAILED')
  })

  it.each([
    ['application/json; charset=UTF-8', null],
    ['application/merge-patch+json', null],
    ['application/json; charset=latin1', ['UNSUPPORTED_MEDIA_TYPE']],
    ['text/plain', ['UNSUPPORTED_MEDIA_TYPE']],
    ['', ['UNSUPPORTED_MEDIA_TYPE']],
  ])('Content-Type: %s', (type, refusal) => {
    expect(parsed('{}', { 'content-type': type })).toEqual(refusal)
  })

  it('refuses a compressed body, and bytes that are not UTF-8', () => {
    expect(parsed('{}', { 'content-encoding': 'gzip' })).toEqual(['UNSUPPORTED_MEDIA_TYPE'])
    expect(refusedFor(() => readJson(Buffer.from([0x22, 0xe4, 0x22]), { 'content-type': 'application/json' }))).toEqual(
      ['INVALID_JSON', 'body INVALID_JSON'],
    )
  })
})
