import { describe, expect, it } from 'vitest'
import { PreparedStatements } from './prepared-statements.ts'

const long = 'x'.repeat(10_000)

describe('the prepared statements of a connection', () => {
  it('close the least recently used statement when there is no room, and keep one that is in use', () => {
    const statements = new PreparedStatements<string>()
    statements.add('in use', long)
    const closed: string[] = []
    // 530,000 bytes each: 45 fit in 24 MB.
    for (let number = 0; number < 100; number++) {
      expect(statements.get('in use')).toBeDefined()
      closed.push(...statements.add(`statement ${number}`, long))
    }
    expect(closed).toEqual(Array.from({ length: 56 }, (_, number) => `statement ${number}`))
    expect(statements.get('statement 55')).toBeUndefined()
    expect(statements.get('statement 56')).toBeDefined()
  })

  it('return the name of each evicted statement once', () => {
    const statements = new PreparedStatements<string>()
    for (let number = 0; number < 45; number++) statements.add(`statement ${number}`, long)
    expect(statements.add('one more', long)).toEqual(['statement 0'])
    expect(statements.add('small', 'select 1')).toEqual([])
    expect(statements.add('statement 0', long)).toEqual(['statement 1'])
  })
})
