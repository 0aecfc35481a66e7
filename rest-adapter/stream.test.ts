import { afterEach, describe, expect, it } from 'vitest'
import type { Cancellation } from '../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../subgraphs/kernel/errors.ts'
import { partsServer } from './rest.fixture.ts'
import type { CustomHandler } from './custom-handler.ts'

let server: Awaited<ReturnType<typeof partsServer>>
afterEach(() => server.close())

/** Starts the adapter with an operation whose response is this stream. */
async function serve(watch: CustomHandler): Promise<void> {
  server = await partsServer(watch)
}

const requestStream = (key = server.writer, signal: AbortSignal | null = null): Promise<Response> =>
  fetch(`${server.base}/v1/parts/watch`, { method: 'POST', headers: { 'X-API-Key': key }, signal })

/** A stream that ends only when it is cancelled. */
async function* streamUntilCancelled(cancellation: Cancellation) {
  yield { event: 'ready', data: '{}' }
  await new Promise<void>((resolve) => cancellation.add({ cancel: resolve }))
}

describe('an operation whose response is a stream', () => {
  it('sends its events, with the same caller and headers as every response', async () => {
    await serve(async function* ({ context }) {
      yield { event: 'part', id: '1', data: context.caller.credentialId }
    })
    const answer = await requestStream()
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('api-version')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '3.2.1',
    ])
    expect(answer.headers.get('ratelimit-remaining')).toMatch(/^\d+$/)
    expect(await answer.text()).toBe('event: part\nid: 1\ndata: key-1\n\n')
  })

  it('is refused like any other operation before it begins', async () => {
    await serve(() => {
      throw new Refusal('NOT_FOUND', 'The part was not found.')
    })
    const missing = await requestStream()
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: 'NOT_FOUND' }])
    const stranger = await requestStream('')
    expect(stranger.status).toBe(401)
  })

  it('sends its failure as the last event, without details of a defect', async () => {
    await serve(async function* () {
      yield { data: '1' }
      throw new Error('select * from secrets')
    })
    const text = await (await requestStream()).text()
    const [, last] = text.split('\n\n')
    expect(last).toMatch(/^event: error\ndata: \{/)
    const problem = JSON.parse(last!.slice(last!.indexOf('{')))
    expect(problem).toMatchObject({ status: 500, code: 'INTERNAL', instance: '/v1/parts/watch' })
    expect(text).not.toContain('secrets')
  })

  it('cancels its source when the client disconnects, and is counted as finished when it begins', async () => {
    const left = Promise.withResolvers<boolean>()
    await serve(async function* ({ context }) {
      yield* streamUntilCancelled(context.cancellation!)
      left.resolve(context.cancellation!.signal.aborted)
    })
    const leaving = new AbortController()
    await requestStream(server.writer, leaving.signal)
    expect(server.finished).toMatchObject([{ operation: 'partWatch', status: 200 }])
    leaving.abort()
    expect(await left.promise).toBe(true)
    expect(server.finished).toHaveLength(1)
  })

  it('is refused at the limit of the organization until another stream ends', async () => {
    await serve(({ context }) => streamUntilCancelled(context.cancellation!))
    const leaving = new AbortController()
    await requestStream(server.writer, leaving.signal)
    const refused = await requestStream()
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      429,
      '5',
      {
        code: 'STREAM_LIMIT_REACHED',
        detail: 'Limit of 1 open streams of the organization reached; close one, then retry in 5 s.',
        limit: 1,
      },
    ])
    leaving.abort()
    await expect.poll(async () => (await requestStream()).status).toBe(200)
  })

  it('ends when the server stops', async () => {
    await serve(({ context }) => streamUntilCancelled(context.cancellation!))
    const answer = await requestStream()
    server.eventStreams.close()
    expect(await answer.text()).toBe('event: ready\ndata: {}\n\n')
  })
})
