import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, aLine, quote, supportCase } from '../builders.ts'
import { usePlatform, type Member } from '../platform.ts'
import { aSecondProcess, type Process } from '../processes.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient, type RestClient } from '../rest-client.ts'
import { longestWaitDuring, type WatchedRequest } from './watchdog.ts'

/** Longest time that a request may wait because of another tenant, in milliseconds. */
const allowedMs = 250

const platform = usePlatform()
let server: Process
let attacker: Member
let attack: RestClient
let watchedRequest: WatchedRequest

beforeAll(async () => {
  attacker = await platform.member()
  const other = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  const { id } = await account(other)
  server = await aSecondProcess(platform)
  await server.start()
  attack = restClient(platform.contract, server.url, attacker.headers)
  watchedRequest = { url: `${server.url}/v1/accounts/${id}`, headers: other.headers }
})
afterAll(() => server.kill())

async function expectNoLongWait(run: () => Promise<unknown>): Promise<void> {
  const waits = await longestWaitDuring(watchedRequest, run, allowedMs)
  expect(waits.failed).toBe(0)
  expect(waits.longestMs).toBeLessThanOrEqual(waits.allowedMs)
}

/** Two hundred comments of the maximum length, each with four thousand different words. */
async function caseWithLongComments(): Promise<string> {
  const { id } = await supportCase(attacker)
  await platform.query(
    `insert into support.case_comment (id, organization_id, case_id, body, author_type, created_at)
     select gen_random_uuid(), $1, $2, left(words, 20000), 'USER', now() from generate_series(1, 200) comment,
       lateral (select string_agg(substr(md5(comment || ' ' || word), 1, 3), '. ') as words from generate_series(1, 4000) word) w`,
    [attacker.organizationId, id],
  )
  return id as string
}

describe('another tenant is not delayed', () => {
  it('by summaries of cases of the maximum size', async () => {
    const id = await caseWithLongComments()
    await expectNoLongWait(async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => attack.caseSummarize!({ id })))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
    })
  })

  it('by PDFs of the longest quote, in as many characters as possible', async () => {
    const text = (length: number, seed: number) =>
      Array.from({ length }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7 + seed * 131) % 20_000))).join('')
    const lineItems = Array.from({ length: 200 }, (_, line) =>
      aLine({ name: text(255, line), sku: text(100, line + 5), description: text(1000, line + 9) }),
    )
    const { id } = await quote(attacker, { name: text(255, 1), terms: text(20_000, 3), lineItems })
    await expectNoLongWait(async () => {
      const answers = await Promise.all(Array.from({ length: 3 }, () => attack.quoteDocument!({ id })))
      // A busy machine may refuse one that has waited too long.
      expect(answers.map(({ status }) => status)).toContain(200)
      expect(answers.filter(({ status }) => ![200, 429, 503].includes(status))).toEqual([])
    })
  })

  it('by engagement scores of the largest bodies', async () => {
    const session = { Authorization: `Bearer ${await sessionOf(platform, attacker)}` }
    const note = 'x'.repeat(1_048_576 - 100)
    const body = JSON.stringify({ entities: [{ id: 'a', type: 'ACCOUNT', properties: { note } }] })
    const headers = { ...session, 'content-type': 'application/json' }
    const score = async () => {
      const answer = await fetch(`${server.url}/v1/iris-rank/score`, { method: 'POST', headers, body })
      await answer.arrayBuffer()
      return answer.status
    }
    await expectNoLongWait(async () => {
      const statuses = await Promise.all(Array.from({ length: 4 }, score))
      expect(statuses).toContain(200)
      expect(statuses.filter((status) => ![200, 429].includes(status))).toEqual([])
    })
  })

  it('by the most expensive business hours that are allowed', async () => {
    const span = (hour: number) => [`0${hour}:00`, `0${hour}:01`]
    const weekdays = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN']
    const businessHours = {
      timezone: 'America/Sao_Paulo',
      days: Object.fromEntries(weekdays.map((day) => [day, Array.from({ length: 10 }, (_, hour) => span(hour))])),
      holidays: Array.from({ length: 1000 }, (_, day) =>
        new Date(Date.UTC(2026, 0, 1 + 3 * day)).toISOString().slice(0, 10),
      ),
    }
    await platform.query('update identity.organization set settings = $2 where id = $1', [
      attacker.organizationId,
      JSON.stringify({ businessHours }),
    ])
    await expectNoLongWait(async () => {
      const body = { subject: 'Due', priority: 'LOW' }
      const answers = await Promise.all(Array.from({ length: 20 }, () => attack.caseCreate!({ body })))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
    })
  })
})
