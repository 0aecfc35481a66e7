import { describe, expect, it } from 'vitest'
import { ownTurn } from './turn.ts'

describe('turns of what is large', () => {
  it('come one in a round of the event loop, in the order in which they were asked for', async () => {
    let round = 0
    let isCounting = true
    const count = (): void => {
      round += 1
      if (isCounting) setImmediate(count)
    }
    setImmediate(count)
    const rounds = await Promise.all([1, 2, 3].map(() => ownTurn().then(() => round)))
    isCounting = false
    expect(new Set(rounds).size).toBe(3)
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
  })
})
