import { describe, expect, it } from 'vitest'
import { parse } from 'graphql'
import { partsContract } from './rest.fixture.ts'

const { document, operations } = partsContract
const operation = (id: string) => operations.find((candidate) => candidate.id === id)!

describe('loadContract', () => {
  it('copies the paths of an area to its alias, with different operation ids and the same stored documents', () => {
    const originals = operations.filter(({ id, documentId }) => id === documentId)
    const copies = operations.filter(({ id, documentId }) => id !== documentId)
    expect(copies.map(({ id }) => id)).toEqual(
      ['components', 'spare-parts'].flatMap((alias) => originals.map(({ id }) => `${id}_${alias}`)),
    )
    expect(operation('part_spare-parts')).toMatchObject({
      path: '/spare-parts/{id}',
      document: operation('part').document,
    })
    expect(operation('part_components')).toMatchObject({
      path: '/v1/components/{id}',
      document: operation('part').document,
    })
    expect(document.paths['/v1/components/{id}']!.get).toMatchObject({ 'x-alias-of': 'part' })
  })

  it('gives every operation the common responses, headers, tag, security and what it needs', () => {
    const { get } = document.paths['/v1/parts/stats']!
    expect(Object.keys(get!.responses)).toEqual(['200', '401'])
    expect(get!.responses['200']).toMatchObject({ headers: { 'API-Version': { schema: { type: 'string' } } } })
    expect(get).toMatchObject({ tags: ['Parts'], security: [{ apiKey: [] }], description: 'Needs READ_ACCOUNTS.' })
  })

  it('appends the fragments that a document uses, and no others', () => {
    const names = parse(operation('part').document!).definitions.map((node) => 'name' in node && node.name?.value)
    expect(names).toEqual(['part', 'partFields'])
  })

  it('resolves references of parameters and bodies', () => {
    expect(operation('partUpdate').parameters.map(({ name }) => name)).toEqual(['id', 'If-Match', 'Idempotency-Key'])
    expect(operation('partUpdate').body).toMatchObject({ required: true, schema: { required: ['name'] } })
    expect(operation('partUpdate').acceptsIdempotencyKey).toBe(true)
    expect(operation('partDelete').acceptsIdempotencyKey).toBe(false)
    expect(operation('partDelete').success).toEqual({
      status: 204,
      otherwise: null,
      property: null,
      headers: new Set(['API-Version']),
      hasBody: false,
      isConditional: false,
      unversioned: [],
      fileType: null,
      isStream: false,
    })
  })
})
