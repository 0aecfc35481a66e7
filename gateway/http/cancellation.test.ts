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

/** What the subgraph is given with the next operation, which waits until the test is over. */
function nextExecution(): Promise<Cancellation | undefined> {
  const catalog = serving.endpoint('catalog')
  const gate = Promise.withResolvers<void>()
  catalog.gate = gate.promise
  onTestFinished(() => gate.resolve())
  return new Promise((resolve) => {
    catalog.onRequest = ({ context }) => resolve(context.cancellation)
  })
}

/** Resolves when the work of an operation is told to stop. */
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

describe('a read whose client leaves is cancelled', () => {
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
    const told = cancelled(await execution)
    leaving.abort()
    await told
    expect(await answer).toBe('AbortError')
  })

  it('when a websocket completes it', async () => {
    const execution = nextExecution()
    const complete = socketClient().subscribe('{ flag }')
    const told = cancelled(await execution)
    complete()
    await told
  })

  it('when its websocket closes', async () => {
    const execution = nextExecution()
    const { subscribe, terminate } = socketClient()
    subscribe('{ flag }')
    const told = cancelled(await execution)
    terminate()
    await told
  })
})

describe('what is not cancelled', () => {
  it('a mutation', async () => {
    const execution = nextExecution()
    const query = 'mutation { filmRetitle(id: "f1", title: "x") { id } }'
    void fetch(serving.url, posted({ query }, { 'x-api-key': key })).catch(() => {})
    expect(await execution).toBeUndefined()
  })

  it('a read that was answered, when its connection closes later', async () => {
    const catalog = serving.endpoint('catalog')
    let given: Cancellation | undefined
    catalog.onRequest = ({ context }) => (given = context.cancellation)
    const headers = { 'x-api-key': key, connection: 'close' }
    await (await fetch(serving.url, posted({ query: '{ flag }' }, headers))).text()
    await serving.close()
    expect(given?.isCancelled).toBe(false)
  })
})
