import { describe, expect, it } from 'vitest'
import { inOrder } from './order.ts'

const step = (name: string, phase: number, ...needs: string[]) => ({ name, phase, provides: [name], needs })
const names = (...steps: ReturnType<typeof step>[]): string =>
  inOrder(steps)
    .map(({ name }) => name)
    .join(' ')

describe('steps', () => {
  it('run by phase, and after what they need', () => {
    expect(names(step('d', 2), step('c', 1, 'b'), step('b', 1, 'a'), step('a', 1))).toBe('a b c d')
    expect(names(step('b', 1, 'a', 'c'), step('a', 1, 'c'), step('c', 1))).toBe('c a b')
  })

  it('that need each other all run once', () => {
    expect(
      names(step('a', 1, 'b'), step('b', 1, 'a'), step('c', 1, 'c'))
        .split(' ')
        .toSorted(),
    ).toEqual(['a', 'b', 'c'])
  })

  it('may need one another in a long chain', () => {
    const chain = Array.from({ length: 20_000 }, (_, index) => step(`n${index}`, 1, `n${index + 1}`))
    expect(inOrder(chain)[0]!.name).toBe('n19999')
  })
})
