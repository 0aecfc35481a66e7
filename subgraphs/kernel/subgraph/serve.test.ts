import { describe, expect, it } from 'vitest'
import { signCaller } from './caller-token.ts'
import { anOperation, callerKey, remote, FakeSubgraph, serve } from './remote.fixture.ts'
import { requestBytesMax, writeRequest } from './wire.ts'

const now = new Date('2026-03-01T12:00:00Z')
const clock = { now: () => now }
const body = writeRequest(anOperation())
const signedFor = (text: string) => ({ 'x-caller': signCaller({ subgraph: 'crm', body: text }, callerKey, now) })

async function post(url: string, text: string, headers: Record<string, string> = {}) {
  const response = await fetch(url, { method: 'POST', body: text, headers })
  const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] }
  return [response.status, errors?.[0]?.extensions.code]
}

describe('serveSubgraph', () => {
  it('answers the gateway', async () => {
    const { url } = await serve(new FakeSubgraph(), { clock })
    expect(await post(url, body, signedFor(body))).toEqual([200, undefined])
  })

  it('executes only requests that the gateway has signed', async () => {
    const subgraph = new FakeSubgraph()
    const { url } = await serve(subgraph, { clock })
    const other = writeRequest(anOperation({ document: 'mutation { accountDelete(id: 1) }' }))
    expect(await post(url, body)).toEqual([401, 'UNAUTHENTICATED'])
    expect(await post(url, other, signedFor(body))).toEqual([401, 'UNAUTHENTICATED'])
    expect(subgraph.received).toEqual([])
  })

  it('answers an invalid request with the status of the problem', async () => {
    const { url } = await serve(new FakeSubgraph(), { clock })
    const large = 'x'.repeat(requestBytesMax + 1)
    expect(await post(url, '{}', signedFor('{}'))).toEqual([400, 'INVALID_JSON'])
    expect(await post(url, 'null', signedFor('null'))).toEqual([400, 'INVALID_JSON'])
    expect(await post(url, large, signedFor(large))).toEqual([413, 'PAYLOAD_TOO_LARGE'])
    expect(await post(`${url}other`, body, signedFor(body))).toEqual([404, 'NOT_FOUND'])
    expect((await fetch(url)).status).toBe(405)
  })

  it('reveals nothing about its own failures', async () => {
    const { url } = await serve(new FakeSubgraph(() => Promise.reject(new Error('secret detail'))), { clock })
    const response = await fetch(url, { method: 'POST', body, headers: signedFor(body) })
    expect([response.status, await response.json()]).toEqual([
      500,
      { errors: [{ message: 'Something went wrong on our side.', extensions: { code: 'INTERNAL' } }] },
    ])
  })

  it('refuses an answer that is too large before it is built', async () => {
    const text = 'x'.repeat(1_000_000)
    const { url } = await serve(new FakeSubgraph({ data: { list: Array.from({ length: 1_000 }, () => text) } }), {
      clock,
    })
    expect(await post(url, body, signedFor(body))).toEqual([200, 'ANSWER_TOO_LARGE'])
  })

  it('is live, and ready while its database answers', async () => {
    const state: { check: () => Promise<boolean> } = { check: () => Promise.resolve(true) }
    const { url } = await serve(new FakeSubgraph(), { isReady: () => state.check() })
    const statuses = async () => [(await fetch(`${url}health/live`)).status, (await fetch(`${url}health/ready`)).status]
    expect(await statuses()).toEqual([200, 200])
    state.check = () => Promise.reject(new Error('no connection'))
    expect(await statuses()).toEqual([200, 503])
    state.check = () => Promise.resolve(false)
    expect(await statuses()).toEqual([200, 503])
  })

  it('finishes requests in progress before it stops', async () => {
    const begun = Promise.withResolvers<void>()
    const end = Promise.withResolvers<void>()
    const subgraph = new FakeSubgraph(async () => {
      begun.resolve()
      await end.promise
      return { data: { done: true } }
    })
    const { url, stop } = await serve(subgraph)
    const answer = remote(url).execute(anOperation())
    await begun.promise
    const stopped = stop()
    const nextRequest = () =>
      fetch(url).then(
        ({ status }) => status,
        ({ cause }: { cause: { code: string } }) => cause.code,
      )
    await expect.poll(nextRequest).toBe('ECONNREFUSED')
    end.resolve()
    expect((await answer).data).toEqual({ done: true })
    await stopped
  })
})
