import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { concurrentMax } from '../../subgraphs/kernel/language-model/limited-model.ts'
import { ChatServer, type ChatReply } from '../../subgraphs/kernel/language-model/chat-server.fixture.ts'
import { readUntil } from '../assistant/frames.ts'
import { account } from '../builders.ts'
import { Platform, type Member } from '../platform.ts'
import { fillLongAccounts } from './isolation.fixture.ts'

const users = 20
const conversationsOfUser = 5
const samples = 20
/** Far above what a request takes, in milliseconds; without the limits it waits for all of the others. */
const p95Max = 1_500
/** Other work on the machine may disturb a round. */
const roundsMax = 3

const server = new ChatServer()
const waiting: ChatReply[] = []
let platform: Platform
let attackers: readonly Member[]
let conversations: readonly (readonly [Member, string])[]
let other: Member
let otherConversation: string
let otherAccount: string

beforeAll(async () => {
  platform = new Platform({ MODEL_URL: await server.start(), MODEL_NAME: 'writer-1', OUTBOUND_ALLOW: '127.0.0.0/8' })
  await platform.open()
  const organizationId = await platform.organization('Busy')
  attackers = await Promise.all(Array.from({ length: users }, () => platform.member({ organizationId })))
  const parent = await account(attackers[0]!, { name: 'Parent' })
  await fillLongAccounts(platform, attackers[0]!, 5_000, parent.id as string)
  const begun = attackers.flatMap((member) =>
    Array.from({ length: conversationsOfUser }, async () => [member, await begin(member)] as const),
  )
  conversations = await Promise.all(begun)
  other = await platform.member({ organizationId: await platform.organization('Quiet') })
  otherAccount = (await account(other, { name: 'Fjordline' })).id as string
  otherConversation = await begin(other)
  server.answer = (reply, asked) => {
    if (asked.messages.at(-1)!.content === 'Hold') waiting.push(reply.text('Wait '))
    else reply.text('Done.').end()
  }
})
afterAll(async () => {
  await platform.close()
  server.stop()
})

const begin = async (member: Member): Promise<string> =>
  (await member.rest.conversationCreate!({ body: {} })).body.id as string

/** The 95th percentile of what a user of another organization waits for a record, an answer by rules and one of the model. */
async function p95OfOther(): Promise<number> {
  const times: number[] = []
  const ask = (mode: string) => ({ id: otherConversation, body: { content: 'How many accounts?', mode } })
  for (let sample = 0; sample < samples; sample++)
    for (const [send, status] of [
      [() => other.rest.account!({ id: otherAccount }), 200],
      [() => other.rest.conversationSend!(ask('local')), 201],
      ...(sample === 0 ? [[() => other.rest.conversationSend!(ask('model')), 201] as const] : []),
    ] as const) {
      const began = performance.now()
      expect((await send()).status).toBe(status)
      times.push(performance.now() - began)
    }
  return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)]!
}

/** The smallest p95 of a few rounds. */
async function p95During(attack: () => Promise<unknown>): Promise<number> {
  const rounds: number[] = []
  while (rounds.length < roundsMax && !rounds.some((ms) => ms < p95Max)) {
    const attacked = attack()
    rounds.push(await p95OfOther())
    await attacked
  }
  return Math.min(...rounds)
}

describe('a hundred conversations of one organization at the same time', () => {
  it('have eight answers of a model and precise refusals, of which nothing is stored, while others are answered', async () => {
    const answers = await Promise.all(
      conversations.map(([member, id]) =>
        fetch(`${platform.url}/v1/conversations/${id}/messages/stream`, {
          method: 'POST',
          headers: { ...member.headers, 'content-type': 'application/json' },
          body: JSON.stringify({ content: 'Hold', mode: 'model' }),
        }),
      ),
    )
    const started = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status !== 200)
    expect([started.length, refused.length]).toEqual([concurrentMax, conversations.length - concurrentMax])
    for (const answer of refused)
      expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toMatchObject([
        503,
        '1',
        { code: 'UNAVAILABLE', detail: expect.stringContaining('busy with other requests of the organization') },
      ])
    expect(await p95OfOther()).toBeLessThan(p95Max)
    await expect.poll(() => waiting.length).toBe(concurrentMax)
    for (const reply of waiting.splice(0)) reply.text('over.').end()
    await Promise.all(started.map((answer) => readUntil(answer, 'done')))
    const stored = await platform.query(
      `select role, status, count(*)::int from assistant.message where organization_id = $1 group by 1, 2 order by 1`,
      [attackers[0]!.organizationId],
    )
    expect(stored).toEqual([
      { role: 'ASSISTANT', status: 'COMPLETED', count: concurrentMax },
      { role: 'USER', status: 'COMPLETED', count: concurrentMax },
    ])
    const again = await Promise.all(
      conversations
        .slice(0, 4)
        .map(([member, id]) => member.rest.conversationSend!({ id, body: { content: 'Again' } })),
    )
    expect(again.map(({ status, body }) => `${status} ${body.content}`)).toEqual(Array(4).fill('201 Done.'))
  })

  it('that ask the rules are all answered or told to wait, while others are answered', async () => {
    const statuses = new Map<number, number>()
    const attack = () =>
      Promise.all(
        conversations.map(async ([member, id]) => {
          for (const content of ['How many accounts are there?', 'Who owns Halvorsen Marine Holding?']) {
            const { status, body } = await member.rest.conversationSend!({ id, body: { content, mode: 'local' } })
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            if (status === 201) expect(body.status).toBe('COMPLETED')
            else expect([status, body.retryAfter ?? body.code]).toEqual([status, expect.anything()])
          }
        }),
      )
    expect(await p95During(attack)).toBeLessThan(p95Max)
    expect([...statuses.keys()].filter((status) => ![201, 429, 503].includes(status))).toEqual([])
    expect(statuses.get(201)).toBeGreaterThan(0)
  })
})
