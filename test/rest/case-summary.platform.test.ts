import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import type { Summarizable } from '../../subgraphs/kernel/language-model/extractive-summary.ts'
import type { LanguageModel } from '../../subgraphs/kernel/language-model/language-model.ts'
import { each, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let asked: Summarizable[]
/** Number of transactions that were open during the call to the model. */
let open: number[]
let during: () => Promise<unknown>
let answer: (text: Summarizable) => string

beforeAll(async () => {
  member = await platform.member()
  const languageModel: LanguageModel = {
    async *stream({ messages }) {
      const text = JSON.parse(messages.at(-1)!.content) as Summarizable
      asked.push(text)
      const [row] = await platform.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      )
      open.push(row!.count)
      await during()
      yield { kind: 'text', text: answer(text) }
      yield {
        kind: 'end',
        model: 'scripted',
        reason: 'stop',
        usage: { inputTokens: 9, outputTokens: 3, isEstimated: false },
      }
    },
  }
  // Subgraphs keep the object that they were given.
  Object.assign(platform.services.languageModel, languageModel)
})

beforeEach(() => {
  asked = []
  open = []
  during = () => Promise.resolve()
  answer = ({ passages }) => JSON.stringify({ summary: passages.join(' '), keyPoints: [] })
})

const aKey = () => ({ 'Idempotency-Key': newId() })
const anyHeaders: [string, () => Record<string, string>][] = [
  ['with an Idempotency-Key', aKey],
  ['without', () => ({})],
]

describe('caseSummarize', () => {
  it.each(anyHeaders)('calls the language model outside of a transaction, %s', async (_, headersOf) => {
    const { id } = await supportCase(member, { description: 'Paper jam.' })
    const headers = headersOf()
    const { status, body } = await member.rest.caseSummarize!({ id, headers })
    expect([status, body.summary, open]).toEqual([200, 'Paper jam.', [0]])
    const again = await member.rest.caseSummarize!({ id, headers })
    const isReplay = 'Idempotency-Key' in headers
    expect([again.body, again.headers.get('idempotent-replayed'), open]).toEqual([
      isReplay ? body : { ...body, basedOnVersion: 3 },
      isReplay ? 'true' : null,
      isReplay ? [0] : [0, 0],
    ])
  })

  it('reads the newest two hundred comments, oldest first', async () => {
    const { id } = await supportCase(member, { description: 'Paper jam.' })
    const bodies = Array.from({ length: 201 }, (_, index) => `Reply ${index}.`)
    await each(bodies, (body) => member.rest.caseCommentCreate!({ id, body: { body } }))
    await member.rest.caseSummarize!({ id })
    expect(asked[0]!.passages).toEqual(['Paper jam.', ...bodies.slice(1)])
  })

  it('reads whole comments, the newest first, up to 100,000 characters with the description', async () => {
    const { id } = await supportCase(member, { description: 'd'.repeat(20_000) })
    const bodies = [...'abcde'].map((letter, index) => letter.repeat(index === 1 ? 19_999 : 20_000))
    await each(bodies, (body) => member.rest.caseCommentCreate!({ id, body: { body } }))
    await member.rest.caseSummarize!({ id })
    expect(asked[0]!.passages.map((passage) => passage[0])).toEqual(['d', 'b', 'c', 'd', 'e'])
  })

  it.each(anyHeaders)(
    'calls the model once for a case that changes meanwhile, whose version then shows that the summary is outdated, %s',
    async (_, headersOf) => {
      const { id } = await supportCase(member, { description: 'First.' })
      during = async () => {
        expect((await member.rest.caseUpdate!({ id, body: { description: 'Second.' } })).status).toBe(200)
      }
      const { status, body } = await member.rest.caseSummarize!({ id, headers: headersOf() })
      expect([status, body.summary, body.basedOnVersion]).toEqual([200, 'First.', 2])
      expect([asked.map(({ passages }) => passages), open]).toEqual([[['First.']], [0]])
      const read = (await member.rest.case!({ id })).body
      expect([read.description, read.version]).toEqual(['Second.', 3])
      expect([read.aiSummary.summary, read.aiSummary.basedOnVersion]).toEqual(['First.', 2])
    },
  )

  it('keeps concurrent changes of other fields', async () => {
    const { id } = await supportCase(member, { description: 'Same.' })
    during = () => member.rest.caseUpdate!({ id, body: { priority: 'URGENT' } })
    expect((await member.rest.caseSummarize!({ id })).status).toBe(200)
    const { body } = await member.rest.case!({ id })
    expect([body.priority, body.aiSummary.summary, asked.length]).toEqual(['URGENT', 'Same.', 1])
  })

  it('calls the model once for a case that is deleted meanwhile, and writes nothing', async () => {
    const { id } = await supportCase(member, { description: 'Gone.' })
    during = () => member.rest.caseDelete!({ id })
    const { status, body } = await member.rest.caseSummarize!({ id, headers: aKey() })
    expect([status, body.code, asked.length]).toEqual([404, 'NOT_FOUND', 1])
    const events = await platform.eventsOf(id as string)
    expect(events.map(({ type }) => type)).toEqual(['case.created', 'case.deleted'])
  })

  it('writes once for two concurrent requests with one Idempotency-Key', async () => {
    const { id } = await supportCase(member, { description: 'Twice.' })
    const headers = aKey()
    let second: unknown
    during = async () => {
      during = () => Promise.resolve()
      second = (await member.rest.caseSummarize!({ id, headers })).body
    }
    const first = await member.rest.caseSummarize!({ id, headers })
    expect([first.body, first.headers.get('idempotent-replayed'), asked.length]).toEqual([second, 'true', 2])
    expect((await platform.eventsOf(id as string)).map(({ type }) => type)).toEqual(['case.created', 'case.updated'])
  })

  it('reports a failure of the language model as INTERNAL, and does not store the response for the key', async () => {
    const { id } = await supportCase(member)
    const headers = aKey()
    during = () => Promise.reject(new Error('the model is unavailable'))
    const failed = await member.rest.caseSummarize!({ id, headers })
    expect([failed.status, failed.body.code]).toEqual([500, 'INTERNAL'])
    during = () => Promise.resolve()
    expect((await member.rest.caseSummarize!({ id, headers })).status).toBe(200)
  })
})
