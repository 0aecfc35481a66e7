import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { unsent } from '../edge/unsent.ts'
import { serveLibrary, type Serving, type LibraryServerOptions } from './http.fixture.ts'
import { OpenSocket, type SocketTimes } from './open-socket.ts'

async function serving(sketch: LibraryServerOptions): Promise<Serving> {
  const made = await serveLibrary(sketch)
  onTestFinished(() => made.close())
  return made
}

/** An open websocket. With a key, it also sends `connection_init` and waits for the acknowledgement. */
async function open({ socketUrl }: Serving, key?: string, localAddress = '127.0.0.1'): Promise<WebSocket> {
  const socket = new WebSocket(socketUrl, 'graphql-transport-ws', { localAddress })
  await once(socket, 'open')
  if (!key) return socket
  socket.send(JSON.stringify({ type: 'connection_init', payload: { apiKey: key } }))
  await once(socket, 'message')
  return socket
}

/** The answer to an upgrade: 101, or status, code and Retry-After of a refusal. */
async function upgraded({ url }: Serving, localAddress = '127.0.0.1'): Promise<unknown> {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  const sent = request(url, { headers, localAddress }).end()
  const answered = once(sent, 'response').then(async ([answer]: IncomingMessage[]) => {
    const { code } = (await json(answer!)) as { code: string }
    return [answer!.statusCode, code, answer!.headers['retry-after']]
  })
  const open = once(sent, 'upgrade').then(([, socket]) => {
    onTestFinished(() => void socket.destroy())
    return 101
  })
  return Promise.race([answered, open])
}

/** By the limits of an address, and by those of all. */
const refused = [429, 'CONNECTION_LIMIT_REACHED', '5']
const refusedOfAll = [503, 'UNAVAILABLE', '5']

describe('websockets', () => {
  it('without a credential are limited for an address and in total', async () => {
    const server = await serving({ socket: { limits: { unauthenticatedPerAddress: 2, unauthenticated: 3 } } })
    await open(server)
    await open(server)
    expect(await upgraded(server)).toEqual(refused)
    expect(await upgraded(server, '127.0.0.2')).toBe(101)
    expect(await upgraded(server, '127.0.0.3')).toEqual(refusedOfAll)
  })

  it('do not count as unauthenticated after they sent a credential', async () => {
    const server = await serving({ socket: { limits: { unauthenticatedPerAddress: 1 } } })
    await open(server, server.keyWith())
    await open(server, server.keyWith())
    expect([await upgraded(server), await upgraded(server)]).toEqual([101, refused])
  })

  it('are limited for the address of the client', async () => {
    const server = await serving({ socket: { limits: { perAddress: 1 } } })
    const first = await open(server, server.keyWith())
    expect(await upgraded(server)).toEqual(refused)
    expect(await upgraded(server, '127.0.0.2')).toBe(101)
    first.close()
    await expect.poll(() => upgraded(server), { timeout: 30_000 }).toBe(101)
  })
})

const times: SocketTimes = { pingMs: 600_000, idleMs: 600_000, readMs: 600_000 }

/** A connection whose client does not read: the client, its close code, and the socket of the server. */
async function unreadConnection(options: Partial<SocketTimes>) {
  const sockets = new WebSocketServer({ noServer: true })
  const opened = Promise.withResolvers<OpenSocket>()
  const log = { error: () => {}, debug: () => {} }
  const server = createServer().on('upgrade', (req, stream, head) => {
    sockets.handleUpgrade(req, stream, head, (ws) => {
      opened.resolve(new OpenSocket(ws, req, '127.0.0.1', { ...times, ...options }, log))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  onTestFinished(() => {
    client.terminate()
    server.close().closeAllConnections()
  })
  const closed = once(client, 'close').then(([code]) => code as number)
  await once(client, 'open')
  client.on('error', () => {}).pause()
  return { client, closed, socket: await opened.promise }
}

const large = 'x'.repeat(16_000_000)

describe('a live subscription', () => {
  const subscribe = JSON.stringify({ type: 'subscribe', id: '1', payload: { query: '{ a }' } })

  it('does not count as an unanswered message, and its connection is never idle', async () => {
    const { client, closed, socket } = await unreadConnection({ idleMs: 20 })
    socket.subscriptions = 1
    const unanswered: number[] = []
    const answering = Promise.withResolvers<void>()
    socket.onMessage(() => {
      unanswered.push(socket.unanswered)
      socket.markLive('1')
      unanswered.push(socket.unanswered)
      // Its message is answered when the subscription ends.
      return answering.promise
    })
    client.resume()
    for (let count = 0; count < 600; count++) client.send(subscribe)
    await expect.poll(() => unanswered.length, { timeout: 30_000 }).toBe(1200)
    expect(new Set(unanswered)).toEqual(new Set([1, 0]))
    answering.resolve()
    await expect.poll(() => socket.unanswered, { timeout: 30_000 }).toBe(0)
    socket.subscriptions = 0
    expect(await closed).toBe(1000)
  })

  it('does not delay the end of the connection', async () => {
    const { client, closed, socket } = await unreadConnection({})
    socket.subscriptions = 1
    socket.onMessage(() => {
      socket.markLive('1')
      return new Promise(() => {})
    })
    client.resume()
    client.send(subscribe)
    await expect.poll(() => socket.unanswered, { timeout: 30_000 }).toBe(0)
    await socket.closeWhenAnswered(1001, 'Going away')
    expect(await closed).toBe(1001)
  })
})

describe('a client that does not read its websocket', () => {
  it('is disconnected, also if it answers pings', async () => {
    const { client, socket } = await unreadConnection({ pingMs: 20, readMs: 1 })
    const alive = setInterval(() => client.pong(), 1)
    onTestFinished(() => clearInterval(alive))
    await Promise.all([socket.send(large), socket.send(large)])
    expect(unsent.bytes).toBe(0)
  })

  it('cannot have more unread bytes than the limit of its organization', async () => {
    const { client, closed, socket } = await unreadConnection({})
    socket.responseOwner = 'organization'
    const sending = [socket.send(large), socket.send(large)]
    expect(unsent.bytes).toBe(32_000_000)
    await socket.send(large)
    expect(unsent.bytes).toBe(32_000_000)
    client.resume()
    expect(await closed).toBe(1013)
    await Promise.all(sending)
    expect(unsent.bytes).toBe(0)
  })

  it('has a small answer counted only while another answer is unread', async () => {
    const { client, socket } = await unreadConnection({})
    socket.responseOwner = 'organization'
    void socket.send(large)
    expect(unsent.bytes).toBe(16_000_000)
    void socket.send('small')
    expect(unsent.bytes).toBe(16_000_005)
    client.resume()
    await expect.poll(() => unsent.bytes, { timeout: 30_000 }).toBe(0)
    await socket.send('small')
  })

  it('cannot accumulate more than 4 MB of unanswered messages', async () => {
    const { client, closed, socket } = await unreadConnection({})
    socket.onMessage(() => new Promise(() => {}))
    for (let count = 0; count < 5; count++) client.send('x'.repeat(1_000_000))
    client.resume()
    expect(await closed).toBe(1008)
  })
})
