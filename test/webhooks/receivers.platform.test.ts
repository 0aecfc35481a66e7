import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { startBackground } from '../../worker.ts'
import { usePlatform, type Member } from '../platform.ts'
import { untrustedCertificate } from './certificate.ts'
import { httpReceiver, httpsReceiver, rawReceiver, type Receiver } from './hostile-receiver.ts'

const platform = usePlatform({ OUTBOUND_ALLOW: '127.0.0.1' })
const patience = { timeout: 60_000, interval: 50 }
let background: { close(): Promise<void> }
beforeAll(async () => {
  background = await startBackground(platform.services)
})
afterAll(() => background.close())

/** An owner of an organization of its own, so that its events reach only the webhooks of one test. */
const anOwner = async (): Promise<Member> =>
  platform.member({ role: 'OWNER', organizationId: await platform.organization(`Org ${newId()}`) })

async function aWebhook({ rest }: Member, url: string, settings: object = {}): Promise<string> {
  const input = { name: 'Test', url, events: ['account.created'], retryAttempts: 0, ...settings }
  const { status, body } = await rest.webhookCreate!({ body: input })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.id as string
}

const anEvent = async ({ rest }: Member): Promise<void> =>
  expect((await rest.accountCreate!({ body: { name: 'Northwind' } })).status).toBe(201)

/** The recorded attempts of a webhook, after all of them have ended. */
async function attemptsOf({ graphql }: Member, id: string, count = 1) {
  const query = `query ($id: ID!) { webhookDeliveryList(webhookId: $id, limit: 100) {
    data { status responseStatus responseBody error latencyMs createdAt nextAttemptAt } } }`
  return vi.waitFor(async () => {
    const { body } = await graphql(query, { id })
    const { data } = body.data.webhookDeliveryList as { data: Record<string, unknown>[] }
    const ended = data.filter(({ latencyMs }) => latencyMs !== null)
    expect(ended).toHaveLength(count)
    return ended
  }, patience)
}

const outcomeOf = ({ status, responseStatus, responseBody, error }: Record<string, unknown>) => ({
  status,
  responseStatus,
  responseBody,
  error,
})

const failed = (error: string, responseStatus: number | null = null, responseBody: string | null = null) => ({
  status: 'FAILED',
  responseStatus,
  responseBody,
  error,
})
const succeeded = (responseStatus: number, responseBody: string | null = '') => ({
  status: 'SUCCEEDED',
  responseStatus,
  responseBody,
  error: null,
})

const late = failed('There was no complete answer within 10000 ms.')
const closed = failed('The connection was closed before the answer was complete.')
const noHttp = failed('The answer is no valid HTTP.')

/** Answers each connection with these bytes as soon as the request begins. */
const answering = (text: string | Buffer) => rawReceiver((socket) => void socket.once('data', () => socket.end(text)))

/** Sends a byte every 100 ms, without end. */
const dripping = (head: string, byte: string) =>
  rawReceiver((socket) => {
    socket.once('data', () => {
      socket.write(head)
      const timer = setInterval(() => socket.write(byte), 100)
      socket.once('close', () => clearInterval(timer))
    })
  })

const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024))
const endless = Buffer.alloc(65_536, 'x')

const receivers: Readonly<Record<string, readonly [() => Promise<Receiver>, object]>> = {
  'sends no byte': [() => rawReceiver(() => {}), late],
  'sends its headers for ever': [() => dripping('HTTP/1.1 200 OK\r\nX-A: ', 'a'), late],
  'sends its body for ever': [() => dripping('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', 'a'), late],
  'sends chunks for ever': [
    () => dripping('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n'),
    late,
  ],
  'sends interim answers for ever': [() => dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), late],
  'sends 1 GB': [
    () =>
      httpReceiver((_request, response) => {
        response.writeHead(200, { 'content-length': 1_073_741_824 })
        const more = (): void => {
          while (!response.destroyed && response.write(endless));
        }
        response.on('drain', more)
        more()
      }),
    succeeded(200, 'x'.repeat(2048)),
  ],
  'sends 1 GB with an error status': [
    () =>
      rawReceiver((socket) => {
        const more = (): void => {
          while (!socket.destroyed && socket.write(endless));
        }
        socket.once('data', () => {
          socket.write('HTTP/1.1 500 No\r\nContent-Length: 1073741824\r\n\r\n')
          socket.on('drain', more)
          more()
        })
      }),
    failed('The receiver answered with status 500.', 500, 'x'.repeat(2048)),
  ],
  'sends a gzip bomb': [
    () => httpReceiver((_request, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)),
    succeeded(200, null),
  ],
  'sends something else than HTTP': [() => answering('220 mail.example.com ESMTP\r\n'), noHttp],
  'sends a status that is no number': [() => answering('HTTP/1.1 2xx OK\r\n\r\n'), noHttp],
  'sends a header with a line break in its name': [() => answering('HTTP/1.1 200 OK\r\nA\n B\r\n\r\n'), noHttp],
  'sends two lengths': [() => answering('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na'), closed],
  'sends headers of 1 MB': [
    () => answering(`HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(1_048_576)}\r\n\r\n`),
    failed('The headers of the answer are too long.'),
  ],
  'sends less than its length': [() => answering('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab'), closed],
  'closes the connection without an answer': [() => answering(''), closed],
  'resets the connection at once': [() => rawReceiver((socket) => void socket.resetAndDestroy()), closed],
  'resets the connection in the body': [
    () =>
      rawReceiver((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab', () => socket.resetAndDestroy())
        })
      }),
    closed,
  ],
  'answers before the request is complete': [
    () => answering('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
    failed('The receiver answered with status 413.', 413, 'no'),
  ],
  'sends an interim answer first': [
    () => answering('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'),
    succeeded(204),
  ],
  'switches protocols': [
    () => answering('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
    { ...closed, error: expect.any(String) },
  ],
  'answers 299': [() => answering('HTTP/1.1 299 Fine\r\nContent-Length: 2\r\n\r\nok'), succeeded(299, 'ok')],
  'answers with bytes that are no text': [
    () => answering(Buffer.from('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\na\0\xffb', 'latin1')),
    { ...succeeded(200), responseBody: expect.stringMatching(/^a.*b$/s) },
  ],
  'has a certificate that is not trusted': [
    () => httpsReceiver(untrustedCertificate),
    failed('The TLS connection was not accepted (DEPTH_ZERO_SELF_SIGNED_CERT).'),
  ],
  'does not speak TLS': [
    async () => {
      const plain = await answering('HTTP/1.1 200 OK\r\n\r\n')
      return { ...plain, url: plain.url.replace('http:', 'https:') }
    },
    { ...failed(''), error: expect.stringMatching(/^The (?:TLS )?connection /) },
  ],
  'is not there': [
    async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      await new Promise((resolve) => server.close(resolve))
      return { url: `http://127.0.0.1:${port}/`, bytesSent: () => 0, connections: () => 0 }
    },
    failed('The connection was refused.'),
  ],
}

describe('a receiver', () => {
  it('that does any of these bad things ends its own attempt as recorded, within 10 seconds', async () => {
    const owner = await anOwner()
    const webhooks: [name: string, id: string, receiver: Receiver, expected: object][] = []
    for (const [name, [open, expected]] of Object.entries(receivers)) {
      const receiver = await open()
      webhooks.push([name, await aWebhook(owner, receiver.url), receiver, expected])
    }
    const rssBefore = process.memoryUsage().rss
    await anEvent(owner)
    const found: Record<string, object> = {}
    const expected: Record<string, object> = {}
    for (const [name, id, , outcome] of webhooks) {
      const [attempt] = await attemptsOf(owner, id)
      found[name] = outcomeOf(attempt!)
      expected[name] = outcome
      expect([name, attempt!['latencyMs']]).toEqual([name, expect.any(Number)])
      expect(attempt!['latencyMs']).toBeLessThan(12_000)
    }
    expect(found).toEqual(expected)
    const sent = webhooks.filter(([name]) => name.includes('1 GB')).map(([, , receiver]) => receiver.bytesSent())
    for (const bytes of sent) expect(bytes).toBeLessThan(20_000_000)
    // Neither 1 GB nor the 256 MB of the bomb are in memory.
    expect(process.memoryUsage().rss - rssBefore).toBeLessThan(200_000_000)
  })

  it('that redirects, with any status, is a failed attempt, and the target gets no request', async () => {
    const owner = await anOwner()
    const target = await httpReceiver((_request, response) => void response.end())
    const statuses = [300, 301, 302, 303, 304, 307, 308, 399]
    const ids: string[] = []
    for (const status of statuses) {
      const receiver = await httpReceiver((_request, response) => {
        response.writeHead(status, { location: target.url }).end()
      })
      ids.push(await aWebhook(owner, receiver.url))
    }
    await anEvent(owner)
    for (const [index, status] of statuses.entries()) {
      const [attempt] = await attemptsOf(owner, ids[index]!)
      expect(outcomeOf(attempt!)).toEqual(
        failed(`The receiver answered with the redirect ${status}; redirects are not followed.`, status, ''),
      )
    }
    expect(target.connections()).toBe(0)
  })
})

describe('Retry-After', () => {
  const hour = 3600
  const later = (seconds: number) => new Date(platform.now.getTime() + seconds * 1000)
  /** Without a longer Retry-After, the delay is 60 seconds and up to a tenth more. */
  const usual = [60, 66] as const
  const cases: readonly (readonly [status: number, value: () => string | null, seconds: readonly [number, number]])[] =
    [
      [429, () => '120', [120, 120]],
      [503, () => ' 120 ', [120, 120]],
      [429, () => '1', usual],
      [429, () => '0', usual],
      [503, () => later(2 * hour).toUTCString(), [2 * hour, 2 * hour]],
      [503, () => later(-hour).toUTCString(), usual],
      [429, () => '999999999999', [24 * hour, 24 * hour]],
      [503, () => later(400 * 24 * hour).toUTCString(), [24 * hour, 24 * hour]],
      [429, () => '-5', usual],
      [429, () => '1e9', usual],
      [429, () => '0x7fff', usual],
      [429, () => '120.5', usual],
      [429, () => 'soon', usual],
      [503, () => '9'.repeat(400), [24 * hour, 24 * hour]],
      [503, () => later(2 * hour).toISOString(), usual],
      [503, () => null, usual],
      [500, () => '7200', usual],
      [404, () => '7200', usual],
    ]

  it('of 429 and 503 is honoured when it asks for longer, up to 24 hours; everything else is not', async () => {
    const owner = await anOwner()
    const ids: string[] = []
    for (const [status, value] of cases) {
      const text = value()
      const receiver = await httpReceiver((_request, response) => {
        response.writeHead(status, text === null ? {} : { 'retry-after': text }).end()
      })
      ids.push(await aWebhook(owner, receiver.url, { retryAttempts: 1, retryDelaySeconds: 60 }))
    }
    await anEvent(owner)
    const found: unknown[] = []
    for (const [index, [status, value, [least, most]]] of cases.entries()) {
      const [attempt] = await attemptsOf(owner, ids[index]!)
      const { nextAttemptAt, createdAt, latencyMs } = attempt as Record<string, string>
      const waited = (Date.parse(nextAttemptAt!) - Date.parse(createdAt!)) / 1000
      // The wait begins at the end of the attempt, which takes a moment after its creation.
      const isAsExpected = waited >= least && waited <= most + Number(latencyMs) / 1000 + 10
      found.push([status, value(), attempt!['status'], isAsExpected ? 'as expected' : waited])
    }
    expect(found).toEqual(cases.map(([status, value]) => [status, value(), 'RETRY_SCHEDULED', 'as expected']))
  })
})

describe('a name that resolves to another address later', () => {
  type Address = { readonly address: string; readonly family: number }

  /** Names of the test resolve as it says; all others as usual. */
  function resolving(hostname: string, answers: () => readonly string[]): void {
    const { lookup } = dns
    const { lookup: lookupLater } = dns.promises
    const found = (): Address[] => answers().map((address) => ({ address, family: 4 }))
    dns.lookup = ((name: string, options: object, done: (error: unknown, addresses: Address[]) => void) =>
      name === hostname ? done(null, found()) : lookup(name, options as never, done as never)) as never
    dns.promises.lookup = ((name: string, options: object) =>
      name === hostname ? Promise.resolve(found()) : lookupLater(name, options)) as never
    syncBuiltinESMExports()
    onTestFinished(() => {
      Object.assign(dns, { lookup })
      Object.assign(dns.promises, { lookup: lookupLater })
      syncBuiltinESMExports()
    })
  }

  const counting = async (host: string) => {
    const receiver = await httpReceiver((_request, response) => {
      response.writeHead(204, { connection: 'close' }).end()
    }, host)
    return { receiver, port: new URL(receiver.url).port }
  }

  it('is checked at every connection, and gets nothing at an address that is not allowed', async () => {
    const owner = await anOwner()
    const hostname = `${newId()}.example.com`
    const { receiver, port } = await counting('127.0.0.1')
    const inside = createServer((socket) => void socket.destroy())
    let reached = 0
    inside.on('connection', () => reached++)
    await new Promise<void>((resolve) => inside.listen(Number(port), '127.0.0.2', resolve))
    onTestFinished(() => void inside.close())
    let addresses = ['127.0.0.1']
    resolving(hostname, () => addresses)
    const id = await aWebhook(owner, `http://${hostname}:${port}/hook`)

    await anEvent(owner)
    expect((await attemptsOf(owner, id)).map(outcomeOf)).toEqual([succeeded(204)])

    const refused = failed('The address must be public.')
    for (const [index, rebound] of [['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['169.254.169.254']].entries()) {
      addresses = rebound
      await anEvent(owner)
      const attempts = await attemptsOf(owner, id, index + 2)
      expect(attempts.map(outcomeOf).filter(({ status }) => status === 'FAILED')).toEqual(
        Array.from({ length: index + 1 }, () => refused),
      )
    }
    expect([reached, receiver.connections()]).toEqual([0, 1])
  })
})
