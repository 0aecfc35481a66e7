import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { account, lead } from '../builders.ts'
import { listen } from '../live.ts'
import { attemptsOf, aWebhook, deliverAll, useWebhooks } from './use-webhooks.ts'

const used = useWebhooks()
const { platform } = used

/** The bytes of a live stream as they arrive, without a client that decompresses them. */
class ArrivingStream {
  constructor(readonly response: IncomingMessage) {
    response.setEncoding('utf8')
  }

  static async open(headers: Readonly<Record<string, string>> = {}): Promise<ArrivingStream> {
    const sent = request(`${platform.url}/v1/webhooks/listen`, {
      method: 'POST',
      headers: { ...used.owner.headers, 'content-type': 'application/json', ...headers },
    }).end(JSON.stringify({ events: ['account.created'] }))
    onTestFinished(() => void sent.destroy())
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return new ArrivingStream(response)
  }

  /** What arrives next, until it ends with an empty line. */
  async next(): Promise<string> {
    let text = ''
    while (!text.endsWith('\n\n')) {
      const chunk = this.response.read() as string | null
      if (chunk === null) await once(this.response, 'readable')
      else text += chunk
    }
    return text
  }
}

describe('POST /v1/webhooks/listen', () => {
  it('is not compressed for a client that accepts gzip, and sends each frame at once', async () => {
    const stream = await ArrivingStream.open({ 'accept-encoding': 'gzip, br' })
    const { statusCode, headers } = stream.response
    expect([statusCode, headers['content-encoding'], headers['content-type'], headers['cache-control']]).toEqual([
      200,
      undefined,
      'text/event-stream; charset=utf-8',
      'no-store, no-transform',
    ])
    expect(await stream.next()).toMatch(/^event: ready\ndata: \{.*\}\n\n$/)
    // Each frame arrives before the next event happens.
    for (const name of ['One', 'Two']) {
      const { id } = await account(used.owner, { name })
      const [, data] = /^event: event\ndata: (.*)\n\n$/.exec(await stream.next())!
      expect(JSON.parse(data!)).toMatchObject({ type: 'account.created', data: { id, record: { name } } })
    }
  })

  it('sends a comment after 15 seconds without a frame', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const stream = await ArrivingStream.open()
    expect(await stream.next()).toMatch(/^event: ready\n/)
    vi.advanceTimersByTime(14_999)
    await account(used.owner)
    expect(await stream.next()).toMatch(/^event: event\n/)
    vi.advanceTimersByTime(14_999)
    await account(used.owner)
    expect(await stream.next()).toMatch(/^event: event\n/)
    vi.advanceTimersByTime(15_000)
    expect(await stream.next()).toBe(':\n\n')
  })
})

describe('POST /v1/webhooks/listen/trigger', () => {
  it('sends nothing to the webhooks of the type', async () => {
    const ids = [
      (await aWebhook(used, { events: ['lead.created'] })).id,
      (await aWebhook(used, { events: ['lead.*'] })).id,
    ]
    const stream = await listen(platform, used.owner.headers, { events: ['lead.*'] })
    expect(await stream.next()).toMatchObject({ event: 'ready' })
    const { status, body } = await used.owner.rest.webhookListenTrigger!({ body: { type: 'lead.created' } })
    expect([status, body]).toEqual([
      200,
      { id: expect.stringMatching(/^evt_/) as string, type: 'lead.created', streams: 1 },
    ])
    expect(await stream.next()).toMatchObject({ event: 'event', data: { id: body.id, test: true } })
    await deliverAll(used)
    expect(used.receiver.take()).toEqual([])
    for (const id of ids) {
      expect(await attemptsOf(used, id)).toEqual([])
      expect((await used.owner.rest.webhook!({ id })).body).toMatchObject({ lastDeliveryAt: null, version: 1 })
    }
    await lead(used.owner)
    await deliverAll(used)
    expect(used.receiver.take().map(({ body: { type, test } }) => [type, test])).toEqual([
      ['lead.created', undefined],
      ['lead.created', undefined],
    ])
  })
})
