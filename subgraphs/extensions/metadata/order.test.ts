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

  it('run after all that provide a word, also where a step of an earlier phase needs the word', () => {
    const provider = (name: string, phase: number) => ({ name, phase, provides: [name, 'any'], needs: [] as string[] })
    expect(names(step('d', 1, 'any'), step('e', 2, 'any'), provider('c', 2), provider('b', 2), provider('a', 1))).toBe(
      'a d b c e',
    )
  })

  it('that all provide the same word and need it often are ordered in a moment', () => {
    const many = Array.from({ length: 2_000 }, (_, index) => ({
      name: `n${index}`,
      phase: 1,
      provides: [`n${index}`, 'any'],
      needs: [...(index < 1_999 ? [`n${index + 1}`] : []), ...Array.from({ length: 50 }, () => 'any')],
    }))
    const last = { name: 'last', phase: 1, provides: ['last'], needs: ['any'] }
    const beganMs = performance.now()
    const ordered = inOrder([last, ...many])
    expect(performance.now() - beganMs).toBeLessThan(1_000)
    expect(ordered.map(({ name }) => name).toSorted()).toEqual([last, ...many].map(({ name }) => name).toSorted())
    expect(ordered.at(-1)!.name).toBe('last')
  })
})
