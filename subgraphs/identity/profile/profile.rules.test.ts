import { describe, expect, it } from 'vitest'
import { restrictionProblems } from './profile.rules.ts'

describe('restrictionProblems', () => {
  const objects = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, {}]))

  it('reports unknown record types, at most 400', () => {
    expect(new Set(restrictionProblems(objects(400)).map(({ code }) => code))).toEqual(new Set(['UNKNOWN_OBJECT']))
    expect(restrictionProblems(objects(401))).toEqual([
      { path: 'fields', code: 'TOO_MANY', message: 'fields must have at most 400 record types.' },
    ])
  })
})
