import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Refusal } from '../errors.ts'
import { Outbound } from '../outbound/outbound.ts'
import { ChatServer } from './chat-server.fixture.ts'
import type { LanguageModel, ModelEvent, ModelRequest } from './language-model.ts'
import { streamingModel } from './streaming-model.ts'
import { estimatedPrompt } from './token-estimate.ts'

const server = new ChatServer()
const outbound = new Outbound(['127.0.0.0/8'])
let model: LanguageModel
let url: string

beforeAll(async () => {
  url = await server.start()
  model = streamingModel({ url, key: 'sk', name: 'writer-1', timeoutMs: 400 }, outbound, () => new Date())
})
afterAll(async () => {
  server.stop()
  await outbound.close()
})
beforeEach(() => {
  server.asked.length = 0
  server.left = 0
})

const request: ModelRequest = {
  organizationId: 'o',
  userId: 'u',
  credentialId: 'c',
  isProviderOff: false,
  messages: [{ role: 'user', content: 'How many?' }],
  tools: [{ name: 'ask', description: 'Asks.', parameters: { type: 'object', properties: {} } }],
}

/** The parts of the answer, the last of them a refusal where it fails. */
async function answered(more: Partial<ModelRequest> = {}): Promise<(ModelEvent | string)[]> {
  const events: (ModelEvent | string)[] = []
  try {
    for await (const event of model.stream({ ...request, ...more })) events.push(event)
  } catch (error) {
    events.push(error instanceof Refusal ? error.code : (error as Error).name)
  }
  return events
}
const text = (delta: string) => ({ kind: 'text', text: delta })

describe('a streaming model', () => {
  it('passes texts on as they arrive, with the usage that the provider reports', async () => {
    server.answer = (reply) => reply.text('Twelve ', 'deals.').end()
    const usage = { inputTokens: 12, outputTokens: 7, isEstimated: false }
    expect(await answered()).toEqual([
      text('Twelve '),
      text('deals.'),
      { kind: 'end', model: 'writer-1-0405', reason: 'stop', usage },
    ])
    expect(server.asked[0]).toMatchObject({ model: 'writer-1', stream: true, tools: [{ function: { name: 'ask' } }] })
  })

  it('gives the calls of tools, and sends their results back', async () => {
    server.answer = (reply) =>
      reply.call('ask', { object: 'deals' }, 'one').call('describe', '{}', 'two', 1).end('tool_calls')
    const calls = (await answered()).flatMap((event) =>
      typeof event === 'object' && event.kind === 'toolCall' ? [event.call] : [],
    )
    expect(calls).toEqual([
      { id: 'one', name: 'ask', arguments: '{"object":"deals"}' },
      { id: 'two', name: 'describe', arguments: '{}' },
    ])
    await answered({
      messages: [
        { role: 'user', content: 'How many?' },
        { role: 'assistant', content: '', toolCalls: calls },
        { role: 'tool', content: '{"count":3}', toolCallId: 'one' },
      ],
    })
    expect(server.asked[1]!.messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        tool_calls: [{ id: 'one', function: { name: 'ask', arguments: '{"object":"deals"}' } }, { id: 'two' }],
      },
      { role: 'tool', content: '{"count":3}', tool_call_id: 'one' },
    ])
  })

  it('estimates the usage that the provider does not report', async () => {
    server.answer = (reply) => reply.text('12345678').end('stop', null)
    const usage = { inputTokens: estimatedPrompt(request), outputTokens: 2, isEstimated: true }
    expect((await answered()).at(-1)).toMatchObject({ kind: 'end', usage })
  })

  it('fails when the provider reports an error in the middle, although a normal end follows', async () => {
    server.answer = (reply) =>
      reply
        .text('Twelve')
        .raw({ error: { message: 'overloaded' } })
        .end()
    expect(await answered()).toEqual([text('Twelve'), 'UNAVAILABLE'])
    server.answer = (reply) => reply.text('Twelve').raw('{nonsense').end()
    expect(await answered()).toEqual([text('Twelve'), 'MODEL_FAILED'])
    expect(server.asked).toHaveLength(2)
  })

  it('calls once more when nothing has arrived, and never after the first text', async () => {
    let count = 0
    server.answer = (reply) => (++count === 1 ? reply.response.destroy() : reply.text('Yes.').end())
    expect((await answered())[0]).toEqual(text('Yes.'))
    expect(server.asked).toHaveLength(2)
    server.answer = (reply) => reply.text('Twe').cut()
    expect(await answered()).toEqual([text('Twe'), 'UNAVAILABLE'])
    expect(server.asked).toHaveLength(3)
    server.answer = (reply) => reply.response.writeHead(429, { 'retry-after': '9' }).end('{}')
    expect(await answered()).toEqual(['UNAVAILABLE'])
    expect(server.asked).toHaveLength(4)
  })

  it.each<[string, (typeof server)['answer'], string]>([
    ['is silent', () => undefined, 'UNAVAILABLE'],
    ['refuses the request', (reply) => reply.response.writeHead(401).end('{}'), 'MODEL_FAILED'],
    [
      'redirects',
      (reply) => reply.response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'MODEL_FAILED',
    ],
    ['answers a page', (reply) => reply.response.end('<html>'), 'MODEL_FAILED'],
    ['does not finish', (reply) => reply.response.end('data: [DONE]\n\n'), 'MODEL_FAILED'],
  ])('that %s: nothing arrives', async (_, answer, code) => {
    server.answer = answer
    expect(await answered()).toEqual([code])
  })

  it('closes the connection to the provider when its reader leaves, or its signal', async () => {
    server.answer = (reply) => reply.text('Twelve')
    for await (const event of model.stream(request)) {
      expect(event).toEqual(text('Twelve'))
      break
    }
    await expect.poll(() => server.left).toBe(1)
    const leaving = new AbortController()
    server.answer = (reply) => {
      reply.text('Twelve')
      setImmediate(() => leaving.abort())
    }
    expect((await answered({ signal: leaving.signal })).at(-1)).toBe('AbortError')
    await expect.poll(() => server.left).toBe(2)
  })

  it('calls public addresses only', async () => {
    const closed = new Outbound([])
    model = streamingModel({ url, key: null, name: 'writer-1', timeoutMs: 400 }, closed, () => new Date())
    expect(await answered()).toEqual(['UNAVAILABLE'])
    expect(server.asked).toHaveLength(0)
  })
})
