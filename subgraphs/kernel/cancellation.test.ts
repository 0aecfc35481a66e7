import { describe, expect, it } from 'vitest'
import { Cancellation } from './cancellation.ts'

describe('a cancellation', () => {
  it('tells what is registered once, and not what was taken out', () => {
    const told: string[] = []
    const cancellation = new Cancellation()
    const [first, second] = ['first', 'second'].map((name) => ({ cancel: () => void told.push(name) }))
    cancellation.add(first!)
    cancellation.add(second!)
    cancellation.delete(first!)
    cancellation.cancel()
    cancellation.cancel()
    expect(told).toEqual(['second'])
  })

  it('is an AbortSignal for whoever asks, before and after', () => {
    const cancellation = new Cancellation()
    const { signal } = cancellation
    expect([signal.aborted, cancellation.signal === signal]).toEqual([false, true])
    cancellation.cancel()
    expect(signal.aborted).toBe(true)

    const cancelled = new Cancellation()
    cancelled.cancel()
    expect(cancelled.signal.aborted).toBe(true)
  })
})
