import { describe, expect, it } from 'vitest'
import { busyFor, PiecesOfTurns } from './turn.fixture.ts'
import { isTurnOver, nextTurn, ownEventLoopTurn } from './turn.ts'

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

  it('are given to organizations in turn, however many one of them waits for', async () => {
    let begun = 0
    const turnOf = async (organizationId: string): Promise<number> => {
      await ownEventLoopTurn(organizationId)
      return ++begun
    }
    const ofOne = Array.from({ length: 1_000 }, () => turnOf('one'))
    await ofOne[9]
    expect(await turnOf('other')).toBe(12)
    expect(await Promise.all(ofOne)).toEqual(Array.from(ofOne, (_, index) => index + (index < 11 ? 1 : 2)))
  })
})

describe('the time of a turn', () => {
  it('is shared by all work in small pieces, and none of it waits for the others to end', async () => {
    const pieces = new PiecesOfTurns()
    const ended: number[] = []
    const work = async (worker: number): Promise<void> => {
      for (let piece = 0; piece < 4; piece++) {
        if (isTurnOver()) await nextTurn()
        busyFor(6)
        pieces.count()
      }
      ended.push(worker)
    }
    await Promise.all([1, 2, 3, 4, 5].map(work))
    const { all, longestTurn } = pieces.end()
    expect(all).toBe(20)
    expect(longestTurn).toBeLessThanOrEqual(2)
    expect(new Set(ended)).toEqual(new Set([1, 2, 3, 4, 5]))
  })
})
