import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BalancedSubgraph } from './balanced.ts'
import { anOperation, fakeServer, FakeSubgraph, remote, serve } from './remote.fixture.ts'
import type { RemoteOptions } from './remote.ts'

const write = anOperation({ document: 'mutation { accountDelete(id: 1) }' })
const unavailable = { code: 'UNAVAILABLE', message: 'A part of the service is not available.' }

/** A process that says who it is. */
const named = (name: string) => new FakeSubgraph({ data: { name } })

function balanced(urls: readonly string[], time = { ms: 0 }, options: Partial<RemoteOptions> = {}) {
  const endpoint = new BalancedSubgraph(
    urls.map((url) => remote(url, options)),
    () => time.ms,
  )
  const ask = async (operation = anOperation()): Promise<unknown> => (await endpoint.execute(operation)).data?.['name']
  return { endpoint, ask }
}

/** The URL of a port at which nobody listens. */
async function refusingUrl(): Promise<string> {
  const { url, stop } = await serve(new FakeSubgraph())
  await stop()
  return url
}

/** The URL of a stopped process whose queue of connections is full, so that further handshakes do not end. */
async function silentUrl(): Promise<string> {
  const script = `require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 },
    function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  const waiting = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  onTestFinished(() => waiting.forEach((socket) => socket.destroy()))
  await Promise.race(waiting.map((socket) => once(socket, 'connect')))
  return `http://127.0.0.1:${port}/`
}

/** Closes the connection of each request that it has received. */
const losing = () => fakeServer((request) => request.resume().once('end', () => request.socket.destroy()))

describe('a subgraph in several processes', () => {
  it('sends operations to them in turn', async () => {
    const { ask } = balanced([(await serve(named('one'))).url, (await serve(named('two'))).url])
    expect([await ask(), await ask(write), await ask(), await ask(write)]).toEqual(['one', 'two', 'one', 'two'])
  })

  it('sends reads and writes that one refuses to the next, and leaves the refusing one out for a second', async () => {
    const time = { ms: 0 }
    const down = await serve(named('down'))
    await down.stop()
    const { ask } = balanced([down.url, (await serve(named('up'))).url], time)
    expect([await ask(), await ask(write), await ask(), await ask(write)]).toEqual(['up', 'up', 'up', 'up'])
    await serve(named('back'), { port: down.port })
    expect([await ask(), await ask()]).toEqual(['up', 'up'])
    time.ms = 1000
    expect(new Set([await ask(), await ask()])).toEqual(new Set(['up', 'back']))
  })

  it('sends a read whose connection was lost to the next, but not a write, which may have run', async () => {
    const { url, counted } = await losing()
    const up = named('up')
    const urls = [url, (await serve(up)).url]
    expect(await balanced(urls).ask()).toBe('up')
    expect([counted.requests, up.received.length]).toEqual([1, 1])
    await expect(balanced(urls).ask(write)).rejects.toMatchObject(unavailable)
    expect([counted.requests, up.received.length]).toEqual([2, 1])
  })

  it('waits for one answer only: what takes too long is not sent to the next', async () => {
    const { url } = await fakeServer(() => {})
    const up = named('up')
    const { ask } = balanced([url, (await serve(up)).url], { ms: 0 }, { timeoutMs: 500 })
    await expect(ask()).rejects.toMatchObject(unavailable)
    expect(up.received).toEqual([])
    expect([await ask(), await ask()]).toEqual(['up', 'up'])
  })

  it('sends an operation to the next when a machine does not answer to a new connection', async () => {
    const { ask } = balanced([await silentUrl(), (await serve(named('up'))).url], { ms: 0 }, { connectMs: 100 })
    expect(await ask(write)).toBe('up')
  })

  it('asks processes that were left out when there are no others', async () => {
    const down = await serve(named('down'))
    await down.stop()
    const { ask } = balanced([down.url, await refusingUrl()])
    await expect(ask()).rejects.toMatchObject(unavailable)
    await serve(named('back'), { port: down.port })
    expect([await ask(), await ask(write)]).toEqual(['back', 'back'])
  })

  it('sends nothing on idle connections of a process that stops', async () => {
    const state = { isStopping: false }
    const stopping = named('stopping')
    const { url } = await serve(stopping, { isStopping: () => state.isStopping })
    const { ask } = balanced([url, (await serve(named('up'))).url])
    await Promise.all([ask(), ask(), ask(), ask()])
    state.isStopping = true
    await Promise.all([ask(write), ask(write)])
    const known = stopping.received.length
    expect(await Promise.all([ask(write), ask(write), ask(write), ask(write)])).toEqual(['up', 'up', 'up', 'up'])
    expect(stopping.received).toHaveLength(known)
  })

  it('returns refusals of the subgraph without asking another process', async () => {
    const { url, counted } = await fakeServer((_, response) => void response.writeHead(500).end('{}'))
    const up = named('up')
    await expect(balanced([url, (await serve(up)).url]).ask()).rejects.toMatchObject(unavailable)
    expect([counted.requests, up.received.length]).toEqual([1, 0])
  })
})
