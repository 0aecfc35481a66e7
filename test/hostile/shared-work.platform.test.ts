import { beforeAll, describe, expect, it } from 'vitest'
import { aLine, quote } from '../builders.ts'
import { mailsTo } from '../mailbox.ts'
import { longestTurnDuring } from './longest-turn.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let attacker: Member
let other: Member
let longQuote: string
let shortQuote: string
let link: string

beforeAll(async () => {
  attacker = await platform.member()
  other = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  const lineItems = Array.from({ length: 200 }, (_, at) =>
    aLine({ name: `Berth ${at}`, description: 'x '.repeat(200) }),
  )
  longQuote = (await quote(attacker, { lineItems })).id as string
  shortQuote = (await quote(other, { lineItems: [aLine()] })).id as string
  await attacker.rest.quoteSend!({ id: longQuote, body: { to: 'reader@customer.example' } })
  const [mail] = await mailsTo(platform, 'reader@customer.example')
  link = /http\S+\/v1\/public\/quotes\/[\w-]{43}/.exec(mail!.text)![0]
})

const pdf = (member: Member, id: string) => member.rest.quoteDocument!({ id })

describe('the worker threads', () => {
  it('lay out eight PDFs of 200 lines that are wanted at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => pdf(attacker, longQuote)))
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200))
  })

  it('serve another organization before the rest of what one user and the readers of a link want', async () => {
    const ended: string[] = []
    const note = async <T>(name: string, answer: Promise<T>): Promise<T> => answer.finally(() => ended.push(name))
    const ofUser = Array.from({ length: 8 }, () => note('user', pdf(attacker, longQuote)))
    const ofReaders = Array.from({ length: 12 }, () => note('reader', fetch(`${link}/document`)))
    // The attack has begun when its first request is answered.
    await Promise.race([...ofUser, ...ofReaders])
    const from = ended.length
    expect((await note('other', pdf(other, shortQuote))).status).toBe(200)
    expect(ended.slice(from).filter((name) => name === 'user').length).toBeLessThanOrEqual(3)
    const statuses = (await Promise.all(ofReaders)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 429]))
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5)
    const refused = await Promise.all(ofReaders).then((all) => all.filter(({ status }) => status === 429))
    expect(refused.map(({ headers }) => Number(headers.get('retry-after')) >= 1)).toEqual(refused.map(() => true))
    expect((await Promise.all(ofUser)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  })
})

describe('what one organization has too much at once', () => {
  it('is 429 for its own PDFs, and the other organization gets its PDF', async () => {
    const answers = Promise.all(Array.from({ length: 30 }, () => pdf(attacker, longQuote)))
    const graphql = Promise.all(
      Array.from({ length: 10 }, () =>
        attacker.graphql('query ($id: ID!) { quoteDocument(id: $id) { filename } }', { id: longQuote }),
      ),
    )
    expect((await pdf(other, shortQuote)).status).toBe(200)
    const refused = (await answers).filter(({ status }) => status !== 200)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      refused.map(() => [429, 'CONCURRENCY_LIMIT_REACHED']),
    )
    expect(refused.map(({ headers }) => Number(headers.get('retry-after')) >= 1)).toEqual(refused.map(() => true))
    const errors = (await graphql).flatMap(({ body }) => body.errors ?? [])
    expect(errors.length).toBeGreaterThan(0)
    for (const { extensions } of errors)
      expect(extensions).toEqual({
        code: 'CONCURRENCY_LIMIT_REACHED',
        retryAfter: expect.any(Number),
        requestId: expect.any(String),
      })
  })

  it('is 429 for statements that wait behind its own, and the other organization reads and writes', async () => {
    const { body } = await attacker.rest.accountCreate!({ body: { name: 'Locked' } })
    const changes = await platform.inSeparateTransaction(async (sql) => {
      await sql.query('select from crm.account where id = $1 for update', [body.id])
      const waiting = Array.from({ length: 8 }, (_, at) =>
        attacker.rest.accountUpdate!({ id: body.id, body: { name: `Name ${at}` } }),
      )
      await expect.poll(() => platform.waitingForLocks()).toBe(8)
      const late = [attacker.rest.account!({ id: body.id }), attacker.graphql('{ accountList { total } }')] as const
      expect((await other.rest.accountCreate!({ body: { name: 'Free' } })).status).toBe(201)
      expect((await other.rest.accountList!({})).body.total).toBe(1)
      const [rest, graphql] = await Promise.all(late)
      expect([rest.status, rest.body.code, rest.headers.get('retry-after')]).toEqual([
        429,
        'CONCURRENCY_LIMIT_REACHED',
        '1',
      ])
      expect([graphql.status, graphql.body.errors[0].extensions]).toEqual([
        200,
        { code: 'CONCURRENCY_LIMIT_REACHED', retryAfter: 1, requestId: expect.any(String) },
      ])
      return waiting
    })
    await Promise.all(changes)
    expect((await attacker.rest.account!({ id: body.id })).status).toBe(200)
  })
})

describe('templates', () => {
  it('of a sequence are parsed in turns of the event loop, however many they are', async () => {
    // The most expensive form within the bounds of one template.
    const bodyHtml = `{% cycle ${'1,'.repeat(900)}1 %}`.repeat(27)
    const variants = Array.from({ length: 5 }, (_, at) => ({ subject: `Hello ${at}`, bodyHtml, weight: 1 }))
    const steps = [1, 2].map(() => ({ type: 'EMAIL', delayDays: 1, variants }))
    const body = { name: 'Expensive', entityTypes: ['CONTACT'], steps }
    const turnMs = await longestTurnDuring(async () => {
      const { status, body: created } = await attacker.rest.sequenceCreate!({ body })
      expect([status, created.stepCount], JSON.stringify(created)).toEqual([201, 2])
    })
    expect(turnMs).toBeLessThan(250)
  })
})
