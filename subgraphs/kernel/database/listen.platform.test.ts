import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { freshDatabase, type FreshDatabase } from '../../../test/fresh-database.ts'
import { Listener } from './listen.ts'

let fresh: FreshDatabase
beforeAll(async () => {
  fresh = await freshDatabase()
})
afterAll(() => fresh.drop())

const log = { warn: () => undefined }
const patience = { timeout: 20_000, interval: 10 }

/** A proxy in front of the database that can cut connections and refuse new ones. */
async function aProxy() {
  const { hostname, pathname } = new URL(fresh.url)
  const sockets = new Set<Socket>()
  const held: Socket[] = []
  let isOpen = true
  const pass = (socket: Socket) => {
    const server = connect(`${decodeURIComponent(hostname)}/.s.PGSQL.5432`)
    socket.pipe(server).pipe(socket)
    socket.once('close', () => server.destroy())
    server.once('close', () => socket.destroy()).on('error', () => undefined)
  }
  const proxy: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket))
    if (isOpen) pass(socket)
    else held.push(socket)
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void proxy.close())
  await once(proxy, 'listening')
  return {
    url: `postgres://crm@127.0.0.1:${(proxy.address() as AddressInfo).port}${pathname}`,
    sockets,
    held,
    cut(): void {
      isOpen = false
      for (const socket of sockets) socket.destroy()
    },
    open(): void {
      isOpen = true
      for (const socket of held.splice(0)) pass(socket)
    },
  }
}

const notify = (text: string) => fresh.database.query(`select pg_notify('news', $1)`, [text])

describe('Listener', () => {
  it('receives messages again after its connection was lost', async () => {
    const proxy = await aProxy()
    const received: string[] = []
    const listener = await Listener.open(proxy.url, 'news', (text) => received.push(text), log)
    await notify('first')
    await vi.waitFor(() => expect(received).toEqual(['first']), patience)
    proxy.cut()
    proxy.open()
    await vi.waitFor(async () => {
      await notify('again')
      expect(received).toContain('again')
    }, patience)
    await listener.close()
    await vi.waitFor(() => expect(proxy.sockets.size).toBe(0), patience)
  })

  it('has no open connection after it is closed while it reconnects', async () => {
    const proxy = await aProxy()
    const listener = await Listener.open(proxy.url, 'news', () => undefined, log)
    proxy.cut()
    await vi.waitFor(() => expect(proxy.held).toHaveLength(1), patience)
    await listener.close()
    proxy.open()
    await vi.waitFor(() => expect(proxy.sockets.size).toBe(0), patience)
  })
})
