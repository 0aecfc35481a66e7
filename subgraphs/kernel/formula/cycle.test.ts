import { describe, expect, it } from 'vitest'
import { formulaCycle } from './cycle.ts'
import { cycleProblem } from './problem.ts'

const graph = (edges: Readonly<Record<string, readonly string[]>>): Map<string, readonly string[]> =>
  new Map(Object.entries(edges))

describe('formulaCycle', () => {
  it.each<[string, Readonly<Record<string, readonly string[]>>, string[] | null]>([
    ['nothing', {}, null],
    ['a formula of fields', { 'account.a': ['account.name'] }, null],
    ['formulas that read one formula', { a: ['b', 'c'], b: ['d'], c: ['d'], d: [] }, null],
    ['a formula that reads itself', { a: ['b', 'a'] }, ['a', 'a']],
    ['two formulas', { a: ['b'], b: ['a'] }, ['a', 'b', 'a']],
    [
      'formulas and rollups of three record types',
      {
        'account.total': ['opportunity.margin'],
        'opportunity.margin': ['opportunity.amount', 'product.share'],
        'product.share': ['account.total'],
        'account.other': ['account.total'],
      },
      ['account.total', 'opportunity.margin', 'product.share', 'account.total'],
    ],
    ['a cycle behind its first formula', { a: ['b'], b: ['c'], c: ['b'] }, ['b', 'c', 'b']],
  ])('finds the cycle of %s', (_, edges, expected) => {
    expect(formulaCycle(graph(edges))).toEqual(expected)
  })

  it('searches what the given formulas read only', () => {
    const edges = graph({ a: ['b'], b: [], c: ['c'] })
    expect(formulaCycle(edges, ['a'])).toBe(null)
    expect(formulaCycle(edges, ['a', 'c'])).toEqual(['c', 'c'])
  })

  it('searches a chain of 100,000 formulas without recursion, and a dense graph once', () => {
    const long = new Map(Array.from({ length: 100_000 }, (_, index) => [String(index), [String(index + 1)]]))
    expect(formulaCycle(long)).toBe(null)
    expect(formulaCycle(new Map([...long, ['100000', ['0']]]))).toHaveLength(100_002)
    const names = Array.from({ length: 500 }, (_, index) => String(index))
    expect(formulaCycle(new Map(names.map((name, index) => [name, names.slice(index + 1)])))).toBe(null)
  })

  it('becomes a problem with the cycle', () => {
    expect(cycleProblem('b + 1', ['a', 'b', 'a'])).toEqual({
      code: 'FORMULA_CYCLE',
      message: 'The formula reads itself: a, b, a.',
      offset: 0,
      length: 5,
      line: 1,
      column: 1,
      cycle: ['a', 'b', 'a'],
    })
  })
})
