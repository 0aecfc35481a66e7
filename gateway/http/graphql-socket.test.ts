import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { createClient, type Client } from 'graphql-ws'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket } from 'ws'
import { aKey, inventedKey } from '../edge/edge.fixture.ts'
import { serveLibrary, type Serving, type LibraryServerOptions } from './http.fixture.ts'

let serving: Serving
const opened: Client[] = []
beforeEach(async () => {
  serving = await serveLibrary()
})
afterEach(async () => {
  for (const client of opened.splice(0)) await client.dispose()
  await serving.close()
})

async function serveAgainWith(sketch: LibraryServerOptions): Promise<void> {
  await serving.close()
  serving = await serveLibrary(sketch)
}

interface Ended {
  readonly code: number
  readonly reason: string
}

/** A client of the library graphql-ws. `closed` resolves when the server ends the connection. */
function client(connectionParams: Record<string, unknown> = {}, headers: Record<string, string> = {}) {
  const closed = Promise.withResolvers<Ended>()
  class WithHeaders extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { headers })
    }
  }
  const made = createClient({
    url: serving.socketUrl,
    webSocketImpl: WithHeaders,
    connectionParams,
    retryAttempts: 0,
    lazyCloseTimeout: 60_000,
    on: { closed: (event) => closed.resolve(event as Ended) },
    onNonLazyError: () => {},
  })
  opened.push(made)
  return {
    closed: closed.promise.then(({ code, reason }) => [code, reason]),
    /** The result of an operation (a list if there are several), or the errors of its refusal. */
    run: (query: string, variables: Record<string, unknown> = {}): Promise<unknown> =>
      new Promise((resolve) => {
        const results: unknown[] = []
        const done = () => resolve(results.length === 1 ? results[0] : results)
        made.subscribe(
          { query, variables },
          { next: (result) => void results.push(result), error: resolve, complete: done },
        )
      }),
  }
}

const requestId: unknown = expect.stringMatching(/^req_[0-9a-f-]{36}$/)
const refused = (code: string, message: string, extensions: object = {}) => [
  { message, extensions: { code, requestId, ...extensions } },
]

/** A websocket without a client library: the test sends the messages of the protocol itself. */
async function rawSocket(protocol = 'graphql-transport-ws', url = serving.socketUrl) {
  const socket = new WebSocket(url, protocol)
  const ended = once(socket, 'close').then(([code, reason]) => [code, String(reason)])
  await once(socket, 'open')
  return {
    socket,
    ended,
    send: (message: unknown) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: async (): Promise<unknown> => JSON.parse(String((await once(socket, 'message'))[0])),
  }
}

describe('a connection', () => {
  it.each([['X-API-Key'], ['x-api-key'], ['apiKey']])('accepts a key as %s', async (name) => {
    expect(await client({ [name]: serving.keyWith() }).run('{ flag }')).toEqual({ data: { flag: true } })
  })

  it('accepts a session token or a key as authorization', async () => {
    for (const authorization of [`Bearer ${await serving.signIn()}`, `ApiKey ${serving.keyWith()}`]) {
      expect(await client({ authorization }).run('{ secret { word } }')).toEqual({
        data: { secret: { word: 'swordfish' } },
      })
    }
  })

  it('uses the credential of the upgrade unless connection_init has another', async () => {
    const key = serving.keyWith()
    expect(await client({}, { 'x-api-key': key }).run('{ flag }')).toEqual({ data: { flag: true } })
    expect(await client({ apiKey: key }, { 'x-api-key': inventedKey() }).run('{ flag }')).toEqual({
      data: { flag: true },
    })
    const wrong = client({ apiKey: inventedKey() }, { 'x-api-key': key })
    void wrong.run('{ flag }')
    expect(await wrong.closed).toEqual([4403, 'API_KEY_INVALID'])
  })

  it('uses a key of the upgrade also if connection_init has a session token or a CSRF token', async () => {
    const authorization = `Bearer ${await serving.signIn()}`
    const bad: [Record<string, unknown>, Record<string, string>][] = [
      [{ authorization }, { 'x-api-key': inventedKey() }],
      [{ authorization }, { authorization: `ApiKey ${inventedKey()}` }],
      [{ authorization }, { 'x-api-key': '' }],
      [{ csrfToken: 'x' }, { 'x-api-key': inventedKey() }],
    ]
    for (const [parameters, headers] of bad) {
      const { run, closed } = client(parameters, headers)
      void run('{ flag }')
      expect(await closed).toEqual([4403, 'API_KEY_INVALID'])
    }
    expect(serving.executions()).toBe(0)
    const headers = { 'x-api-key': serving.keyWith({ scopes: ['READ_BOOKS'] }) }
    expect(await client({ authorization }, headers).run('{ secret { word } }')).toEqual(
      refused('API_KEY_SCOPE_INSUFFICIENT', 'The API key lacks the scope READ_SECRETS.', {
        missingScopes: ['READ_SECRETS'],
      }),
    )
    const other = { authorization: `ApiKey ${serving.keyWith()}` }
    expect(await client(other, { 'x-api-key': inventedKey() }).run('{ flag }')).toEqual({ data: { flag: true } })
  })

  it.each<[string, () => Record<string, unknown>, number, string]>([
    ['no credential', () => ({}), 4401, 'UNAUTHENTICATED'],
    ['an unknown key', () => ({ apiKey: inventedKey() }), 4403, 'API_KEY_INVALID'],
    ['a key that is not text', () => ({ apiKey: { a: 1 } }), 4403, 'API_KEY_INVALID'],
    ['an expired key', () => ({ apiKey: serving.keyWith({ expiresAt: new Date(0) }) }), 4403, 'API_KEY_EXPIRED'],
    [
      'an address that is not in the allow-list',
      () => ({ apiKey: serving.keyWith({ ipAllowList: ['192.0.2.1'] }) }),
      4403,
      'API_KEY_IP_NOT_ALLOWED',
    ],
    ['two keys', () => ({ apiKey: serving.keyWith(), 'X-API-Key': inventedKey() }), 4403, 'CREDENTIALS_CONFLICT'],
    ['a wrong token', () => ({ authorization: 'Bearer x' }), 4403, 'UNAUTHENTICATED'],
    ['an unknown scheme', () => ({ authorization: 'Basic x' }), 4403, 'UNAUTHENTICATED'],
  ])('with %s is refused', async (_, parameters, code, reason) => {
    const { run, closed } = client(parameters())
    void run('{ flag }')
    expect(await closed).toEqual([code, reason])
    expect(serving.executions()).toBe(0)
  })

  it('is accepted at /graphql as well, and at no other path', async () => {
    const { send, next } = await rawSocket('graphql-transport-ws', `${serving.origin}/graphql`)
    send({ type: 'connection_init', payload: { apiKey: serving.keyWith() } })
    expect(await next()).toEqual({ type: 'connection_ack' })
    const [error] = await once(new WebSocket(`${serving.origin}/v1/other`, 'graphql-transport-ws'), 'error')
    expect((error as Error).message).toBe('Unexpected server response: 404')
  })

  it.each(['h2c', 'websocket2', 'TLS/1.0'])(
    'is not opened for a request that offers the upgrade %s',
    async (upgrade) => {
      const headers = {
        Connection: 'Upgrade, HTTP2-Settings',
        Upgrade: upgrade,
        'HTTP2-Settings': 'AAMAAABkAAQAAP__',
        'Content-Type': 'application/json',
        'X-API-Key': serving.keyWith(),
      }
      const sent = request(serving.url, { method: 'POST', headers }).end('{"query":"{ __typename }"}')
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      expect([answer.statusCode, await json(answer)]).toEqual([200, { data: { __typename: 'Query' } }])
    },
  )

  it.each<[string, string | object, number]>([
    ['text that is not JSON', '{', 4400],
    ['a message of an unknown type', { type: 'start' }, 4400],
    ["a server's message", { type: 'next', id: '1', payload: {} }, 4400],
    ['an operation before connection_init', { type: 'subscribe', id: '1', payload: { query: '{ flag }' } }, 4401],
    ['variables that are a list', { type: 'subscribe', id: '1', payload: { query: '{ flag }', variables: [] } }, 4400],
    ['a query that is not text', { type: 'subscribe', id: '1', payload: { query: 1 } }, 4400],
    ['400,000 open brackets', '['.repeat(400_000), 4400],
    ['more than 1 MB', ' '.repeat(1_048_577), 1009],
    ['more than 15,000 values', `[${'1,'.repeat(15_001)}1]`, 1009],
    [
      'more than 1,000 numbers that double precision would round',
      `[${'0.1234567890123456789,'.repeat(1_000)}0.1234567890123456789]`,
      1009,
    ],
  ])('that sends %s is closed', async (_, message, code) => {
    const { send, ended } = await rawSocket()
    send(message)
    expect((await ended)[0]).toBe(code)
    expect(serving.logged).toEqual([])
  })

  it('of another subprotocol is closed with 4406', async () => {
    const socket = new WebSocket(serving.socketUrl)
    expect((await once(socket, 'close'))[0]).toBe(4406)
  })

  it('without connection_init is closed with 4408', async () => {
    await serveAgainWith({ socket: { initMs: 5 } })
    expect((await (await rawSocket()).ended)[0]).toBe(4408)
  })

  it('that is idle is closed', async () => {
    await serveAgainWith({ socket: { idleMs: 20 } })
    expect(await (await rawSocket()).ended).toEqual([1000, 'Idle'])
  })

  it('whose client does not answer pings is closed', async () => {
    await serveAgainWith({ socket: { pingMs: 10 } })
    const { port } = new URL(serving.url)
    const stream = connect(Number(port), '127.0.0.1')
    stream.write(
      'GET /v1/graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n' +
        'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
    )
    // It reads pings and never answers them.
    stream.resume()
    stream.on('error', () => {})
    expect(await once(stream, 'close')).toEqual([false])
  })

  it('whose client answers pings stays open', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await serveAgainWith({ socket: { pingMs: 10 } })
    const { socket, send, next } = await rawSocket()
    for (let count = 0; count < 4; count++) {
      const pinged = once(socket, 'ping')
      vi.advanceTimersByTime(10)
      await pinged
      // ws answers the ping frame itself. The protocol's own ping is sent after that answer, so its pong shows that the answer arrived.
      send({ type: 'ping' })
      expect(await next()).toEqual({ type: 'pong' })
    }
    socket.terminate()
  })
})

describe('an operation on a socket', () => {
  it('is answered as over HTTP', async () => {
    const { run } = client({ apiKey: serving.keyWith() })
    expect(await run('query($id: ID!) { book(id: $id) { title reviews { stars } } }', { id: 'b1' })).toEqual({
      data: { book: { title: 'Book 1', reviews: [{ stars: 2 }, { stars: 3 }] } },
    })
    expect(await run('mutation { filmRetitle(id: "f1", title: "Jaws") { title } }')).toEqual({
      data: { filmRetitle: { title: 'Jaws' } },
    })
    expect(await run('{ flag refused }')).toEqual({
      errors: [
        {
          message: 'Refused by the catalog.',
          path: ['refused'],
          extensions: { code: 'PERMISSION_DENIED', why: 'fixture', requestId },
        },
      ],
      data: { flag: true, refused: null },
    })
  })

  it('is refused with the same code as over HTTP', async () => {
    const { run } = client({ apiKey: serving.keyWith({ scopes: ['READ_BOOKS'] }) })
    expect(await run('{')).toEqual([
      {
        message: 'Syntax Error: Expected Name, found <EOF>.',
        locations: [{ line: 1, column: 2 }],
        extensions: { code: 'GRAPHQL_PARSE_FAILED', requestId },
      },
    ])
    expect(await run('{ secret { word } }')).toEqual(
      refused('API_KEY_SCOPE_INSUFFICIENT', 'The API key lacks the scope READ_SECRETS.', {
        missingScopes: ['READ_SECRETS'],
      }),
    )
    expect(await run('query($text: String!) { search(text: $text) { __typename } }', { text: '\0' })).toEqual(
      refused('VALIDATION_FAILED', 'text must not contain a NUL character or an unpaired surrogate.', {
        errors: [
          {
            path: 'text',
            code: 'NOT_TEXT',
            message: 'text must not contain a NUL character or an unpaired surrogate.',
          },
        ],
      }),
    )
    expect(await run('query($id: ID!) { book(id: $id) { id } }')).toEqual(
      refused('VALIDATION_FAILED', 'Variable "$id" is required.', {
        errors: [{ path: 'id', code: 'REQUIRED', message: 'Variable "$id" is required.' }],
      }),
    )
    expect(serving.executions()).toBe(0)
  })

  it('that is a subscription is refused if the schema has none', async () => {
    expect(await client({ apiKey: serving.keyWith() }).run('subscription { customEvents }')).toEqual(
      refused('OPERATION_RESOLUTION_FAILURE', 'The schema has no subscriptions.'),
    )
  })

  it('is reported to the usage sink with the same status as over HTTP', async () => {
    const { secret } = serving.issue(aKey())
    const { run } = client({ 'X-API-Key': secret })
    await run('{ nothing }')
    await run('{ __typename }')
    expect(serving.finished.map(({ operation, status }) => [operation, status])).toEqual([
      ['graphql', 400],
      ['graphql', 200],
    ])
  })

  it('is charged to the quota, and the connection stays open when the quota is spent', async () => {
    const { run } = client({ apiKey: serving.keyWith({ rateLimit: { limit: 2, window: 'MINUTE' } }) })
    const spent = refused(
      'API_KEY_RATE_LIMITED',
      'Limit of 2 requests per minute reached for this API key; retry in 60 s.',
      {
        retryAfter: 60,
      },
    )
    const answers = []
    for (let count = 0; count < 4; count++) answers.push(await run('{ flag }'))
    expect(answers).toEqual([{ data: { flag: true } }, { data: { flag: true } }, spent, spent])
    expect(serving.executions()).toBe(2)
  })

  it('counts for the limits of the address, and the connection stays open when they are reached', async () => {
    await serveAgainWith({ ipLimits: [{ max: 2, windowMs: 1000 }] })
    const { run } = client({ apiKey: serving.keyWith() })
    expect(await run('{ flag }')).toEqual({ data: { flag: true } })
    const limited = refused(
      'IP_RATE_LIMITED',
      'Limit of 2 requests per second reached for this address; retry in 1 s.',
      { retryAfter: 1 },
    )
    expect(await run('{ flag }')).toEqual(limited)
    serving.setNow(2000)
    expect(await run('{ flag }')).toEqual({ data: { flag: true } })
  })

  it('is refused and closes the connection after the key was revoked', async () => {
    const { secret, hash } = serving.issue({ scopes: ['*'] })
    const { run, closed } = client({ apiKey: secret })
    expect(await run('{ flag }')).toEqual({ data: { flag: true } })
    serving.keys.set(hash, aKey({ revokedAt: new Date(0) }))
    serving.edge.forget(hash)
    void run('{ flag }')
    expect(await closed).toEqual([4403, 'API_KEY_INVALID'])
    expect(serving.executions()).toBe(1)
  })

  it('is not needed to close connections whose key was revoked, and that check does not count as failed authentications', async () => {
    await serveAgainWith({ socket: { recheckMs: 5 } })
    const { secret, hash } = serving.issue({ scopes: ['*'] })
    const revoked = Array.from({ length: 21 }, () => client({ apiKey: secret }))
    await Promise.all(revoked.map(({ run }) => run('{ flag }')))
    const other = client({ apiKey: serving.keyWith() })
    serving.keys.set(hash, aKey({ revokedAt: new Date(0) }))
    serving.edge.forget(hash)
    const ended = await Promise.all(revoked.map(({ closed }) => closed))
    expect(ended).toEqual(revoked.map(() => [4403, 'API_KEY_INVALID']))
    expect(await other.run('{ flag }')).toEqual({ data: { flag: true } })
  })

  it('closes the connection after the session has expired', async () => {
    const { run, closed } = client({ authorization: `Bearer ${await serving.signIn()}` })
    expect(await run('{ flag }')).toEqual({ data: { flag: true } })
    serving.setNow(31 * 86_400_000)
    void run('{ flag }')
    expect(await closed).toEqual([4403, 'TOKEN_EXPIRED'])
  })

  it('is refused if too many operations are running', async () => {
    await serveAgainWith({ socket: { operationsMax: 2 } })
    const catalog = serving.endpoint('catalog')
    const gate = Promise.withResolvers<void>()
    catalog.gate = gate.promise
    const { run } = client({ apiKey: serving.keyWith() })
    const both = [run('{ flag }'), run('{ a: flag }')]
    expect(await run('{ b: flag }')).toEqual(
      refused(
        'GRAPHQL_LIMIT_EXCEEDED',
        'Limit of 2 concurrent operations on one connection reached; wait for an answer, then retry.',
      ),
    )
    gate.resolve()
    expect(await Promise.all(both)).toEqual([{ data: { flag: true } }, { data: { a: true } }])
    expect(serving.executions()).toBe(2)
  })

  it('that fails because of a defect gets INTERNAL, is logged, and leaves the connection open', async () => {
    const { run } = client({ apiKey: serving.keyWith() })
    await run('{ flag }')
    const { spend } = serving.edge
    serving.edge.spend = () => Promise.reject(new Error('select * from secrets'))
    const message = 'The request failed because of a server error; report the request id to support.'
    expect(await run('{ flag }')).toEqual(refused('INTERNAL', message))
    expect(serving.logged).toMatchObject([{ requestId, err: { message: 'select * from secrets' } }])
    serving.edge.spend = spend.bind(serving.edge)
    expect(await run('{ flag }')).toEqual({ data: { flag: true } })
  })
})

describe('close', () => {
  it('waits for running operations, then closes every connection with 1001', async () => {
    const idle = await rawSocket()
    const catalog = serving.endpoint('catalog')
    const gate = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    catalog.gate = gate.promise
    catalog.onExecute = begun.resolve
    const busy = client({ apiKey: serving.keyWith() })
    const answer = busy.run('{ flag }')
    await begun.promise
    const closing = serving.socket.close()
    expect(await idle.ended).toEqual([1001, 'Going away'])
    gate.resolve()
    expect(await answer).toEqual({ data: { flag: true } })
    expect(await busy.closed).toEqual([1001, 'Going away'])
    await closing
  })
})
