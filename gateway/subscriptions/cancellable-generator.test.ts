import { describe, expect, it } from 'vitest'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { CancellableGenerator } from './cancellable-generator.ts'
import { Signal } from './signal.ts'

/** A generator that yields one value for each notification. `counts` shows how often it ended and cleaned up. */
function notified() {
  const cancellation = new Cancellation()
  const signal = new Signal()
  const notify = () => signal.notify()
  cancellation.add({ cancel: notify })
  let cleanedUp = 0
  async function* values() {
    try {
      for (let count = 1; !cancellation.isCancelled; count++) {
        await signal.wait()
        if (!cancellation.isCancelled) yield count
      }
    } finally {
      cleanedUp++
    }
  }
  let ended = 0
  const generator = new CancellableGenerator(values(), cancellation, () => void ended++)
  return { generator, cancellation, notify, counts: () => ({ ended, cleanedUp }) }
}

const done = { done: true, value: undefined }

describe('CancellableGenerator', () => {
  it('yields a value when there is one', async () => {
    const { generator, notify, counts } = notified()
    notify()
    expect(await generator.next()).toEqual({ done: false, value: 1 })
    const next = generator.next()
    notify()
    expect(await next).toEqual({ done: false, value: 2 })
    expect(counts()).toEqual({ ended: 0, cleanedUp: 0 })
  })

  it('ends immediately while it waits, and only once', async () => {
    const { generator, cancellation, counts } = notified()
    const next = generator.next()
    expect(await generator.return()).toEqual(done)
    expect(await next).toEqual(done)
    await generator.return()
    expect(cancellation.isCancelled).toBe(true)
    expect(counts()).toEqual({ ended: 1, cleanedUp: 1 })
  })

  it('ends when it is cancelled, also if no value was ever requested', async () => {
    const { generator, cancellation, counts } = notified()
    cancellation.cancel()
    expect(counts()).toEqual({ ended: 1, cleanedUp: 0 })
    expect(await generator.next()).toEqual(done)
  })

  it('passes on the error of its source and ends', async () => {
    let ended = 0
    const failing = (async function* (): AsyncGenerator<number> {
      yield await Promise.reject(new Error('away'))
    })()
    const generator = new CancellableGenerator(failing, new Cancellation(), () => void ended++)
    await expect(generator.next()).rejects.toThrow('away')
    expect(ended).toBe(1)
  })
})
