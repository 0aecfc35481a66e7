import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Outbound, type OutboundError } from './outbound.ts'
import { isPublicAddress } from './public-address.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function aServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

const here = new Outbound(['127.0.0.0/8', '::1'])
const reasonOf = (sending: Promise<unknown>) =>
  sending.then(
    () => 'answered',
    (error: unknown) => (error as OutboundError).reason,
  )

describe('Outbound', () => {
  it('sends a body and returns the answer, also for a name that resolves to an allowed address', async () => {
    const host = await aServer((req, res) => {
      let text = ''
      req.on('data', (chunk: Buffer) => (text += chunk.toString()))
      req.on('end', () => res.writeHead(201, { 'x-is': 'here' }).end(`${req.method} ${req.url} ${text}`))
    })
    for (const target of [host, host.replace('127.0.0.1', 'localhost')]) {
      const answer = await here.send({ method: 'POST', url: `http://${target}/a?b=c`, body: 'é' })
      expect([answer.status, answer.headers['x-is'], answer.body.toString()]).toEqual([201, 'here', 'POST /a?b=c é'])
    }
  })

  it('follows no redirect', async () => {
    const host = await aServer((_req, res) => res.writeHead(302, { location: 'http://169.254.169.254/' }).end())
    expect((await here.send({ method: 'GET', url: `http://${host}/` })).status).toBe(302)
  })

  it('refuses private addresses, by address and by name, unless they are allowed', async () => {
    let isCalled = false
    const host = await aServer((_req, res) => {
      isCalled = true
      res.end()
    })
    const outbound = new Outbound([])
    const port = host.split(':')[1]!
    const hosts = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0']
    for (const name of hosts) {
      expect([name, await reasonOf(outbound.send({ method: 'GET', url: `http://${name}:${port}/` }))]).toEqual([
        name,
        'ADDRESS_REFUSED',
      ])
    }
    expect(isCalled).toBe(false)
  })

  it('fails when an answer is too long or does not arrive in time', async () => {
    const long = await aServer((_req, res) => res.end('x'.repeat(2000)))
    const silent = await aServer((_req, res) => res.writeHead(200).write('x'))
    const get = (host: string, bounds: object) => here.send({ method: 'GET', url: `http://${host}/`, ...bounds })
    expect(await reasonOf(get(long, { answerBytesMax: 1999 }))).toBe('TOO_LARGE')
    expect((await get(long, { answerBytesMax: 2000 })).body).toHaveLength(2000)
    expect(await reasonOf(get(silent, { timeoutMs: 50 }))).toBe('TIMEOUT')
  })

  it('keeps the first bytes of a long answer, and closes the connection when it is too long', async () => {
    let closed: Promise<unknown> | null = null
    const endless = await aServer((_req, res) => {
      closed = once(res, 'close')
      res.writeHead(200)
      const write = (): void => void (res.destroyed || res.write('x'.repeat(65_536), () => setImmediate(write)))
      write()
    })
    const bounds = { answerBytesMax: 100_000, answerBytesKept: 10 }
    const answer = await here.send({ method: 'POST', url: `http://${endless}/`, body: 'x', ...bounds })
    expect([answer.status, answer.body.toString()]).toEqual([200, 'xxxxxxxxxx'])
    await closed
  })

  it('does not decompress an answer', async () => {
    const host = await aServer((_req, res) => res.writeHead(200, { 'content-encoding': 'gzip' }).end('raw'))
    expect((await here.send({ method: 'GET', url: `http://${host}/` })).body.toString()).toBe('raw')
  })

  it('uses a connection again only when it is asked to', async () => {
    const ports = new Set<number | undefined>()
    const host = await aServer((req, res) => {
      ports.add(req.socket.remotePort)
      res.end()
    })
    const send = (keepAlive: boolean) => here.send({ method: 'POST', url: `http://${host}/`, body: 'x', keepAlive })
    for (let n = 0; n < 5; n++) await send(false)
    expect(ports.size).toBe(5)
    // A request that is sent in the same turn as the end of an answer needs a second connection.
    for (let n = 0; n < 5; n++) await send(true)
    expect(ports.size).toBeLessThanOrEqual(7)
  })

  it.each(['ftp://example.com/', 'file:///etc/passwd', 'nonsense'])('does not send to %s', async (url) => {
    expect(await reasonOf(here.send({ method: 'GET', url }))).toBe('UNREACHABLE')
  })
})

describe('isPublicAddress', () => {
  it.each(['8.8.8.8', '1.1.1.1', '::ffff:1.1.1.1', '2606:4700::1111', '2001:4860:4860::8888', '3ffe:ffff::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  )
  it.each([
    '0.0.0.0',
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '224.0.0.1',
    '255.255.255.255',
    'fc00::1',
    'fd00::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::',
    '::1',
    '::127.0.0.1',
    '::10.0.0.1',
    '::7f00:1',
    '::a00:1',
    '::8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::7f00:1',
    '2002:7f00:1::',
    '2001:db8::1',
    '4000::1',
    'nonsense',
  ])('%s is not public', (address) => expect(isPublicAddress(address)).toBe(false))
})
