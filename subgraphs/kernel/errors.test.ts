import { describe, expect, it } from 'vitest'
import { invalid } from './errors.ts'

describe('invalid', () => {
  it('lists the first fifty problems and the number of all', () => {
    const problems = Array.from({ length: 25_000 }, (_, index) => ({
      path: `a.${index}`,
      code: 'EMPTY',
      message: 'Empty.',
    }))
    const { message, extensions } = invalid(...problems)
    expect([message, extensions.errors]).toEqual(['25000 inputs are not valid.', problems.slice(0, 50)])
  })
})
