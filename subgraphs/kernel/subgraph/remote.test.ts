import { describe, expect, it } from 'vitest'
import { Cancellation } from '../cancellation.ts'
import { Circuit } from './circuit.ts'
import { anOperation, callerKey, remote, FakeSubgraph, serve, fakeServer } from './remote.fixture.ts'
import type { SubgraphResult } from './endpoint.ts'
import { answerBytesMax } from '../json/answer-size.ts'
import { wireBytesMax } from './wire.ts'

const unavailable = {
  code: 'UNAVAILABLE',
  message: 'A part of the service is not available.',
  extensions: { code: 'UNAVAILABLE', retryAfter: 1 },
}
const reasonOf = (endpoint: ReturnType<typeof remote>): Promise<string> =>
  endpoint.execute(anOperation()).then(
    () => 'answered',
    (error: { cause: Error }) => error.cause.message,
  )

describe('a subgraph in another process', () => {
  it('receives the operation and the caller unchanged, and its answer arrives unchanged', async () => {
    const answer: SubgraphResult = {
      data: { account: null, text: '\u2028 “ü” 🙂' },
      errors: [{ message: 'No.', path: ['account'], extensions: { code: 'NOT_FOUND' } }],
      replayed: true,
    }
    const subgraph = new FakeSubgraph(answer)
    const operation = anOperation({ variables: { name: 'ß\u0000', list: [1, null, { a: true }] } })
    expect(await remote((await serve(subgraph)).url).execute(operation)).toEqual(answer)
    const context = { ...operation.context, cancellation: expect.any(Cancellation) }
    expect(subgraph.received).toEqual([{ ...operation, context }])
  })

  it('accepts a caller who sees the records of a thousand users', async () => {
    const ownerIds = Array.from(
      { length: 1000 },
      (_, index) => `019a0c5e-7f00-7c1d-8f21-${String(index).padStart(12, '0')}`,
    )
    const subgraph = new FakeSubgraph()
    const { context } = anOperation()
    await remote((await serve(subgraph)).url).execute(
      anOperation({ context: { ...context, caller: { ...context.caller, ownerIds } } }),
    )
    expect(subgraph.received[0]!.context.caller.ownerIds).toEqual(ownerIds)
  })

  it('is notified when the client of a read has disconnected, which does not count as a failure', async () => {
    const arrived = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const subgraph = new FakeSubgraph(async () => {
      subgraph.received[0]!.context.cancellation!.add({ cancel: cancelled.resolve })
      arrived.resolve()
      await cancelled.promise
      return { data: null }
    })
    const circuit = new Circuit({ failuresMax: 1 })
    const endpoint = remote((await serve(subgraph)).url, { circuit })
    const cancellation = new Cancellation()
    const { context } = anOperation()
    const answer = endpoint.execute(anOperation({ context: { ...context, cancellation } }))
    await arrived.promise
    cancellation.cancel()
    await expect(answer).rejects.toMatchObject(unavailable)
    await cancelled.promise
    expect(circuit.isOpen).toBe(false)
    await expect(endpoint.execute(anOperation({ context: { ...context, cancellation } }))).rejects.toMatchObject(
      unavailable,
    )
    expect(subgraph.received).toHaveLength(1)
  })

  it('finishes a mutation although its client has disconnected', async () => {
    const subgraph = new FakeSubgraph()
    const document = 'mutation { accountDelete(id: $id) }'
    await remote((await serve(subgraph)).url).execute(anOperation({ document }))
    expect(subgraph.received[0]!.context.cancellation).toBeUndefined()
  })

  it('is unavailable while no process listens, and available again as soon as one does', async () => {
    const { port, stop, url } = await serve(new FakeSubgraph())
    const endpoint = remote(url)
    expect((await endpoint.execute(anOperation())).data).toEqual({ account: { name: 'Ärger & Söhne' } })
    await stop()
    await expect(endpoint.execute(anOperation())).rejects.toMatchObject(unavailable)
    await serve(new FakeSubgraph(), { port })
    expect((await endpoint.execute(anOperation())).data).toEqual({ account: { name: 'Ärger & Söhne' } })
  })

  it('is unavailable when it does not answer in time', async () => {
    const { url } = await fakeServer(() => {})
    const endpoint = remote(url, { timeoutMs: 30 })
    await expect(endpoint.execute(anOperation())).rejects.toMatchObject(unavailable)
  })

  it('gets the time and the size of the answer that the operation declares', async () => {
    const { url } = await fakeServer((_, response) => {
      setTimeout(() => response.end(JSON.stringify({ data: { text: 'x'.repeat(answerBytesMax) } })), 60)
    })
    const declared = (deadlineMs: number, answerBytes: number) => {
      const { context } = anOperation()
      return anOperation({ context: { ...context, limits: { bodyBytes: 1, answerBytes, deadlineMs } } })
    }
    const endpoint = remote(url, { timeoutMs: 20 })
    const { data } = await endpoint.execute(declared(5_000, 2 * answerBytesMax))
    expect((data as { text: string }).text.length).toBe(answerBytesMax)
    await expect(endpoint.execute(declared(20, 2 * answerBytesMax))).rejects.toMatchObject(unavailable)
    await expect(endpoint.execute(declared(5_000, answerBytesMax - 1_000))).rejects.toMatchObject(unavailable)
  })

  it('is unavailable when its answer is incomplete', async () => {
    const { url } = await fakeServer(
      (_, response) => void response.writeHead(200, { 'content-length': 100 }).write('{"data":'),
    )
    await expect(remote(url, { timeoutMs: 30 }).execute(anOperation())).rejects.toMatchObject(unavailable)
  })

  it('does not make every request wait for the whole timeout when it hangs', async () => {
    const time = { ms: 0 }
    const { url, counted } = await fakeServer(() => {})
    const endpoint = remote(url, { timeoutMs: 300, circuit: new Circuit({ failuresMax: 2, now: () => time.ms }) })
    const reasons = []
    for (let call = 0; call < 4; call++) reasons.push(await reasonOf(endpoint))
    const [silent, open] = [
      'subgraph crm did not answer',
      'subgraph crm is not called: its circuit is open after consecutive failures',
    ]
    expect(reasons).toEqual([silent, silent, open, open])
    expect(counted.requests).toBe(2)
    time.ms = 1000
    expect(await reasonOf(endpoint)).toBe(silent)
    expect(counted.requests).toBe(3)
  })

  it('is available again after it hung', async () => {
    const time = { ms: 0 }
    let hangs = true
    const { url } = await fakeServer((_, response) => void (hangs || response.end('{"data":{"a":1}}')))
    const circuit = new Circuit({ failuresMax: 1, now: () => time.ms })
    expect(await reasonOf(remote(url, { timeoutMs: 20, circuit }))).toBe('subgraph crm did not answer')
    const endpoint = remote(url, { circuit })
    hangs = false
    time.ms = 1000
    expect(await Promise.all([reasonOf(endpoint), reasonOf(endpoint)])).toEqual([
      'answered',
      'subgraph crm is not called: its circuit is open after consecutive failures',
    ])
    expect(await Promise.all([reasonOf(endpoint), reasonOf(endpoint)])).toEqual(['answered', 'answered'])
  })

  it.each([
    ['text', 200, 'ok', 'subgraph crm did not answer with GraphQL'],
    ['nothing', 200, '', 'subgraph crm did not answer with GraphQL'],
    ['null', 200, 'null', 'subgraph crm did not answer with GraphQL'],
    ['a list', 200, '{"data":[]}', 'subgraph crm did not answer with GraphQL'],
    ['no data', 200, '{"errors":[]}', 'subgraph crm did not answer with GraphQL'],
    ['a redirect', 302, '{"data":{}}', 'subgraph crm answered 302'],
    ['a failure', 500, '{"data":{}}', 'subgraph crm answered 500'],
  ])('is unavailable when it answers %s, and later requests do not wait', async (_what, status, text, reason) => {
    const { url, counted } = await fakeServer(
      (_, response) => void response.writeHead(status, { location: '/elsewhere' }).end(text),
    )
    const endpoint = remote(url, { circuit: new Circuit({ failuresMax: 1 }) })
    expect([await reasonOf(endpoint), await reasonOf(endpoint)]).toEqual([reason, reason])
    expect(counted.requests).toBe(2)
  })

  it('cannot exhaust the memory of the gateway', async () => {
    const part = Buffer.alloc(1_000_000, ' ')
    const { url } = await fakeServer((_, response) => {
      const more = () => void (response.destroyed || response.write(part, more))
      more()
    })
    expect(await reasonOf(remote(url))).toBe(`subgraph crm answered more than ${wireBytesMax({})} bytes`)
  })

  it('gets a retry of a query, but never of a mutation, when the connection was closed in the meantime', async () => {
    const { url, counted, sockets } = await fakeServer((request, response) => {
      if (counted.requests % 2 === 1) response.end('{"data":{}}')
      else request.socket.resetAndDestroy()
    })
    const endpoint = remote(url)
    await endpoint.execute(anOperation())
    await endpoint.execute(anOperation())
    expect([counted.requests, sockets.size]).toEqual([3, 2])
    await expect(endpoint.execute(anOperation({ document: 'mutation { a }' }))).rejects.toMatchObject(unavailable)
    expect(counted.requests).toBe(4)
  })

  it('refuses a gateway that has another secret', async () => {
    const subgraph = new FakeSubgraph()
    const { url } = await serve(subgraph, { callerKey: `${callerKey}!` })
    expect(await reasonOf(remote(url))).toBe('subgraph crm answered 401')
    expect(subgraph.received).toEqual([])
  })
})
