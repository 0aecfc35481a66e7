import { describe, expect, it } from 'vitest'
import { ownEventLoopTurn } from './turn.ts'

describe('event-loop turns for large values', () => {
  it('are one per iteration of the event loop, in the order of the calls', async () => {
    let round = 0
    let isCounting = true
    const count = (): void => {
      round += 1
      if (isCounting) setImmediate(count)
    }
    setImmediate(count)
    const rounds = await Promise.all([1, 2, 3].map(() => ownEventLoopTurn().then(() => round)))
    isCounting = false
    expect(new Set(rounds).size).toBe(3)
    expect(rounds).toEqual(rounds.toSorted((a, b) => a - b))
  })
})
