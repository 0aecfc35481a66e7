import { describe, expect, it } from 'vitest'
import { FrameQueue, type Frame } from './frame-queue.ts'

const event = (number: number): Frame => ({ frame: 'EVENT', data: { number } })
const dropped = (count: number): Frame => ({ frame: 'DROPPED', data: { count } })

/** A queue of 100 bytes; `counted` are the bytes that count against the process. */
function aQueue(bytesOfProcess = Infinity) {
  let counted = 0
  const queue = new FrameQueue(100, (bytes) => {
    if (counted + bytes > bytesOfProcess) return null
    counted += bytes
    return () => (counted -= bytes)
  })
  return { queue, counted: () => counted }
}

const numbers = async (queue: FrameQueue, count: number): Promise<unknown[]> => {
  const frames = []
  for (let index = 0; index < count; index++) frames.push(await queue.next())
  return frames
}

describe('the queue of a listener', () => {
  it('gives frames in order, also to a reader that waits', async () => {
    const { queue } = aQueue()
    const waiting = queue.next()
    queue.offer(event(1), 10)
    queue.offer(event(2), 10)
    expect([await waiting, await queue.next()]).toEqual([event(1), event(2)])
  })

  it('skips events when it is full, counts them, and accepts events when half of it was read', async () => {
    const { queue, counted } = aQueue()
    for (let number = 1; number <= 13; number++) queue.offer(event(number), 10)
    expect([queue.bytes, counted()]).toEqual([100, 100])
    expect(await numbers(queue, 5)).toEqual([1, 2, 3, 4, 5].map(event))
    queue.offer(event(14), 10)
    await queue.next()
    queue.offer(event(15), 10)
    expect(await numbers(queue, 6)).toEqual([event(7), event(8), event(9), event(10), dropped(4), event(15)])
    expect([queue.bytes, counted()]).toEqual([0, 0])
  })

  it('tells what was dropped also without another event', async () => {
    const { queue } = aQueue(10)
    queue.offer(event(1), 10)
    queue.offer(event(2), 10)
    expect(await numbers(queue, 2)).toEqual([event(1), dropped(1)])
  })

  it('takes an event that is larger than the queue when it is empty', async () => {
    const { queue } = aQueue()
    queue.offer(event(1), 5_000)
    queue.offer(event(2), 1)
    expect(await numbers(queue, 2)).toEqual([event(1), dropped(1)])
  })

  it('ends with the reason: unread events are counted, later ones are not', async () => {
    const { queue, counted } = aQueue()
    for (let number = 1; number <= 3; number++) queue.offer(event(number), 10)
    await queue.next()
    queue.end('TIME_LIMIT', { message: 'Over.' })
    queue.end('SERVER_STOPPING', {})
    queue.offer(event(4), 10)
    expect(await numbers(queue, 3)).toEqual([
      dropped(2),
      { frame: 'END', data: { reason: 'TIME_LIMIT', message: 'Over.' } },
      null,
    ])
    expect(counted()).toBe(0)
  })

  it('wakes a reader that waits when it ends', async () => {
    const { queue } = aQueue()
    const waiting = queue.next()
    queue.end('CREDENTIAL_ENDED', { code: 'API_KEY_INVALID' })
    expect(await waiting).toEqual({ frame: 'END', data: { reason: 'CREDENTIAL_ENDED', code: 'API_KEY_INVALID' } })
    expect(await queue.next()).toBeNull()
  })
})
