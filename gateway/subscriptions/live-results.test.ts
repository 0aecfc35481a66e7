import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { LiveResults } from './live-results.ts'
import { Wake } from './wake.ts'

/** Results that come when they are woken, and how often they have ended. */
function waiting() {
  const cancellation = new Cancellation()
  const news = new Wake()
  const wake = () => news.wake()
  cancellation.add({ cancel: wake })
  let cleanedUp = 0
  async function* results() {
    try {
      for (let count = 1; !cancellation.isCancelled; count++) {
        await news.next()
        if (!cancellation.isCancelled) yield count
      }
    } finally {
      cleanedUp++
    }
  }
  let ended = 0
  const live = new LiveResults(results(), cancellation, () => void ended++)
  return { live, cancellation, wake, counts: () => ({ ended, cleanedUp }) }
}

const done = { done: true, value: undefined }

describe('live results', () => {
  it('come when there are some', async () => {
    const { live, wake, counts } = waiting()
    wake()
    expect(await live.next()).toEqual({ done: false, value: 1 })
    const next = live.next()
    wake()
    expect(await next).toEqual({ done: false, value: 2 })
    expect(counts()).toEqual({ ended: 0, cleanedUp: 0 })
  })

  it('end at once while they wait, and once', async () => {
    const { live, cancellation, counts } = waiting()
    const next = live.next()
    expect(await live.return()).toEqual(done)
    expect(await next).toEqual(done)
    await live.return()
    expect(cancellation.isCancelled).toBe(true)
    expect(counts()).toEqual({ ended: 1, cleanedUp: 1 })
  })

  it('end with their cancellation, also when nobody ever asked for one', async () => {
    const { live, cancellation, counts } = waiting()
    cancellation.cancel()
    expect(counts()).toEqual({ ended: 1, cleanedUp: 0 })
    expect(await live.next()).toEqual(done)
  })

  it('tell what they fail with', async () => {
    let ended = 0
    const failing = (async function* (): AsyncGenerator<number> {
      yield await Promise.reject(new Error('away'))
    })()
    const live = new LiveResults(failing, new Cancellation(), () => void ended++)
    await expect(live.next()).rejects.toThrow('away')
    expect(ended).toBe(1)
  })
})
