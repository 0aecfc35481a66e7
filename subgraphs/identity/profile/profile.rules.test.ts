import { describe, expect, it } from 'vitest'
import { restrictionProblems } from './profile.rules.ts'

describe('restrictionProblems', () => {
  const objects = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, {}]))

  it('names what no kind of record is, of 200 at most', () => {
    expect(new Set(restrictionProblems(objects(200)).map(({ code }) => code))).toEqual(new Set(['UNKNOWN_OBJECT']))
    expect(restrictionProblems(objects(201))).toEqual([
      { path: 'fields', code: 'TOO_MANY', message: 'fields names at most 200 kinds of record.' },
    ])
  })
})
