import { createClient } from 'graphql-ws'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { posted, serveLibrary, type Serving } from './http.fixture.ts'

let serving: Serving
let key: string
beforeEach(async () => {
  serving = await serveLibrary()
  key = serving.keyWith()
})
afterEach(() => serving.close())

/** The cancellation that the subgraph receives with the next operation. The operation waits until the test ends. */
function nextExecution(): Promise<Cancellation | undefined> {
  const catalog = serving.endpoint('catalog')
  const gate = Promise.withResolvers<void>()
  catalog.gate = gate.promise
  onTestFinished(() => gate.resolve())
  return new Promise((resolve) => {
    catalog.onRequest = ({ context }) => resolve(context.cancellation)
  })
}

/** Resolves when an operation is cancelled. */
const cancelled = (cancellation: Cancellation | undefined): Promise<void> =>
  new Promise((resolve) => cancellation!.add({ cancel: resolve }))

function socketClient() {
  const client = createClient({
    url: serving.socketUrl,
    webSocketImpl: WebSocket,
    connectionParams: { apiKey: key },
    retryAttempts: 0,
    lazyCloseTimeout: 60_000,
    onNonLazyError: () => {},
  })
  onTestFinished(() => void client.dispose())
  const subscribe = (query: string): (() => void) =>
    client.subscribe({ query }, { next: () => {}, error: () => {}, complete: () => {} })
  return { subscribe, terminate: () => client.terminate() }
}

describe('a query whose client leaves is cancelled', () => {
  it.each([
    ['POST', (): [string, RequestInit] => [serving.url, posted({ query: '{ flag }' }, { 'x-api-key': key })]],
    [
      'GET',
      (): [string, RequestInit] => [
        `${serving.url}?query={flag}`,
        { headers: { 'x-api-key': key, 'apollo-require-preflight': 'true' } },
      ],
    ],
  ])('when it was sent with %s and the connection closes', async (_method, request) => {
    const execution = nextExecution()
    const leaving = new AbortController()
    const [url, init] = request()
    const answer = fetch(url, { ...init, signal: leaving.signal }).catch((error: Error) => error.name)
    const isCancelled = cancelled(await execution)
    leaving.abort()
    await isCancelled
    expect(await answer).toBe('AbortError')
  })

  it('when its client sends complete on a websocket', async () => {
    const execution = nextExecution()
    const complete = socketClient().subscribe('{ flag }')
    const isCancelled = cancelled(await execution)
    complete()
    await isCancelled
  })

  it('when its websocket closes', async () => {
    const execution = nextExecution()
    const { subscribe, terminate } = socketClient()
    subscribe('{ flag }')
    const isCancelled = cancelled(await execution)
    terminate()
    await isCancelled
  })
})

describe('not cancelled is', () => {
  it('a mutation', async () => {
    const execution = nextExecution()
    const query = 'mutation { filmRetitle(id: "f1", title: "x") { id } }'
    void fetch(serving.url, posted({ query }, { 'x-api-key': key })).catch(() => {})
    expect(await execution).toBeUndefined()
  })

  it('a query that was answered before its connection closes', async () => {
    const catalog = serving.endpoint('catalog')
    let given: Cancellation | undefined
    catalog.onRequest = ({ context }) => (given = context.cancellation)
    const headers = { 'x-api-key': key, connection: 'close' }
    await (await fetch(serving.url, posted({ query: '{ flag }' }, headers))).text()
    await serving.close()
    expect(given?.isCancelled).toBe(false)
  })
})
