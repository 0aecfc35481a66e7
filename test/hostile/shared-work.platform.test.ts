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
    expect(new Set(statuses)).toEqual(new Set([200, 503]))
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(5)
    const refused = await Promise.all(ofReaders).then((all) => all.filter(({ status }) => status === 503))
    expect(refused.map(({ headers }) => Number(headers.get('retry-after')) >= 1)).toEqual(refused.map(() => true))
    expect((await Promise.all(ofUser)).map(({ status }) => status)).toEqual(Array(8).fill(200))
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
