import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connections, connectionLimits, type ConnectionLimits } from './connections.ts'

const answering: RequestListener = (_req, res) => void res.end('answered')

/** A server with bounds, and clients from addresses of this machine that keep their connections. */
async function bounded(limits: Partial<ConnectionLimits>, trusted: readonly string[] = [], listener = answering) {
  const connections = new Connections(trusted, { ...connectionLimits, ...limits })
  const server = createServer((req, res) => {
    const refusal = connections.refusalOf(req.socket)
    if (refusal) res.writeHead(refusal.status, { connection: 'close' }).end(refusal.code)
    else listener(req, res)
  })
  connections.watch(server)
  server.listen(0, '127.0.0.1')
  onTestFinished(() => server.close().closeAllConnections())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return async (localAddress = '127.0.0.1'): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
}

/** The status of the answer to one request; 'closed' where there is none. */
async function statusOn(socket: Socket): Promise<string> {
  if (!socket.writable) return 'closed'
  const closed = once(socket, 'close').then(() => 'closed')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const answer = once(socket, 'data').then(([bytes]) => /^HTTP\/1.1 (\d+)/.exec(String(bytes))![1]!)
  return Promise.race([answer, closed])
}

describe('connections from one address', () => {
  it('over the bound are refused while others get in, and get in when one has closed', async () => {
    const open = await bounded({ perAddress: 2 })
    const [first, second, third] = [await open(), await open(), await open()]
    expect([await statusOn(first), await statusOn(second), await statusOn(third)]).toEqual(['200', '200', '503'])
    expect(await statusOn(await open('127.0.0.2'))).toBe('200')
    if (!third.closed) await once(third, 'close')
    first.destroy()
    await expect.poll(async () => statusOn(await open())).toBe('200')
  })

  it('far over the bound are closed at once', async () => {
    const open = await bounded({ perAddress: 1 })
    const many: Socket[] = []
    for (let index = 0; index < 70; index++) many.push(await open())
    const statuses = await Promise.all(many.map(statusOn))
    expect(statuses.filter((status) => status === '200')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'closed').length).toBeGreaterThanOrEqual(5)
  })

  it('are not counted for a proxy that is trusted', async () => {
    const open = await bounded({ perAddress: 1 }, ['127.0.0.0/8'])
    const sockets = [await open(), await open(), await open()]
    expect(await Promise.all(sockets.map(statusOn))).toEqual(['200', '200', '200'])
  })
})

it('connections over the bound of all are refused, wherever they come from', async () => {
  const open = await bounded({ all: 2 }, ['127.0.0.0/8'])
  const sockets = [await open('127.0.0.1'), await open('127.0.0.2'), await open('127.0.0.3')]
  expect(await Promise.all(sockets.map(statusOn))).toEqual(['200', '200', '503'])
})

describe('a client that reads nothing', () => {
  it('is cut off', async () => {
    const closed = Promise.withResolvers<boolean>()
    const open = await bounded({ readWithinMs: 100 }, [], (_req, res) => {
      res.once('close', () => closed.resolve(res.writableFinished)).end(Buffer.alloc(32_000_000))
    })
    const socket = await open()
    socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await closed.promise).toBe(false)
  })

  it('is not one that waits for an answer', async () => {
    const late = Promise.withResolvers<void>()
    const open = await bounded({ readWithinMs: 30 }, [], (req, res) => {
      // The time of the connection passes before the answer is there.
      req.socket.once('timeout', () => setImmediate(late.resolve))
      void late.promise.then(() => res.end('late'))
    })
    expect(await statusOn(await open())).toBe('200')
  })
})
