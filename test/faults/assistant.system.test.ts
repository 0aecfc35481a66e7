import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { ChatServer } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { framesOf, readUntil } from '../assistant/frames.ts'
import { account } from '../builders.ts'
import { Platform, type Member } from '../platform.ts'
import { aSecondProcess, type Process } from '../processes.ts'
import { restClient } from '../rest-client.ts'
import { aWorker, patience } from './killed-worker.ts'

const slowly = { timeout: 300_000 }
const chat = new ChatServer()
let platform: Platform
let member: Member
let model: Readonly<Record<string, string>>

beforeAll(async () => {
  model = { MODEL_URL: await chat.start(), MODEL_NAME: 'writer-1', OUTBOUND_ALLOW: '127.0.0.0/8' }
  platform = new Platform(model)
  await platform.open()
  // The processes have the clock of the machine.
  platform.now = new Date()
  member = await platform.member({ organizationId: await platform.organization('Killed') })
})
afterAll(async () => {
  await platform.close()
  chat.stop()
})

async function aServer(): Promise<Process> {
  const server = await aSecondProcess(platform, model)
  onTestFinished(() => server.kill())
  await server.start()
  return server
}
const requestsTo = (server: Process) => restClient(platform.contract, server.url, member.headers)

describe('a server that is killed while an answer streams', slowly, () => {
  it('leaves the text until then as a FAILED answer when the lease is over; the next message works, and a repetition costs nothing', async () => {
    const server = await aServer()
    const { id } = (await member.rest.conversationCreate!({ body: {} })).body
    const headers = { ...member.headers, 'content-type': 'application/json', 'Idempotency-Key': newId() }
    const stream = (url: string) =>
      fetch(`${url}/v1/conversations/${id}/messages/stream`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ content: 'How many?' }),
      })
    const messages = async () => (await member.rest.conversation!({ id })).body.messages as Record<string, unknown>[]
    const tokens = async () =>
      (
        await platform.query<{ tokens: number }>(
          'select sum(tokens)::int as tokens from kernel.model_tokens where user_id = $1',
          [member.userId],
        )
      )[0]!.tokens
    chat.answer = (reply) => reply.text('Twelve ', 'deals ')
    await readUntil(await stream(server.url), 'token')
    await vi.waitFor(async () => expect((await messages())[1]!['content']).toBe('Twelve deals '), patience)
    await server.kill()

    expect((await messages())[1]!['status']).toBe('RUNNING')
    expect((await member.rest.conversationSend!({ id, body: { content: 'More?' } })).body.code).toBe(
      'CONVERSATION_BUSY',
    )
    platform.now = new Date(Date.now() + 90_001)
    const interrupted = { status: 'FAILED', errorCode: 'INTERRUPTED', content: 'Twelve deals ' }
    expect((await messages())[1]).toMatchObject(interrupted)
    const [charged, asked] = [await tokens(), chat.asked.length]
    expect(charged).toBeGreaterThan(0)
    const repeated = await framesOf(await stream(platform.url))
    expect(repeated.map(({ event }) => event)).toEqual(['start', 'token', 'error'])
    expect([await tokens(), chat.asked.length]).toEqual([charged, asked])

    chat.answer = (reply) => reply.text('Twelve.').end()
    const next = await member.rest.conversationSend!({ id, body: { content: 'More?' } })
    expect([next.status, next.body.content]).toEqual([201, 'Twelve.'])
    expect((await messages()).map(({ status }) => status)).toEqual(['COMPLETED', 'FAILED', 'COMPLETED', 'COMPLETED'])
    // 12 tokens of the question and 7 of the answer, as the provider says.
    expect(await tokens()).toBe(charged + 19)
  })
})

describe('a server that is killed while proposals are confirmed', slowly, () => {
  it('has made each change once when they are confirmed again', async () => {
    const { id: conversation } = (await member.rest.conversationCreate!({ body: {} })).body
    const propose = async (content: string) => {
      const sent = await member.rest.conversationSend!({ id: conversation, body: { content, mode: 'local' } })
      return sent.body.toolCalls[0].output.proposalId as string
    }
    const server = await aServer()
    for (const afterMs of [0, 15, 40, 90]) {
      const name = `Yard ${afterMs}`
      const accounts: string[] = []
      const proposals: string[] = []
      for (let index = 0; index < 6; index++) {
        const { id, version } = await account(member, { name: `${name} ${index} North` })
        expect(version).toBe(1)
        accounts.push(id as string)
        proposals.push(await propose(`set the phone of "${name} ${index} North" to 555 01${index}`))
        proposals.push(await propose(`create a task to paint "${name} ${index} North"`))
      }
      if (afterMs > 0) await server.start()
      const sent = Promise.allSettled(proposals.map((id) => requestsTo(server).proposalConfirm!({ id })))
      await new Promise((resolve) => setTimeout(resolve, afterMs))
      await server.kill()
      await sent
      for (const id of proposals)
        await vi.waitFor(async () => {
          await member.rest.proposalConfirm!({ id })
          expect((await member.rest.proposal!({ id })).body.status).toBe('CONFIRMED')
        }, patience)
      for (const [index, id] of accounts.entries()) {
        expect((await member.rest.account!({ id })).body).toMatchObject({ phone: `555 01${index}`, version: 2 })
        const changes = (await platform.eventsOf(id)).filter(({ type }) => type === 'account.updated')
        expect(changes).toHaveLength(1)
      }
      const tasks = await member.rest.taskList!({ query: { search: `Paint "${name}` } })
      expect(tasks.body.total).toBe(6)
    }
  })
})

describe('a worker that is killed while it reads a document', slowly, () => {
  it('leaves it to the next one, which reads it once', async () => {
    const lines = Array.from({ length: 8_000 }, (_, index) => `Pump ${index} stands in yard ${index % 97} since May.`)
    const body = { name: 'pumps.txt', isShared: true, content: Buffer.from(lines.join('\n')).toString('base64') }
    const { status, body: created } = await member.rest.knowledgeDocumentCreate!({ body })
    expect(status, JSON.stringify(created)).toBe(201)
    const { id } = created
    const worker = await aWorker(platform)
    const run = async () =>
      (
        await platform.query<{ attempts: number; isLeased: boolean }>(
          'select attempts, lease_token is not null as "isLeased" from assistant.document_run where document_id = $1',
          [id],
        )
      )[0]!
    for (let attempt = 1; attempt <= 2; attempt++) {
      await worker.start('assistant.forgetUploads')
      await vi.waitFor(async () => expect(await run()).toEqual({ attempts: attempt, isLeased: true }), patience)
      await worker.kill()
      expect((await member.rest.knowledgeDocument!({ id })).body.status).toBe('PROCESSING')
      // The lease ends.
      await platform.query(`update assistant.document_run set next_attempt_at = now() where state = 'QUEUED'`)
    }
    await worker.start('assistant.forgetUploads')
    const read = async () => (await member.rest.knowledgeDocument!({ id })).body
    await vi.waitFor(async () => expect((await read()).status).toBe('READY'), patience)
    await worker.kill()
    const [stored] = await platform.query(
      `select count(*)::int as passages, count(distinct position)::int as positions, sum(words)::int as words,
         (select passages from assistant.document_corpus where organization_id = $1)::int as "corpusPassages",
         (select words from assistant.document_corpus where organization_id = $1)::int as "corpusWords",
         (select passages from assistant.document_term where organization_id = $1 and lexeme = 'pump')::int as "ofWord"
       from assistant.document_passage where organization_id = $1`,
      [member.organizationId],
    )
    const { passageCount } = await read()
    expect(passageCount).toBeGreaterThan(100)
    const words = stored!['words']
    expect(words).toBe(8_000 * 8)
    expect(stored).toEqual({
      passages: passageCount,
      positions: passageCount,
      words,
      corpusPassages: passageCount,
      corpusWords: words,
      ofWord: passageCount,
    })
  })
})

describe('a worker that is killed while it executes AI workflows', slowly, () => {
  it('leaves them to the next one, and each action is taken once', async () => {
    const owner = await platform.member({ organizationId: await platform.organization('Workflows'), role: 'OWNER' })
    const actions = [1, 2, 3, 4, 5].map((number) => ({
      type: 'CREATE_TASK',
      config: { subject: `${number} for {{record.lastName}}` },
    }))
    const body = { name: 'Qualify', eventType: 'lead.created', prompt: 'Summarize.', actions }
    expect((await owner.rest.aiTriggerCreate!({ body })).status).toBe(201)
    const names = Array.from({ length: 8 }, (_, index) => `Lead${index}`)
    for (const lastName of names) await owner.rest.leadCreate!({ body: { lastName, company: 'Halvorsen Marine AS' } })
    const subjects = async () =>
      (
        await platform.query<{ subject: string }>('select subject from crm.task where organization_id = $1', [
          owner.organizationId,
        ])
      ).map(({ subject }) => subject)
    const worker = await aWorker(platform)
    for (const reached of [3, 17, 31]) {
      await worker.start('assistant.endLostExecutions')
      await vi.waitFor(async () => expect((await subjects()).length).toBeGreaterThanOrEqual(reached), patience)
      await worker.kill()
      // The leases end.
      await platform.query(`update assistant.ai_run set next_attempt_at = now() where state = 'QUEUED'`)
    }
    await worker.start('assistant.endLostExecutions')
    const statuses = async () =>
      (
        await platform.query<{ status: string }>(
          'select distinct status from assistant.ai_execution where organization_id = $1',
          [owner.organizationId],
        )
      ).map(({ status }) => status)
    await vi.waitFor(async () => expect(await statuses()).toEqual(['SUCCEEDED']), patience)
    await worker.kill()
    const wanted = names.flatMap((name) => [1, 2, 3, 4, 5].map((number) => `${number} for ${name}`))
    expect((await subjects()).toSorted()).toEqual(wanted.toSorted())
  })
})
