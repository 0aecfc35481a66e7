import { parse, print } from 'graphql'
import { describe, expect, it } from 'vitest'
import { crossTenantParts } from './cross-tenant-parts.ts'

const parts = (document: string) =>
  crossTenantParts(parse(document), new Set(['login', 'count'])).map(({ document: part, isCrossTenant }) => [
    print(part).replaceAll(/\s+/g, ' '),
    isCrossTenant,
  ])

describe('crossTenantParts', () => {
  it.each([
    '{ me { id } }',
    '{ count login }',
    'query ($a: Int) { me { id(a: $a) } ...F } fragment F on Query { you }',
  ])('does not split %s', (document) => {
    const [part, ...more] = crossTenantParts(parse(document), new Set(['login', 'count']))
    expect([print(part!.document), more]).toEqual([print(parse(document)), []])
  })

  it('splits root fields where the access changes, in their order', () => {
    expect(parts('mutation ($v: Int) { a: rename(to: $v) { id } login { id } b: rename(to: $v) { id } }')).toEqual([
      ['mutation ($v: Int) { a: rename(to: $v) { id } }', false],
      ['mutation ($v: Int) { login { id } }', true],
      ['mutation ($v: Int) { b: rename(to: $v) { id } }', false],
    ])
  })

  it('merges selections of one field, also from fragments', () => {
    expect(parts('{ me { id } ... { count } ...F } fragment F on Query { me { name } count }')).toEqual([
      ['{ me { id } me { name } } fragment F on Query { me { name } count }', false],
      ['{ count count } fragment F on Query { me { name } count }', true],
    ])
  })
})
