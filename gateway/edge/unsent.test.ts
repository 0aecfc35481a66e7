import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sendJson, sendSlices } from './send-json.ts'
import { unsent, UnsentBytes } from './unsent.ts'

describe('UnsentBytes', () => {
  it('has a limit in total and for each owner, and accepts bytes again when a response is sent', () => {
    const unsent = new UnsentBytes(100, 40)
    const first = unsent.take('a', 40)!
    expect([unsent.take('a', 1), unsent.isWithinLimits('a', 1), unsent.isWithinLimits('b', 40)]).toEqual([
      null,
      false,
      true,
    ])
    expect([unsent.isOwnLimit('a', 1), unsent.isOwnLimit('b', 40)]).toEqual([true, false])
    unsent.take('b', 40)
    expect([unsent.take('c', 21), unsent.bytes]).toEqual([null, 80])
    expect(unsent.isOwnLimit('c', 21)).toBe(false)
    first()
    expect([unsent.isWithinLimits('c', 40), unsent.isWithinLimits('a', 40), unsent.bytes]).toEqual([true, true, 40])
  })
})

/** A connection that sends one request and reads nothing until it is resumed. */
async function pausedClient(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).pause()
  onTestFinished(() => void client.destroy())
  client.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  return client
}

// More than the socket buffers hold.
const large = Buffer.alloc(32_000_000, 'x')

describe('a large answer', () => {
  it('is aborted when the client does not read', async () => {
    const closed = Promise.withResolvers<boolean>()
    await pausedClient((_req, res) => {
      res.once('close', () => closed.resolve(res.writableFinished))
      sendSlices(res, [large], 100)
    })
    expect(await closed.promise).toBe(false)
  })

  it('is not counted when the client has left', async () => {
    const left = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const client = await pausedClient((_req, res) => {
      asked.resolve()
      res.once('close', () => {
        sendJson(res, 200, 'application/json', {}, large.toString('latin1'))
        left.resolve()
      })
    })
    await asked.promise
    client.destroy()
    await left.promise
    expect(unsent.bytes).toBe(0)
  })

  it('arrives complete when the client reads', async () => {
    const client = await pausedClient((_req, res) => sendSlices(res, [large]))
    let bytes = 0
    client.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
    await once(client, 'close')
    expect(bytes).toBeGreaterThan(large.length)
  })
})
