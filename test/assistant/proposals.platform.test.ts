import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { assignProfile, createProfile } from '../../subgraphs/identity/profile/profile.actions.ts'
import { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account } from '../builders.ts'
import { Platform, type Member } from '../platform.ts'
import { answered, type Call } from './answered.fixture.ts'
import { framesOf } from './frames.ts'

const server = new ChatServer()
let platform: Platform
let ann: Member
let accountId: string

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
  ann = await platform.member()
  accountId = (await account(ann, { name: 'Halvorsen Marine', industry: 'SHIPPING' })).id
})

const told = (content: string, calls: readonly Call[], member = ann) => answered(server, member, content, calls)

const update = (input: object, id = accountId): Call => [
  'propose_change',
  { action: 'update', object: 'account', id, input },
]
const create = (input: object): Call => ['propose_change', { action: 'create', object: 'task', input }]
const proposed = async (call: Call): Promise<string> => {
  const { results } = await told('Change Halvorsen Marine as we said', [call])
  expect(results).toMatchObject([{ status: 'PENDING' }])
  return results[0]!['proposalId'] as string
}
const read = async () => (await ann.rest.account!({ id: accountId })).body

describe('a proposal', () => {
  it('changes nothing until its user confirms it, and then once', async () => {
    const before = await read()
    const { id, answer, results } = await told('Set the website of Halvorsen Marine', [
      ['search', { text: 'Halvorsen' }],
      update({ description: 'New' }),
    ])
    const proposalId = results[1]!['proposalId'] as string
    expect(answer.toolCalls[1]).toMatchObject({ name: 'propose_change', output: { rows: 0, proposalId }, status: 'OK' })
    const { status, body } = await ann.rest.proposal!({ id: proposalId })
    expect([status, body]).toMatchObject([
      200,
      {
        conversationId: id,
        mutation: 'accountUpdate',
        entityType: 'ACCOUNT',
        recordId: accountId,
        input: { description: 'New' },
        before: { description: null },
        expectedVersion: before.version,
        summary: 'Update account Halvorsen Marine: description',
        status: 'PENDING',
        influencedBy: [{ entityType: 'ACCOUNT', entityId: accountId }],
      },
    ])
    expect(await read()).toEqual(before)
    const confirmed = await ann.rest.proposalConfirm!({ id: proposalId })
    expect([confirmed.status, confirmed.body.status]).toEqual([200, 'CONFIRMED'])
    const after = await read()
    expect([after.description, after.version]).toEqual(['New', before.version + 1])
    const event = (await platform.eventsOf(accountId)).find(({ type }) => type === 'account.updated')
    expect(event!.actorId).toBe(ann.userId)
    const again = await ann.rest.proposalConfirm!({ id: proposalId })
    expect([again.status, again.body.code]).toEqual([409, 'INVALID_STATE'])
    expect((await ann.rest.proposalReject!({ id: proposalId })).status).toBe(409)
    expect((await read()).version).toBe(after.version)
    const list = await ann.rest.proposalList!({ query: { status: 'CONFIRMED' } })
    expect(list.body.map((one: { id: string }) => one.id)).toEqual([proposalId])
  })

  it('is tried with its change and the events of it, and stays as it was', async () => {
    const id = await proposed(update({ description: 'Tried' }))
    await platform.settled()
    const before = await platform.fingerprint(ann.organizationId)
    const tried = await ann.rest.proposalConfirm!({ id, headers: { Prefer: 'dry-run' } })
    expect([tried.status, tried.body.status]).toEqual([200, 'CONFIRMED'])
    expect(tried.headers.get('dry-run-events')).toBe(`"account.updated";id="${accountId}"`)
    await platform.settled()
    expect(await platform.fingerprint(ann.organizationId)).toBe(before)
    await ann.rest.accountUpdate!({ id: accountId, body: { description: 'Meanwhile' } })
    const stale = await ann.rest.proposalConfirm!({ id, headers: { Prefer: 'dry-run' } })
    expect([stale.status, stale.body.code]).toEqual([409, 'VERSION_CONFLICT'])
    expect((await ann.rest.proposal!({ id })).body.status).toBe('PENDING')
  })

  it('is in the frame of its tool', async () => {
    server.answer = (reply, asked) =>
      asked.messages.at(-1)!.role === 'tool'
        ? reply.text('Done.').end()
        : reply.call(create({ subject: 'Call' })[0], create({ subject: 'Call' })[1]).end('tool_calls')
    const { id } = (await ann.rest.conversationCreate!({ body: {} })).body
    const response = await fetch(`${platform.url}/v1/conversations/${id}/messages/stream`, {
      method: 'POST',
      headers: { ...ann.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'Remind me to call' }),
    })
    const frames = (await framesOf(response)).filter(({ event }) => event === 'tool')
    const { body } = await ann.rest.proposalList!()
    expect(frames.at(-1)!.data).toMatchObject({ status: 'OK', rows: 0, proposalId: body[0].id })
  })

  it('is confirmed once by several confirmations at the same time, by a key with a replay, and after a process was killed', async () => {
    const id = await proposed(create({ subject: 'Call the yard' }))
    const key = { 'Idempotency-Key': newId() }
    const answers = await Promise.all([
      ann.rest.proposalConfirm!({ id, headers: key }),
      ann.rest.proposalConfirm!({ id }),
      ann.rest.proposalConfirm!({ id }),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1)
    expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(2)
    const tasks = async () => (await ann.rest.taskList!({ query: { search: 'Call the yard' } })).body
    expect((await tasks()).total).toBe(1)
    // As if the process had been killed after the change and before it was recorded; the hour is over meanwhile.
    await platform.query(`update assistant.proposal set status = 'PENDING', decided_at = null where id = $1`, [id])
    platform.advanceClock(3_700_000)
    const again = await ann.rest.proposalConfirm!({ id })
    expect([again.status, again.body.status]).toEqual([200, 'CONFIRMED'])
    expect(await tasks()).toMatchObject({ total: 1, data: [{ id: again.body.recordId }] })
  })

  it('is STALE when the record was changed meanwhile', async () => {
    const id = await proposed(update({ description: 'Mine' }))
    await ann.rest.accountUpdate!({ id: accountId, body: { description: 'Theirs' } })
    const refused = await ann.rest.proposalConfirm!({ id })
    expect([refused.status, refused.body.code]).toEqual([409, 'VERSION_CONFLICT'])
    expect((await ann.rest.proposal!({ id })).body).toMatchObject({ status: 'STALE', errorCode: 'VERSION_CONFLICT' })
    expect((await read()).description).toBe('Theirs')
    expect((await ann.rest.proposalConfirm!({ id })).body.code).toBe('INVALID_STATE')
  })

  it('expires after an hour, and can be rejected', async () => {
    const before = await read()
    const [late, rejected] = [
      await proposed(update({ description: 'A' })),
      await proposed(update({ description: 'B' })),
    ]
    expect((await ann.rest.proposalReject!({ id: rejected })).body.status).toBe('REJECTED')
    platform.advanceClock(3_600_001)
    expect((await ann.rest.proposal!({ id: late })).body.status).toBe('EXPIRED')
    const answers = [
      await ann.rest.proposalConfirm!({ id: late }),
      await ann.rest.proposalReject!({ id: late }),
      await ann.rest.proposalConfirm!({ id: rejected }),
    ]
    for (const { status, body } of answers) expect([status, body.code]).toEqual([409, 'INVALID_STATE'])
    expect(await read()).toEqual(before)
  })

  it('is FAILED when the change is refused', async () => {
    const before = await read()
    const id = await proposed(update({ name: '' }))
    expect((await ann.rest.proposalConfirm!({ id })).status).toBe(400)
    expect((await ann.rest.proposal!({ id })).body).toMatchObject({ status: 'FAILED', errorCode: 'VALIDATION_FAILED' })
    expect(await read()).toEqual(before)
  })

  it('is not found by others, also not by an owner or another organization', async () => {
    const id = await proposed(update({ description: 'A' }))
    const others = [
      await platform.member({ role: 'OWNER' }),
      await platform.member({ organizationId: await platform.organization('Other') }),
    ]
    for (const other of others) {
      const answers = [
        other.rest.proposal!({ id }),
        other.rest.proposalConfirm!({ id }),
        other.rest.proposalReject!({ id }),
      ]
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([404, 404, 404])
      expect((await other.rest.proposalList!()).body).toEqual([])
    }
    expect((await ann.rest.proposal!({ id })).body.status).toBe('PENDING')
  })

  it('concerns only records that the user has named, after texts of records were read', async () => {
    const { id: otherId } = await account(ann, { name: 'Fjordline' })
    const { results } = await told('Which accounts are there?', [
      ['search', { text: 'Halvorsen' }],
      update({ description: 'Paid' }),
      update({ description: 'Paid' }, otherId),
      create({ subject: 'Call', accountId }),
    ])
    expect(results.slice(1).map((one) => String(one['error']))).toEqual([
      expect.stringContaining('user has named'),
      expect.stringContaining('user has named'),
      expect.stringMatching(/user has named|no field/),
    ])
    expect((await ann.rest.proposalList!()).body).toEqual([])
  })

  it.each<[string, Call]>([
    ['a deletion', ['propose_change', { action: 'delete', object: 'account', id: newId(), input: {} }]],
    ['a user', ['propose_change', { action: 'create', object: 'user', input: { email: 'eve@evil.example' } }]],
    ['a field of the platform', create({ subject: 'Call', organizationId: newId() })],
    ['no field', create({})],
    ['an unknown record', update({ description: 'A' }, newId())],
    ['a prototype', ['propose_change', { action: 'create', object: '__proto__', input: { subject: 'A' } }]],
    ['a deep input', create(JSON.parse(`${'{"a":'.repeat(100)}1${'}'.repeat(100)}`) as object)],
    ['a large input', create({ subject: 'A', description: 'x'.repeat(30_000) })],
    ['a confirmation', ['confirm_change', { proposalId: newId() }]],
  ])('cannot be %s', async (_, call) => {
    const { results } = await told('Do it', [call])
    expect(results).toEqual([{ error: expect.any(String) }])
    expect((await ann.rest.proposalList!()).body).toEqual([])
  })

  it('needs the rights for the change, and hides what its user may no longer see', async () => {
    const { organizationId } = ann
    const reader = await platform.member({ organizationId, role: 'READ_ONLY' })
    const { results } = await told('Change Halvorsen Marine', [update({ description: 'A' })], reader)
    expect(results).toEqual([{ error: expect.stringContaining('READ_ONLY') }])
    const id = await proposed(update({ industry: 'FISHING' }))
    expect((await ann.rest.proposal!({ id })).body.before).toEqual({ industry: 'SHIPPING' })
    const ctx = systemContext(platform.services, organizationId)
    const profile = await createProfile(ctx, {
      name: 'No industry',
      fields: { account: { industry: 'HIDDEN' } } as never,
    })
    await assignProfile(ctx, ann.userId, profile.id)
    expect((await ann.rest.proposal!({ id })).body).toMatchObject({ before: null, influencedBy: [] })
    const refused = await ann.rest.proposalConfirm!({ id })
    expect([refused.status, refused.body.code]).toEqual([403, 'FIELD_NOT_WRITABLE'])
    const [row] = await platform.query<{ industry: string }>('select industry from crm.account where id = $1', [
      accountId,
    ])
    expect(row!.industry).toBe('SHIPPING')
  })
})
