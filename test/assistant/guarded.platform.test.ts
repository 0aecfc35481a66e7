import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import { account } from '../builders.ts'
import { Platform, type Member } from '../platform.ts'
import { answered } from './answered.fixture.ts'
import { framesOf, readUntil } from './frames.ts'

const server = new ChatServer()
let platform: Platform
let ann: Member
let id: string

beforeAll(async () => {
  const url = await server.start()
  platform = new Platform({ MODEL_URL: url, MODEL_NAME: 'writer-1', OUTBOUND_ALLOW: '127.0.0.0/8' })
  await platform.open()
})
afterAll(async () => {
  await platform.close()
  server.stop()
})
beforeEach(async () => {
  server.asked.length = 0
  server.left = 0
  server.answer = (reply) => reply.text('Hello.').end()
  platform.advanceClock(60_000)
  ann = await platform.member()
  id = (await ann.rest.conversationCreate!({ body: {} })).body.id as string
})

interface Sent {
  readonly member?: Member
  readonly conversation?: string
  readonly headers?: object
  readonly signal?: AbortSignal
}

const stream = (
  content: string,
  { member = ann, conversation = id, headers = {}, signal }: Sent = {},
): Promise<Response> =>
  fetch(`${platform.url}/v1/conversations/${conversation}/messages/stream`, {
    method: 'POST',
    headers: { ...member.headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ content }),
    ...(signal && { signal }),
  })
const messages = async () => (await ann.rest.conversation!({ id })).body.messages as readonly Record<string, unknown>[]
const tokens = async () =>
  (
    await platform.query<{ tokens: string }>('select tokens from kernel.model_tokens where user_id = $1', [ann.userId])
  ).map((row) => Number(row.tokens))
const refusal = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
  response.headers.get('content-type')!.split(';')[0],
]

describe('an answer of a model', () => {
  it('cites and links only what a tool has returned for it: no other record of its user, none of another organization', async () => {
    const stranger = await platform.member({ organizationId: await platform.organization('Other') })
    const colleague = await platform.member({ organizationId: ann.organizationId })
    const [found, unread, foreign] = [
      await account(ann, { name: 'Halvorsen Marine' }),
      await account(colleague, { name: 'Fjordline' }),
      await account(stranger, { name: 'Zephyr' }),
    ]
    const links = [found, unread, foreign].map(({ id: one, name }) => `[${name}](/account/${one})`).join(' ')
    const ask = async (calls: readonly (readonly [string, object])[]) => {
      let step = 0
      server.answer = (reply) => {
        const next = calls[step++]
        if (next) reply.call(next[0], next[1], `call-${step}`).end('tool_calls')
        else reply.text(links).end()
      }
      const { status, body } = await ann.rest.conversationSend!({ id, body: { content: 'Who is it?' } })
      expect([status, body.status]).toEqual([201, 'COMPLETED'])
      return [body.content, body.citations.map(({ entityId }: { entityId: string }) => entityId)]
    }
    const linked = `[Halvorsen Marine](/account/${found.id}) Fjordline Zephyr`
    const get = (one: { id: string }) => ['get', { object: 'account', id: one.id }] as const
    expect(await ask([get(found), get(foreign)])).toEqual([linked, [found.id]])
    // Neither does a result of an earlier answer count, nor one that is an error, nor one of which no record is known.
    const query = ['query', { document: `{ account(id: "${found.id}") { id name } }` }] as const
    const wrong = ['get', { object: 'account', id: found.id, more: 1 }] as const
    expect(await ask([query, wrong])).toEqual(['Halvorsen Marine Fjordline Zephyr', []])
    expect(await ask([['search', { object: 'account', text: 'Halvorsen' }]])).toEqual([linked, [found.id]])
  })

  it('that broke off, or whose client has left, has the tokens that were sent and received, as they are charged', async () => {
    server.answer = (reply) => reply.text('Twelve deals ').cut()
    await framesOf(await stream('How many?'))
    const usage = async (index: number) =>
      (await messages())[index]!['usage'] as { inputTokens: number; outputTokens: number; isEstimated: boolean }
    const failed = await usage(1)
    expect(failed).toMatchObject({ outputTokens: 4, isEstimated: true })
    expect(await tokens()).toEqual([failed.inputTokens + failed.outputTokens])
    server.answer = (reply) => reply.text('Twelve deals ', 'are ')
    const leaving = new AbortController()
    await readUntil(await stream('How many?', { signal: leaving.signal }), 'token')
    leaving.abort()
    await expect.poll(async () => (await messages())[3]?.['status']).toBe('CANCELLED')
    const cancelled = await usage(3)
    expect(cancelled.isEstimated).toBe(true)
    expect(cancelled.inputTokens).toBeGreaterThan(failed.inputTokens)
    await expect
      .poll(tokens)
      .toEqual([failed.inputTokens + failed.outputTokens + cancelled.inputTokens + cancelled.outputTokens])
  })

  it('gets a prompt of bounded size in the longest conversation, and a message beyond the bounds nothing', async () => {
    const long = 'x'.repeat(16_000)
    await platform.query(
      `insert into assistant.message (organization_id, id, conversation_id, user_id, role, content, mode, status, created_at)
       select $1, gen_random_uuid(), $2, $3, case when n % 2 = 0 then 'USER' else 'ASSISTANT' end, $4, 'model', 'COMPLETED', now()
       from generate_series(1, 496) n`,
      [ann.organizationId, id, ann.userId, long],
    )
    await platform.query('update assistant.conversation set message_count = 496 where id = $1', [id])
    expect((await framesOf(await stream('y'.repeat(4_000)))).at(-1)!.event).toBe('done')
    const [asked] = server.asked
    const sizes = asked!.messages.filter(({ role }) => role !== 'system').map(({ content }) => content!.length)
    expect(sizes).toEqual([...Array<number>(20).fill(16_000), 4_000])
    const before = await tokens()
    const tooMuch = [
      { content: 'y'.repeat(4_001) },
      { content: ' ' },
      { content: 'Hello', context: { entityName: 'y'.repeat(256) } },
      { content: 'Hello', context: { route: 'y'.repeat(501) } },
    ]
    const paths = ['content', 'content', 'context.entityName', 'context.route']
    for (const [index, body] of tooMuch.entries())
      for (const refused of [
        await ann.rest.conversationSend!({ id, body }),
        await ann.rest.conversationMessageStream!({ id, body }),
      ])
        expect([refused.status, refused.body.errors.map(({ path }: { path: string }) => path)]).toEqual([
          400,
          [paths[index]],
        ])
    expect((await framesOf(await stream('One more'))).at(-1)!.event).toBe('done')
    expect(await refusal(await stream('Too many'))).toEqual([409, 'INVALID_STATE', 'application/problem+json'])
    expect(server.asked).toHaveLength(2)
    expect((await tokens())[0]).toBe(before[0]! + 19)
  })
})

describe('a stream that is asked for again', () => {
  it('is none of another user, organization or conversation, whoever knows its key', async () => {
    const headers = { 'Idempotency-Key': newId(), 'Last-Event-ID': '1' }
    const first = await framesOf(await stream('Hello?', { headers }))
    const [used, stored] = [await tokens(), await messages()]
    const others = [
      await platform.member({ organizationId: ann.organizationId, role: 'OWNER' }),
      await platform.member({ organizationId: await platform.organization('Other') }),
    ]
    for (const member of others)
      expect(await refusal(await stream('Hello?', { member, headers }))).toEqual([
        404,
        'NOT_FOUND',
        'application/problem+json',
      ])
    const conversation = (await ann.rest.conversationCreate!({ body: {} })).body.id as string
    expect((await refusal(await stream('Hello?', { conversation, headers })))[1]).toBe('IDEMPOTENCY_KEY_REUSED')
    const again = await framesOf(await stream('Hello?', { headers }))
    // Only a replay knows the model at its start.
    expect(again.slice(1)).toEqual(first.slice(1))
    expect([server.asked.length, await tokens(), await messages()]).toEqual([1, used, stored])
  })

  it('while it is written is refused, and afterwards is what was written until its client left; neither asks the model again', async () => {
    const headers = { 'Idempotency-Key': newId() }
    server.answer = (reply) => reply.text('Twelve deals ', 'are ')
    const leaving = new AbortController()
    const { data } = await readUntil(await stream('How many?', { headers, signal: leaving.signal }), 'start')
    expect(await refusal(await stream('How many?', { headers }))).toEqual([
      409,
      'IDEMPOTENCY_IN_PROGRESS',
      'application/problem+json',
    ])
    await expect.poll(() => server.asked.length).toBe(1)
    leaving.abort()
    await expect.poll(async () => (await messages())[1]!['status']).toBe('CANCELLED')
    const used = await tokens()
    const replayed = await framesOf(await stream('How many?', { headers }))
    expect([replayed[0]!.data['messageId'], replayed.at(-1)]).toMatchObject([
      data['messageId'],
      { event: 'error', data: { code: 'CANCELLED' } },
    ])
    expect([server.asked.length, await tokens(), (await messages()).length]).toEqual([1, used, 2])
  })
})

describe('tools that a model calls', () => {
  it('with arguments or in numbers beyond the bounds give one error each, and nothing runs', async () => {
    const { results } = await answered(server, ann, 'Look', [
      ['search', { text: 'x'.repeat(30_000) }],
      ['get', { object: 'account', id: newId() }],
    ])
    expect(results).toEqual([{ error: expect.any(String) }, { error: expect.any(String) }])
    let step = 0
    server.answer = (reply) => {
      if (++step > 1) return reply.text('Done.').end()
      for (let index = 0; index < 500; index++) reply.call('describe', {}, `call-${index}`, index)
      reply.end('tool_calls')
    }
    const { status, body } = await ann.rest.conversationSend!({ id, body: { content: 'Look' } })
    expect([status, body.status]).toEqual([201, 'COMPLETED'])
    const calls = body.toolCalls.map((call: { status: string }) => call.status) as string[]
    expect([calls.filter((one) => one === 'OK').length, calls.length]).toEqual([8, 9])
  })
})
