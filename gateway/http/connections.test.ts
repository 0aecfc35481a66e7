import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connections, connectionLimits, type ConnectionLimits } from './connections.ts'

const answering: RequestListener = (_req, res) => void res.end('answered')

/** A server with limits. The returned function opens a connection from an address of this machine and keeps it open. */
async function serverWith(limits: Partial<ConnectionLimits>, trusted: readonly string[] = [], listener = answering) {
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

/** The status of the answer to one request, or 'closed' if the connection closes without an answer. */
async function statusOn(socket: Socket): Promise<string> {
  if (!socket.writable) return 'closed'
  const closed = once(socket, 'close').then(() => 'closed')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const answer = once(socket, 'data').then(([bytes]) => /^HTTP\/1.1 (\d+)/.exec(String(bytes))![1]!)
  return Promise.race([answer, closed])
}

describe('connections from one address', () => {
  it('over the limit are refused, other addresses are accepted, and a closed connection makes room for another', async () => {
    const open = await serverWith({ perAddress: 2 })
    const [first, second, third] = [await open(), await open(), await open()]
    expect([await statusOn(first), await statusOn(second), await statusOn(third)]).toEqual(['200', '200', '429'])
    expect(await statusOn(await open('127.0.0.2'))).toBe('200')
    if (!third.closed) await once(third, 'close')
    first.destroy()
    await expect.poll(async () => statusOn(await open())).toBe('200')
  })

  it('far over the limit are closed immediately', async () => {
    const open = await serverWith({ perAddress: 1 })
    const many: Socket[] = []
    for (let index = 0; index < 70; index++) many.push(await open())
    const statuses = await Promise.all(many.map(statusOn))
    expect(statuses.filter((status) => status === '200')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'closed').length).toBeGreaterThanOrEqual(5)
  })

  it('are not limited for a trusted proxy', async () => {
    const open = await serverWith({ perAddress: 1 }, ['127.0.0.0/8'])
    const sockets = [await open(), await open(), await open()]
    expect(await Promise.all(sockets.map(statusOn))).toEqual(['200', '200', '200'])
  })
})

it('connections over the total limit are refused from any address', async () => {
  const open = await serverWith({ all: 2 }, ['127.0.0.0/8'])
  const sockets = [await open('127.0.0.1'), await open('127.0.0.2'), await open('127.0.0.3')]
  expect(await Promise.all(sockets.map(statusOn))).toEqual(['200', '200', '503'])
})

describe('a client that reads nothing', () => {
  it('is disconnected', async () => {
    const closed = Promise.withResolvers<boolean>()
    const open = await serverWith({ readWithinMs: 100 }, [], (_req, res) => {
      res.once('close', () => closed.resolve(res.writableFinished)).end(Buffer.alloc(32_000_000))
    })
    const socket = await open()
    socket.pause().write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    expect(await closed.promise).toBe(false)
  })

  it('is not disconnected while it waits for an answer', async () => {
    const late = Promise.withResolvers<void>()
    const open = await serverWith({ readWithinMs: 30 }, [], (req, res) => {
      // The connection times out before the answer is sent.
      req.socket.once('timeout', () => setImmediate(late.resolve))
      void late.promise.then(() => res.end('late'))
    })
    expect(await statusOn(await open())).toBe('200')
  })
})
