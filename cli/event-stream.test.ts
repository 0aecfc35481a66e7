import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { framesOf, StreamLost } from './event-stream.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A connection that an abort ends, and its frames. */
function aConnection() {
  const silence = new AbortController()
  let connection!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void (connection = controller) })
  silence.signal.addEventListener('abort', () => connection.error(silence.signal.reason))
  const send = (text: string): void => connection.enqueue(new TextEncoder().encode(text))
  return { send, silence, frames: framesOf(body, new AbortController().signal, silence) }
}

it('has all events of a chunk, however long the reader takes for each', async () => {
  const { send, silence, frames } = aConnection()
  send('event: event\ndata: 1\n\nevent: event\ndata: 2\n\nevent: event\ndata: 3\n\n')
  for (const data of ['1', '2', '3']) {
    expect(await frames.next()).toEqual({ done: false, value: { kind: 'event', data } })
    vi.advanceTimersByTime(600_000)
  }
  const fourth = frames.next()
  send('data: 4\n\n')
  expect(await fourth).toEqual({ done: false, value: { kind: 'message', data: '4' } })
  expect(silence.signal.aborted).toBe(false)
})

it('is lost when nothing arrives for 45 s while the next event is awaited', async () => {
  const { send, silence, frames } = aConnection()
  send('data: 1\n\n')
  expect(await frames.next()).toMatchObject({ value: { data: '1' } })
  const next = frames.next()
  await vi.advanceTimersByTimeAsync(44_999)
  // A comment, sent where nothing else is.
  send(':\n\n')
  await vi.advanceTimersByTimeAsync(44_999)
  expect(silence.signal.aborted).toBe(false)
  const lost = expect(next).rejects.toThrow(StreamLost)
  await vi.advanceTimersByTimeAsync(1)
  await lost
})
