import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { suspendOrganization } from '../../subgraphs/identity/public.ts'
import { quoteExpire } from '../../subgraphs/commerce/quote/quote-expire.job.ts'
import { account, aLine, quote } from '../builders.ts'
import { expectValidEvents, unchanged } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { Platform, usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let sent = 0

beforeAll(async () => {
  member = await platform.member()
})
afterAll(() => expectValidEvents(platform))

/** A sent quote and the address of its page, as the mail says it. */
async function aSentQuote(values: object = {}, sender = member) {
  const draft = await quote(sender, { lineItems: [aLine()], ...values })
  const to = `reader${++sent}@customer.example`
  await sender.rest.quoteSend!({ id: draft.id, body: { to } })
  const [mail] = await mailsTo(platform, to)
  const [link] = /http\S+\/v1\/public\/quotes\/[\w-]{43}/.exec(mail!.text)!
  return { id: draft.id as string, quoteNumber: draft.quoteNumber as string, link }
}

/** The answer to a browser: status, headers and the text of the page. */
async function answered(response: Promise<Response>) {
  const { status, headers } = await response
  return { status, headers, html: await (await response).text() }
}
const open = (link: string, init: RequestInit = {}) => answered(fetch(link, init))
const post = (link: string, form: Record<string, string>) =>
  open(link, { method: 'POST', body: new URLSearchParams(form) })
const accept = (link: string, name = 'Ines Duarte') => post(`${link}/accept`, { name, consent: 'yes' })
const stored = async (id: string) => (await member.rest.quote!({ id })).body
const newEvents = async (id: string) => (await platform.eventTypesOf(id)).slice(3)

describe('GET /v1/public/quotes/{token}', () => {
  it('shows the quote without a script and without a credential', async () => {
    const { id: accountId } = await account(member, { name: 'Lisbon <Docks> & Co' })
    const { link, quoteNumber } = await aSentQuote({
      accountId,
      currency: 'KWD',
      lineItems: [aLine({ name: 'Crane "A"', quantity: 2.5, unitPrice: 1000.1234, taxRate: 5, discountPercent: 10 })],
      shippingTotal: 4.5,
      terms: 'Pay <soon>.',
      notes: 'Secret note',
      validUntil: '2027-03-01T12:00:00Z',
    })
    const { status, headers, html } = await open(link)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+' 'sha256-[^']+'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['no-referrer', 'no-store'])
    const texts = [
      `Quote ${quoteNumber}`,
      'Lisbon &#60;Docks&#62; &#38; Co',
      'Crane &#34;A&#34;',
      'KWD 1,000.1234',
      'KWD 2,250.278',
      'KWD 112.514',
      'KWD 4.500',
      'KWD 2,367.292',
      'Pay &#60;soon&#62;.',
      '1 March 2027 at 12:00 UTC',
    ].map((text) => text.replaceAll(' ', ' '))
    const shown = html.replaceAll(/[\u00a0\u202f]/g, ' ')
    expect(texts.filter((text) => !shown.includes(text))).toEqual([])
    expect(html).not.toMatch(/<script|Secret note/)
  })

  it('remembers the first view only, and not a HEAD request', async () => {
    const { id, link } = await aSentQuote()
    const head = await open(link, { method: 'HEAD' })
    expect([head.status, head.headers.get('allow')]).toEqual([405, 'GET'])
    expect(await stored(id)).toMatchObject({ viewedAt: null, version: 2 })
    await open(link)
    await open(link)
    expect(await stored(id)).toMatchObject({ viewedAt: platform.now.toISOString(), version: 3 })
    expect(await newEvents(id)).toEqual(['quote.updated', 'quote.viewed'])
  })

  it.each([
    ['a wrong token', () => `${platform.url}/v1/public/quotes/${'A'.repeat(43)}`],
    ['a short token', () => `${platform.url}/v1/public/quotes/A`],
    ['markup', () => `${platform.url}/v1/public/quotes/%22%3E%3Cscript%3E`],
  ])('answers 404 to %s', async (_, link) => {
    const { status, html } = await unchanged(platform, () => open(link()))
    expect([status, html.includes('not available'), html.includes('<script')]).toEqual([404, true, false])
  })

  it('answers 404 for a deleted quote and for a suspended organization', async () => {
    const { id, link } = await aSentQuote()
    await member.rest.quoteDelete!({ id })
    expect((await open(link)).status).toBe(404)
    const other = await platform.member({ organizationId: await platform.organization('Suspended') })
    const theirs = await aSentQuote({}, other)
    await suspendOrganization(platform.services, other.organizationId)
    expect((await open(theirs.link)).status).toBe(404)
  })
})

describe('GET /v1/public/quotes/{token}/document', () => {
  it('is the PDF that was attached to the mail, as a download', async () => {
    const { link, quoteNumber } = await aSentQuote()
    const response = await fetch(`${link}/document`)
    expect([
      response.status,
      response.headers.get('content-type'),
      response.headers.get('content-disposition'),
    ]).toEqual([200, 'application/pdf', `attachment; filename=${quoteNumber}.pdf`])
    const pdf = Buffer.from(await response.arrayBuffer())
    expect([pdf.subarray(0, 5).toString(), pdf.length > 5000]).toEqual(['%PDF-', true])
    expect((await fetch(`${platform.url}/v1/public/quotes/${'A'.repeat(43)}/document`)).status).toBe(404)
  })
})

describe('POST /v1/public/quotes/{token}/accept', () => {
  it('accepts once with the name, and shows the same page again', async () => {
    const { id, link } = await aSentQuote()
    const first = await accept(link, '  Ines Duarte ')
    expect([first.status, first.html.includes('Ines Duarte accepted this quote')]).toEqual([200, true])
    expect(first.html).not.toContain('<form')
    const second = await unchanged(platform, () => accept(link, 'Somebody Else'))
    expect([second.status, second.html]).toEqual([200, first.html])
    expect(await stored(id)).toMatchObject({
      status: 'ACCEPTED',
      acceptedByName: 'Ines Duarte',
      acceptedAt: platform.now.toISOString(),
      updatedById: null,
    })
    expect(await newEvents(id)).toEqual(['quote.updated', 'quote.accepted'])
  })

  it('is one acceptance when it is sent many times at once', async () => {
    const { id, link } = await aSentQuote()
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => accept(link, `Person ${index}`)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ html }) => html)).size).toBe(1)
    expect(await newEvents(id)).toEqual(['quote.updated', 'quote.accepted'])
  })

  it.each([
    ['without a name', { name: ' ', consent: 'yes' }, 'name must not be empty.'],
    ['without consent', { name: 'Ines' }, 'consent must be true.'],
    [
      'with a name that is too long',
      { name: 'x'.repeat(201), consent: 'yes' },
      'name must have at most 200 characters.',
    ],
  ])('refuses %s, says why on the page, and accepts nothing', async (_, form, message) => {
    const { id, link } = await aSentQuote()
    const { status, html } = await post(`${link}/accept`, form as Record<string, string>)
    expect([status, html.includes(message), html.includes('<form')]).toEqual([400, true, true])
    expect(await stored(id)).toMatchObject({ status: 'SENT', acceptedAt: null })
  })

  it('says on the page that a quote was withdrawn or has expired, and accepts neither', async () => {
    const withdrawn = await aSentQuote()
    await member.rest.quoteCancel!({ id: withdrawn.id })
    expect((await accept(withdrawn.link)).html).toContain('was withdrawn')
    expect((await stored(withdrawn.id)).status).toBe('CANCELLED')

    const validUntil = new Date(platform.now.getTime() + 60_000).toISOString()
    const expired = await aSentQuote({ validUntil })
    platform.advanceClock(60_000)
    expect((await accept(expired.link)).html).toContain('has expired')
    expect(await stored(expired.id)).toMatchObject({ status: 'EXPIRED', expiredAt: platform.now.toISOString() })
    expect(await newEvents(expired.id)).toEqual(['quote.updated', 'quote.expired'])
  })

  it('accepts only forms', async () => {
    const { link } = await aSentQuote()
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"name":"A"}' }
    expect((await open(`${link}/accept`, json)).status).toBe(415)
    expect((await open(`${link}/accept`)).status).toBe(405)
  })
})

describe('POST /v1/public/quotes/{token}/reject', () => {
  it('rejects once with the reason, after which the quote cannot be accepted but can be revised', async () => {
    const { id, link } = await aSentQuote()
    const { status, html } = await post(`${link}/reject`, { reason: 'Too late.' })
    expect([status, html.includes('was rejected')]).toEqual([200, true])
    await accept(link)
    expect(await stored(id)).toMatchObject({ status: 'REJECTED', rejectionReason: 'Too late.', acceptedAt: null })
    expect(await newEvents(id)).toEqual(['quote.updated', 'quote.rejected'])
    expect((await member.rest.quoteRevise!({ id })).status).toBe(201)
  })
})

describe('quote.expire', () => {
  it('expires sent quotes when validUntil has passed, once, and no others', async () => {
    const validUntil = new Date(platform.now.getTime() + 3_600_000).toISOString()
    const due = await aSentQuote({ validUntil })
    const unlimited = await aSentQuote()
    const draft = await quote(member, { validUntil })
    await quoteExpire.run(platform.services)
    expect((await stored(due.id)).status).toBe('SENT')
    platform.advanceClock(3_600_000)
    await quoteExpire.run(platform.services)
    await quoteExpire.run(platform.services)
    const states = await Promise.all([due.id, unlimited.id, draft.id].map(async (id) => (await stored(id)).status))
    expect(states).toEqual(['EXPIRED', 'SENT', 'DRAFT'])
    expect(await newEvents(due.id)).toEqual(['quote.updated', 'quote.expired'])
  })
})

describe('the address of a client', () => {
  it('is limited as for other paths', async () => {
    const limited = new Platform({ IP_LIMITS: '3/m' })
    await limited.open()
    try {
      const statuses: number[] = []
      for (let time = 0; time < 4; time++)
        statuses.push((await open(`${limited.url}/v1/public/quotes/${'A'.repeat(43)}`)).status)
      expect(statuses).toEqual([404, 404, 404, 429])
    } finally {
      await limited.close()
    }
  })
})
