import { beforeAll, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { createApiKey, updateUser } from '../../subgraphs/identity/public.ts'
import type { Visibility } from '../../subgraphs/kernel/context.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { restClient } from '../rest-client.ts'
import { framesOf } from './frames.ts'

const platform = usePlatform()
let ann: Member
let ben: Member
let stranger: Member

beforeAll(async () => {
  ann = await platform.member()
  ben = await platform.member({ role: 'OWNER' })
  stranger = await platform.member({ organizationId: await platform.organization('Other') })
})

/** Longer than a gateway caches a key, in milliseconds. */
async function setVisibility({ organizationId, userId }: Member, visibility: Visibility): Promise<void> {
  await updateUser(platform.services, organizationId, userId, { visibility })
  platform.advanceClock(1_000)
}

const begin = async (member = ann, body: object = {}): Promise<string> =>
  (await member.rest.conversationCreate!({ body })).body.id as string
const messages = async (id: string) =>
  (await ann.rest.conversation!({ id })).body.messages as readonly Record<string, unknown>[]

describe('conversations', () => {
  it('are listed as an array, the newest message first, and changed by their user', async () => {
    const member = await platform.member()
    const first = await begin(member, { title: 'Deals', metadata: { recordId: 'r-1', recordType: 'ACCOUNT' } })
    platform.advanceClock(1000)
    const second = await begin(member)
    platform.advanceClock(1000)
    await member.rest.conversationSend!({ id: first, body: { content: 'How many cases?' } })
    const { body } = await member.rest.conversationList!()
    expect(body.map(({ id, title, messageCount }: Record<string, unknown>) => [id, title, messageCount])).toEqual([
      [first, 'Deals', 2],
      [second, null, 0],
    ])
    const changed = await member.rest.conversationUpdate!({ id: first, body: { isArchived: true } })
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { title: 'Deals', isArchived: true, metadata: { recordId: 'r-1', recordType: 'ACCOUNT' } },
    ])
    const open = await member.rest.conversationList!({ query: { isArchived: 'false' } })
    expect(open.body.map(({ id }: { id: string }) => id)).toEqual([second])
    expect((await member.rest.conversationDelete!({ id: second })).status).toBe(204)
    expect((await member.rest.conversationDeleteAll!()).status).toBe(204)
    expect((await member.rest.conversationList!()).body).toEqual([])
    expect(await platform.query('select from assistant.message where conversation_id = $1', [first])).toEqual([])
  })

  it('are not found by other users of the organization, nor by other organizations', async () => {
    const id = await begin()
    const answer = (await ann.rest.conversationSend!({ id, body: { content: 'How many cases?' } })).body
    for (const other of [ben, stranger]) {
      const refused = await Promise.all([
        other.rest.conversation!({ id }),
        other.rest.conversationUpdate!({ id, body: { title: 'Mine' } }),
        other.rest.conversationDelete!({ id }),
        other.rest.conversationSend!({ id, body: { content: 'How many cases?' } }),
        other.rest.conversationMessageStream!({ id, body: { content: 'How many cases?' } }),
        other.rest.conversationMessageFeedback!({ id, messageId: answer.id, body: { feedback: 'UP' } }),
      ])
      expect(refused.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404])
      await other.rest.conversationDeleteAll!()
    }
    const { title, messages: kept } = (await ann.rest.conversation!({ id })).body
    expect([title, kept.length, kept[1].feedback]).toEqual(['How many cases?', 2, null])
  })

  it('has at most 1,000 of a user and 500 messages in each, and then changes nothing', async () => {
    const member = await platform.member()
    const id = await begin(member)
    await platform.query(
      `insert into assistant.conversation (organization_id, id, user_id, created_at, updated_at)
       select $1, gen_random_uuid(), $2, now(), now() from generate_series(1, 999)`,
      [member.organizationId, member.userId],
    )
    const refused = await member.rest.conversationCreate!({ body: {} })
    expect([refused.status, refused.body.code]).toEqual([409, 'INVALID_STATE'])
    const last = await member.rest.conversationList!({ query: { page: 10 } })
    const after = await member.rest.conversationList!({ query: { page: 11 } })
    expect([last.body.length, after.body.length]).toEqual([100, 0])
    await platform.query('update assistant.conversation set message_count = 499 where id = $1', [id])
    const full = await member.rest.conversationSend!({ id, body: { content: 'How many cases?' } })
    const streamed = await member.rest.conversationMessageStream!({ id, body: { content: 'How many cases?' } })
    expect([full.status, full.body.code, streamed.status]).toEqual([409, 'INVALID_STATE', 409])
    expect(await platform.query('select from assistant.message where conversation_id = $1', [id])).toEqual([])
  })
})

describe('the mode local', () => {
  it('names a word that is a property of every object', async () => {
    const id = await begin()
    for (const word of ['constructor', '__proto__', 'constructors']) {
      const { body } = await ann.rest.conversationSend!({ id, body: { content: `How many ${word} accounts?` } })
      expect([body.status, body.notUnderstood]).toEqual(['COMPLETED', [word]])
    }
  })

  it('counts and lists what the caller sees, and names the words that it does not understand', async () => {
    const member = await platform.member({ organizationId: await platform.organization('Counted') })
    const { id: accountId } = await account(member, { name: 'Halvorsen [Marine](https://evil.example)' })
    await supportCase(member, { priority: 'URGENT' })
    await supportCase(member, { priority: 'LOW' })
    const id = await begin(member)
    const ask = async (content: string) => (await member.rest.conversationSend!({ id, body: { content } })).body
    const counted = await ask('How many urgent cases are there?')
    expect(counted).toMatchObject({
      role: 'ASSISTANT',
      content: '**1** case matching: priority urgent.',
      mode: 'local',
      model: null,
      status: 'COMPLETED',
      notUnderstood: [],
      usage: { inputTokens: 0, outputTokens: 0, isEstimated: false },
    })
    const listed = await ask('List my accounts')
    expect(listed.content).toContain('- Halvorsen Marine')
    expect(listed.content).not.toMatch(/evil\.example|https/)
    expect(listed.citations).toMatchObject([{ entityType: 'ACCOUNT', entityId: accountId }])
    const unknown = await ask('How many purple cases?')
    expect([unknown.notUnderstood, /\d/.test(unknown.content)]).toEqual([['purple'], false])
    const documents = (await member.rest.conversationSend!({ id, body: { content: 'Hello', mode: 'documents' } })).body
    expect([documents.status, documents.content]).toEqual([
      'COMPLETED',
      expect.stringContaining('I found nothing about this in the documents that you see.'),
    ])
    const { body } = await member.rest.assistantStats!()
    expect(body).toMatchObject({
      scope: 'OWN',
      answers: 4,
      toolCalls: 3,
      notUnderstood: [{ name: 'purple', count: 1 }],
    })
  })

  it('refuses a mode without a configured model, and stores nothing', async () => {
    const id = await begin()
    for (const mode of ['model', 'vendor_a', 'vendor_b_cx']) {
      const body = { content: 'How many cases?', mode }
      const refused = [
        await ann.rest.conversationSend!({ id, body }),
        await ann.rest.conversationMessageStream!({ id, body }),
      ]
      expect(refused.map((answer) => [answer.status, answer.body.errors[0].code])).toEqual([
        [400, 'MODE_NOT_CONFIGURED'],
        [400, 'MODE_NOT_CONFIGURED'],
      ])
    }
    expect(await messages(id)).toEqual([])
  })

  it('takes feedback on answers only', async () => {
    const id = await begin()
    const answer = (await ann.rest.conversationSend!({ id, body: { content: 'How many cases?' } })).body
    const give = (messageId: string, feedback: string | null) =>
      ann.rest.conversationMessageFeedback!({ id, messageId, body: { feedback } })
    expect((await give(answer.id, 'DOWN')).body.feedback).toBe('DOWN')
    expect((await messages(id))[1]).toMatchObject({ feedback: 'DOWN' })
    expect((await give(answer.id, null)).body.feedback).toBe(null)
    expect([(await give(answer.replyToId, 'UP')).status, (await give(newId(), 'UP')).status]).toEqual([404, 404])
  })

  it('replays the stored answer for an Idempotency-Key, alone and as a stream, and writes once', async () => {
    const id = await begin()
    const headers = { 'Idempotency-Key': newId() }
    const body = { content: 'How many cases?' }
    const first = await ann.rest.conversationSend!({ id, body, headers })
    const again = await ann.rest.conversationSend!({ id, body, headers })
    expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', first.body])
    const key = { 'Idempotency-Key': newId() }
    const stream = async (sent: object) => {
      const url = `${platform.url}/v1/conversations/${id}/messages/stream`
      const init = { method: 'POST', headers: { ...ann.headers, ...key, 'content-type': 'application/json' } }
      return fetch(url, { ...init, body: JSON.stringify(sent) })
    }
    const begun = await stream(body)
    const frames = await framesOf(begun)
    const replayed = await stream(body)
    expect(replayed.headers.get('idempotent-replayed')).toBe('true')
    expect((await framesOf(replayed)).map(({ event }) => event)).toEqual(['start', 'token', 'done'])
    expect(frames.map(({ event }) => event)).toEqual(['start', 'tool', 'token', 'done'])
    const reused = await stream({ content: 'How many leads?' })
    expect([reused.status, ((await reused.json()) as { code: string }).code]).toEqual([409, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await messages(id)).toHaveLength(4)
  })

  it('replays nothing to a user who sees less than when it was answered', async () => {
    const { organizationId } = ann
    const member = await platform.member({ organizationId })
    const { id: accountId } = await account(member, { name: 'Given away' })
    const { id } = (await member.rest.conversationCreate!({ body: {} })).body
    const ask = async (kind: '' | '/stream', key: string, content: string) => {
      const response = await fetch(`${platform.url}/v1/conversations/${id}/messages${kind}`, {
        method: 'POST',
        headers: { ...member.headers, 'Idempotency-Key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ content, mode: 'local' }),
      })
      const text = await response.text()
      return [response.status, text.includes('**') || text.includes('Given away')]
    }
    for (const kind of ['', '/stream'] as const) {
      const [counted, named] = [newId(), newId()]
      const asked = async () => [
        await ask(kind, counted, 'How many accounts are there?'),
        await ask(kind, named, 'Who owns Given away?'),
      ]
      const status = kind === '' ? 201 : 200
      expect(await asked()).toEqual([
        [status, true],
        [status, true],
      ])
      expect(await asked()).toEqual([
        [status, true],
        [status, true],
      ])
      await setVisibility(member, 'OWN')
      expect(await asked()).toEqual([
        [404, false],
        [404, false],
      ])
      await setVisibility(member, 'ALL')
      expect(await asked()).toEqual([
        [status, true],
        [status, true],
      ])
    }
    const key = newId()
    expect(await ask('/stream', key, 'Who owns Given away?')).toEqual([200, true])
    await member.rest.accountDelete!({ id: accountId })
    expect(await ask('/stream', key, 'Who owns Given away?')).toEqual([200, true])
  })
})

describe('the answers of a conversation', () => {
  /** The answers as their user reads them: the text, or null if it is withheld. */
  const read = async (member: Member, id: string) => {
    const { body } = await member.rest.conversation!({ id })
    return (body.messages as Record<string, unknown>[])
      .filter(({ role }) => role === 'ASSISTANT')
      .map(({ content, isWithheld, citations, toolCalls, notUnderstood }) => {
        if (isWithheld) expect([content, citations, toolCalls, notUnderstood]).toEqual(['', [], [], []])
        return isWithheld ? null : content
      })
  }
  const asked = async (member: Member, ...questions: string[]) => {
    const id = await begin(member)
    for (const content of questions) {
      const { status } = await member.rest.conversationSend!({ id, body: { content, mode: 'local' } })
      expect(status).toBe(201)
    }
    return id
  }

  it('are withheld while their user has fewer rights than they were made with, and shown again afterwards', async () => {
    const organizationId = await platform.organization('Sight')
    const [member, other] = [await platform.member({ organizationId }), await platform.member({ organizationId })]
    await account(member, { name: 'Mine', annualRevenue: 10 })
    await account(other, { name: 'Theirs', annualRevenue: 20 })
    const id = await asked(member, 'How many accounts are there?')
    const all = '**2** accounts.'
    expect(await read(member, id)).toEqual([all])
    const renamed = () =>
      member.rest.conversationUpdate!({ id, body: { title: 'Accounts' }, headers: { 'Idempotency-Key': id } })
    expect((await renamed()).body.messages[1].content).toBe(all)
    await setVisibility(member, 'OWN')
    expect(await read(member, id)).toEqual([null])
    expect(JSON.stringify((await renamed()).body)).not.toContain(all)
    await member.rest.conversationSend!({ id, body: { content: 'How many accounts are there?', mode: 'local' } })
    expect(await read(member, id)).toEqual([null, '**1** account.'])
    await setVisibility(member, 'ALL')
    expect(await read(member, id)).toEqual([all, '**1** account.'])

    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, { name: 'No revenue', fields: { account: { annualRevenue: 'HIDDEN' } } })
    await assignProfile(ctx, member.userId, profile.id)
    platform.advanceClock(1_000)
    expect(await read(member, id)).toEqual([null, null])
  })

  it('are withheld from a credential of their user with fewer scopes, and after the role was lowered', async () => {
    const organizationId = await platform.organization('Scopes')
    const member = await platform.member({ organizationId, role: 'ADMIN' })
    await account(member, { name: 'Halvorsen Marine' })
    const id = await asked(member, 'Who owns Halvorsen Marine?')
    const [shown] = await read(member, id)
    expect(shown).toContain('Halvorsen')
    const key = async (...scopes: string[]) => {
      const name = scopes.join(' ')
      const { secret } = await createApiKey(platform.services, organizationId, { ownerId: member.userId, name, scopes })
      return { ...member, rest: restClient(platform.contract, platform.url, { 'X-API-Key': secret }) }
    }
    expect(await read(await key('READ_CONVERSATIONS'), id)).toEqual([null])
    expect(await read(await key('*'), id)).toEqual([shown])
    await updateUser(platform.services, organizationId, member.userId, { role: 'MEMBER' })
    platform.advanceClock(1_000)
    expect(await read(member, id)).toEqual([null])
  })

  it('are withheld when a record that they cite is given to a user whose records are out of sight', async () => {
    const organizationId = await platform.organization('Given')
    const [member, other] = [
      await platform.member({ organizationId, visibility: 'OWN' }),
      await platform.member({ organizationId, role: 'OWNER' }),
    ]
    const { id: accountId } = await account(member, { name: 'Halvorsen Marine' })
    const id = await asked(member, 'Who owns Halvorsen Marine?', 'How many accounts are there?')
    const [named, counted] = await read(member, id)
    expect([String(named).includes('Halvorsen'), counted]).toEqual([true, '**1** account.'])
    const { status } = await other.rest.accountUpdate!({ id: accountId, body: { ownerId: other.userId } })
    expect(status).toBe(200)
    expect(await read(member, id)).toEqual([null, counted])
  })
})

describe('the extraction of metadata', () => {
  it('finds artifacts, companies by legal form and place, and accounts that the caller sees', async () => {
    const { id } = await account(ann, { name: 'Fjordline' })
    await account(stranger, { name: 'Nordhavn' })
    const content =
      'Fjordline met Ida from Acme Pumps GmbH and Nordhavn people at Bergen Shipping.\n- one\n- two\n```\ncode\n```'
    const { status, body } = await ann.rest.conversationMetadataExtract!({ body: { content } })
    expect([status, body]).toEqual([
      200,
      {
        source: 'RULES',
        companies: [
          { name: 'Fjordline', accountId: id, confidence: 1 },
          { name: 'Acme Pumps GmbH', accountId: null, confidence: 0.9 },
          { name: 'Bergen Shipping', accountId: null, confidence: 0.5 },
        ],
        artifacts: [
          { type: 'LIST', title: 'one', start: 79, end: 90 },
          { type: 'CODE', title: '', start: 91, end: content.length },
        ],
      },
    ])
  })
})
