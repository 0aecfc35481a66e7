import { describe, expect, it } from 'vitest'
import { restrictionProblems } from './profile.rules.ts'

describe('restrictionProblems', () => {
  const objects = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, {}]))

  it('reports unknown record types, at most 200', () => {
    expect(new Set(restrictionProblems(objects(200)).map(({ code }) => code))).toEqual(new Set(['UNKNOWN_OBJECT']))
    expect(restrictionProblems(objects(201))).toEqual([
      { path: 'fields', code: 'TOO_MANY', message: 'fields must have at most 200 record types.' },
    ])
  })
})
