import { describe, expect, it } from 'vitest'
import { Cancellation } from './cancellation.ts'

describe('a cancellation', () => {
  it('cancels registered work once, and not work that was removed', () => {
    const cancelled: string[] = []
    const cancellation = new Cancellation()
    const [first, second] = ['first', 'second'].map((name) => ({ cancel: () => void cancelled.push(name) }))
    cancellation.add(first!)
    cancellation.add(second!)
    cancellation.delete(first!)
    cancellation.cancel()
    cancellation.cancel()
    expect(cancelled).toEqual(['second'])
  })

  it('gives an AbortSignal, also when it is requested after the cancellation', () => {
    const cancellation = new Cancellation()
    const { signal } = cancellation
    expect([signal.aborted, cancellation.signal === signal]).toEqual([false, true])
    cancellation.cancel()
    expect(signal.aborted).toBe(true)

    const earlier = new Cancellation()
    earlier.cancel()
    expect(earlier.signal.aborted).toBe(true)
  })
})
