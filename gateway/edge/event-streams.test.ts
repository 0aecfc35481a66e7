import { once } from 'node:events'
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { EventStreams, textOf, type EventStreamTimes, type ServerSentEvent } from './event-streams.ts'
import { StreamSlots } from './stream-slots.ts'
import { unsent } from './unsent.ts'

/** A server that answers every request with a stream of these events. */
async function streaming(events: AsyncIterable<ServerSentEvent>, times: Partial<EventStreamTimes> = {}) {
  const streams = new EventStreams(times)
  const cancellation = new Cancellation()
  const ended = Promise.withResolvers<unknown>()
  const server = createServer((_req: IncomingMessage, res: ServerResponse) => {
    streams.send(res, events, cancellation).then(
      () => ended.resolve('ended'),
      (thrown: Error) => ended.resolve(thrown.message),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { streams, cancellation, ended: ended.promise, url }
}

async function* listed(...events: ServerSentEvent[]) {
  yield* events
}

/** A source without events, which ends when it is cancelled. */
const silent = (): AsyncIterable<ServerSentEvent> => ({
  [Symbol.asyncIterator]: () => {
    const left = Promise.withResolvers<IteratorResult<ServerSentEvent>>()
    const done = { done: true, value: undefined } as const
    return { next: () => left.promise, return: async () => (left.resolve(done), done) }
  },
})

describe('the text of an event', () => {
  it('has its type, its id and each line of its data', () => {
    expect(textOf({ event: 'next', id: '7', data: 'one\ntwo\r\nthree' })).toBe(
      'event: next\nid: 7\ndata: one\ndata: two\ndata: three\n\n',
    )
    expect(textOf({ data: '' })).toBe('data: \n\n')
  })

  it('refuses a type or an id with a line break', () => {
    expect(() => textOf({ id: '1\ndata: 2', data: '' })).toThrow('one line')
  })
})

describe('an event stream', () => {
  it('is sent completely and in order, with headers against caching', async () => {
    const { url, ended, cancellation, streams } = await streaming(listed({ event: 'a', data: '1' }, { data: '2' }))
    const answer = await fetch(url)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    })
    expect(await answer.text()).toBe('event: a\ndata: 1\n\ndata: 2\n\n')
    expect(await ended).toBe('ended')
    expect([cancellation.isCancelled, streams.count]).toEqual([true, 0])
  })

  it('sends comments while there are no events', async () => {
    const { url } = await streaming(silent(), { heartbeatMs: 5 })
    const leaving = new AbortController()
    const answer = await fetch(url, { signal: leaving.signal })
    const { value } = await answer.body!.getReader().read()
    expect(Buffer.from(value!).toString()).toMatch(/^(:\n\n)+$/)
    leaving.abort()
  })

  it('ends its source when the client leaves', async () => {
    const { url, ended, cancellation, streams } = await streaming(silent())
    const leaving = new AbortController()
    await fetch(url, { signal: leaving.signal })
    expect(streams.count).toBe(1)
    leaving.abort()
    expect(await ended).toBe('ended')
    expect([cancellation.isCancelled, streams.count]).toEqual([true, 0])
  })

  it('ends when the server stops, and a new one is refused', async () => {
    const { url, ended, streams } = await streaming(silent())
    const answer = await fetch(url)
    streams.close()
    expect(await answer.text()).toBe('')
    expect(await ended).toBe('ended')
    await expect(streams.send({} as ServerResponse, silent(), new Cancellation())).rejects.toThrow('stopping')
  })

  it('closes the connection when its source fails', async () => {
    const failing: AsyncIterable<ServerSentEvent> = {
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no more')) }),
    }
    const { url, ended } = await streaming(failing)
    await expect(fetch(url).then((answer) => answer.text())).rejects.toThrow('terminated')
    expect(await ended).toBe('no more')
  })

  it('requests an event only after the client has read the one before, and closes the connection of a client that does not read', async () => {
    let requested = 0
    const endless: AsyncIterable<ServerSentEvent> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ value: { data: `${++requested} ${'x'.repeat(1_000_000)}` } }),
        return: async () => ({ done: true, value: undefined }),
      }),
    }
    const { url, ended } = await streaming(endless, { readMs: 20 })
    const asking = request(url)
      .on('error', () => {})
      .end()
    const [answer] = (await once(asking, 'response')) as [IncomingMessage]
    answer.on('error', () => {}).pause()
    expect(await ended).toBe('ended')
    // The socket buffers hold a few megabytes at most.
    expect(requested).toBeLessThan(20)
    expect(unsent.bytes).toBe(0)
  })
})

describe('live streams', () => {
  it('are limited for an organization and in total, and release their slot once', () => {
    const slots = new StreamSlots({ perOrganization: 2, all: 3 })
    const first = slots.take('one')
    slots.take('one')
    expect(() => slots.take('one')).toThrow(
      'Limit of 2 open streams of the organization reached; close one, then retry in 5 s.',
    )
    slots.take('two')
    expect(() => slots.take('two')).toThrow('Limit of 3 open streams of the server reached; retry in 5 s.')
    first()
    first()
    expect(slots.count).toBe(2)
    slots.take('two')
    expect(() => slots.take('three')).toThrow('Limit of 3 open streams')
  })
})
