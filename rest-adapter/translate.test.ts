import { describe, expect, it } from 'vitest'
import { queryPairs } from './query.ts'
import { noPartId, partId, partsContract } from './rest.fixture.ts'
import { Translation } from './translate.ts'

const translation = (id: string) => new Translation(partsContract.operations.find((operation) => operation.id === id)!)
const list = translation('partList')
const read = (query: string) => list.readQuery(queryPairs(`/v1/parts?${query}`))

describe('Translation.readQuery', () => {
  it.each([
    ['limit=20&isActive=true&kind=BOLT', { limit: 20, isActive: true, kind: 'BOLT' }],
    ['isActive=false&since=2026-01-01T00%3A00%3A00%2B02%3A00', { isActive: false, since: '2026-01-01T00:00:00+02:00' }],
    [`ids=${partId},${noPartId}`, { ids: [partId, noPartId] }],
    [`ids=${partId}&ids=${noPartId}`, { ids: [partId, noPartId] }],
    ['ids=', { ids: [] }],
    ['kind=a+b', { kind: 'a b' }],
    ['customFields=%7B%22seats%22%3A5%7D', { customFields: { seats: 5 } }],
    ['customFields[tier]=gold&customFields%5Bseats%5D=5', { customFields: { tier: 'gold', seats: '5' } }],
  ])('%s', (query, values) => {
    expect(read(query)).toEqual({ values, unknown: [] })
  })

  it('leaves text that it cannot convert unchanged, so that the validator refuses it', () => {
    expect(read('limit=1e2&isActive=yes&customFields={').values).toEqual({
      limit: '1e2',
      isActive: 'yes',
      customFields: '{',
    })
  })

  it('returns the names of unknown parameters', () => {
    expect(read('foo=1&kind[x]=1&__proto__=1').unknown).toEqual(['foo', 'kind[x]', '__proto__'])
  })

  it.each([
    ['limit=1&limit=2', 'limit'],
    ['customFields={}&customFields={}', 'customFields'],
    ['customFields[a]=1&customFields[a]=2', 'customFields.a'],
    ['customFields[__proto__]=1', 'customFields.__proto__'],
    ['kind=%E4', 'query'],
    ['%zz=1', 'query'],
  ])('refuses %s', (query, path) => {
    expect(() => read(query)).toThrow(
      expect.objectContaining({ extensions: expect.objectContaining({ errors: [expect.objectContaining({ path })] }) }),
    )
  })
})

describe('Translation.variables', () => {
  it('takes each variable from its only source', () => {
    expect(translation('partUpdate').variables({ id: partId }, {}, { 'if-match': '"3"' }, { name: 'bolt' })).toEqual({
      id: partId,
      input: { name: 'bolt' },
      expectedVersion: 3,
    })
    expect(translation('partLabel').variables({ id: partId }, {}, {}, { text: null })).toEqual({
      id: partId,
      text: null,
    })
    expect(list.variables({}, { limit: 5 }, {}, undefined)).toEqual({ limit: 5 })
  })

  it.each([
    ['3', 3],
    ['W/"3"', 3],
    ['"3-mfyq2yo0-0"', 3],
    ['*', undefined],
  ])('If-Match: %s', (header, expectedVersion) => {
    const variables = translation('partDelete').variables({ id: partId }, {}, { 'if-match': header }, undefined)
    expect(variables['expectedVersion']).toBe(expectedVersion)
  })

  it('refuses to compile a document with a variable that has no source', () => {
    const operation = partsContract.operations.find(({ id }) => id === 'part')!
    expect(
      () => new Translation({ ...operation, document: 'query part($other: ID) { part(id: $other) { id } }' }),
    ).toThrow('part: $other has 0 sources.')
  })
})
