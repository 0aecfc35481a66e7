import { getHeapSpaceStatistics } from 'node:v8'
import { describe, expect, it } from 'vitest'
import { giveWay, requestBegan } from './background-turn.ts'
import { busyFor, PiecesOfTurns } from './turn.fixture.ts'

describe('work in the background', () => {
  /** Does pieces of a millisecond until `isOver`; how many, and how many of them in the longest turn. */
  async function work(isOver: (pieces: number) => boolean): Promise<{ all: number; longestTurn: number }> {
    const pieces = new PiecesOfTurns()
    for (let done = 0; !isOver(done); done++) {
      await giveWay('one')
      busyFor(1)
      pieces.count()
    }
    return pieces.end()
  }

  it('ends its turn of the event loop after two milliseconds', async () => {
    const { all, longestTurn } = await work((pieces) => pieces === 20)
    expect(all).toBe(20)
    expect(longestTurn).toBeLessThanOrEqual(3)
  })

  it('waits for the answer of a request, and goes on under constant load nevertheless', async () => {
    const answer = { headersSent: false }
    const end = requestBegan(answer)
    const startMs = performance.now()
    await work((pieces) => pieces === 20)
    // Turns of at most three pieces, and eight milliseconds between them.
    expect(performance.now() - startMs).toBeGreaterThan(6 * 8)
    end()
  })

  it('waits until the answer begins', async () => {
    const answer = { headersSent: false }
    let pieces = 0
    const begun = new Promise<number>((resolve) => {
      setTimeout(() => {
        answer.headersSent = true
        resolve(pieces)
      }, 4)
    })
    await giveWay('one')
    busyFor(3)
    const end = requestBegan(answer)
    await giveWay('one')
    pieces++
    expect(await begun).toBe(0)
    end()
  })

  it('does not wait for a stream, whose answer has begun: it is not asked again', async () => {
    let asked = 0
    requestBegan({
      get headersSent() {
        asked++
        return true
      },
    })
    await work((pieces) => pieces === 20)
    expect(asked).toBe(1)
  })

  it('knows requests in a way that minor collections free those that have ended', () => {
    const oldBytes = () => getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')!.space_used_size
    const ends: (() => void)[] = []
    const before = oldBytes()
    for (let count = 0; count < 40_000; count++) {
      // 4 KB each, 160 MB together.
      ends.push(requestBegan({ headersSent: false, held: Array.from({ length: 500 }, () => count) } as never))
      if (ends.length > 32) ends.shift()!()
    }
    for (const end of ends) end()
    expect(oldBytes() - before).toBeLessThan(8 * 1024 * 1024)
  })
})
