import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Cancellation } from '../../subgraphs/kernel/cancellation.ts'
import { Refusal } from '../../subgraphs/kernel/errors.ts'
import { EventStreams } from '../edge/event-streams.ts'
import type { GraphResult } from '../graph/graph.ts'
import { writeMultipart } from './graphql-multipart.ts'

const part = (json: string): string => `\r\ncontent-type: application/json\r\n\r\n${json}\r\n--graphql`
const log = { error: () => {} }

/** A server that answers with these results as multipart. */
async function answering(results: AsyncIterable<GraphResult>, heartbeatMs = 15_000) {
  const eventStreams = new EventStreams({ heartbeatMs })
  const cancellation = new Cancellation()
  const server = createServer((_req, res) => void writeMultipart(res, results, cancellation, { eventStreams, log }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, eventStreams, cancellation }
}

async function* two(): AsyncGenerator<GraphResult> {
  yield { data: { count: 1 } }
  yield { data: { count: 2 } }
}

async function* refusedAfterOne(): AsyncGenerator<GraphResult> {
  yield { data: { count: 1 } }
  throw new Refusal('API_KEY_OWNER_INACTIVE', 'The session was ended; sign in again.')
}

/** Sends nothing until it is ended. */
const silent = (): AsyncIterable<GraphResult> => ({
  [Symbol.asyncIterator]: () => {
    const left = Promise.withResolvers<IteratorResult<GraphResult>>()
    const done = { done: true, value: undefined } as const
    return { next: () => left.promise, return: async () => (left.resolve(done), done) }
  },
})

describe('a subscription as multipart/mixed', () => {
  it('has a part for each result with the delimiter after it, and a closing delimiter', async () => {
    const { url } = await answering(two())
    const answer = await fetch(url)
    expect(answer.headers.get('content-type')).toBe('multipart/mixed; boundary="graphql"; subscriptionSpec=1.0')
    expect(await answer.text()).toBe(
      `\r\n--graphql${part('{"payload":{"data":{"count":1}}}')}${part('{"payload":{"data":{"count":2}}}')}--\r\n`,
    )
  })

  it('ends with a part that says why, when the subscriber may no longer read', async () => {
    const { url } = await answering(refusedAfterOne())
    const [, , last, end] = (await (await fetch(url)).text()).split('\r\n--graphql')
    expect(JSON.parse(last!.split('\r\n\r\n')[1]!)).toMatchObject({
      payload: null,
      errors: [{ message: 'The session was ended; sign in again.', extensions: { code: 'API_KEY_OWNER_INACTIVE' } }],
    })
    expect(end).toBe('--\r\n')
  })

  it('has empty parts while there are no results', async () => {
    const { url, cancellation } = await answering(silent(), 5)
    const leaving = new AbortController()
    const reader = (await fetch(url, { signal: leaving.signal })).body!.getReader()
    let text = ''
    while (text.split('--graphql').length < 4) text += Buffer.from((await reader.read()).value!).toString()
    expect(text.startsWith(`\r\n--graphql${part('{}')}${part('{}')}`)).toBe(true)
    expect(cancellation.isCancelled).toBe(false)
    leaving.abort()
  })

  it('has no closing delimiter when the server stops, so that the client subscribes again', async () => {
    const { url, eventStreams } = await answering(silent())
    const answer = await fetch(url)
    eventStreams.close()
    expect(await answer.text()).toBe('\r\n--graphql')
  })
})
