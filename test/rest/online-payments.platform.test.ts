import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkoutSettle } from '../../subgraphs/commerce/public-invoice/checkout-settle.job.ts'
import { checkoutsPerDay } from '../../subgraphs/commerce/public-invoice/open-checkout.ts'
import { resumeOrganization, suspendOrganization } from '../../subgraphs/identity/public.ts'
import { account, aLine, sentInvoice } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { paymentEvent, ScriptedProvider } from '../payment-provider.ts'
import { Platform, type Member } from '../platform.ts'

const provider = new ScriptedProvider()
let platform: Platform
let member: Member
let customerId: string

beforeAll(async () => {
  await provider.open()
  platform = new Platform(provider.environment)
  await platform.open()
  member = await platform.member()
  customerId = (await account(member)).id
})
afterAll(async () => {
  await expectValidEvents(platform)
  await platform.close()
  provider.close()
})

async function aPage(values: object = {}, by = member) {
  const body = await sentInvoice(by, { customerId, ...values })
  return { id: body.id as string, link: body.publicUrl as string }
}
const over = (amount: number, currency: string) => ({
  currency,
  lineItems: [aLine({ quantity: 1, unitPrice: amount })],
})
const stored = async (id: string, by = member) => (await by.rest.invoice!({ id })).body
const opened = () => provider.requests.filter(({ body }) => body.has('mode'))
const pay = async (link: string) => {
  const response = await fetch(`${link}/pay`, { method: 'POST' })
  const html = await response.text()
  return { status: response.status, html, session: /pay\.example\/c\/(\w+)/.exec(html)?.[1] ?? '' }
}
const tell = async (session: string, link: string) => (await paymentEvent(platform.url, session, link)).status
const askDates = (id: string) =>
  platform.query<{ askAt: string | null }>(
    'select ask_at as "askAt" from commerce.invoice_checkout where invoice_id = $1',
    [id],
  )

describe('an amount at the payment provider', () => {
  it.each([
    // Hundredths, also where payouts have none.
    ['EUR', 119.99, '11999', 119.99],
    ['HUF', 15000, '1500000', 15000],
    ['TWD', 800.05, '80005', 800.05],
    // No decimals.
    ...'BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF'
      .split(' ')
      .map((code) => [code, 50000, '50000', 50000] as const),
    ['MGA', 50000, '50000', 50000],
    ['MGA', 50000.2, '50001', 50001],
    // No decimals, but sent as hundredths.
    ['ISK', 15000, '1500000', 15000],
    ['UGX', 50000, '5000000', 50000],
    // Three decimals, of which the last one must be 0.
    ...'BHD JOD KWD OMR TND'.split(' ').map((code) => [code, 3.889, '3890', 3.89] as const),
    ['KWD', 3.88, '3880', 3.88],
  ] as const)('of %s %d is sent as %s and read as %d', async (currency, amount, units, charged) => {
    const { id, link } = await aPage(over(amount, currency))
    const page = await (await fetch(link)).text()
    expect(page.includes('the amount is rounded up to')).toBe(charged !== amount)
    const { session } = await pay(link)
    const { body } = opened().at(-1)!
    const price = 'line_items[0][price_data]'
    expect([body.get(`${price}[currency]`), body.get(`${price}[unit_amount]`)]).toEqual([currency.toLowerCase(), units])
    provider.pay(session)
    expect(await tell(session, link)).toBe(200)
    const { status, payments, amountPaid } = await stored(id)
    expect([status, payments[0].amount, amountPaid]).toEqual(['PAID', charged, charged])
  })

  it.each(['IQD', 'LYD', 'CLF'])('of %s, whose units nobody has documented, is not sent', async (currency) => {
    const before = opened().length
    const { link } = await aPage(over(5, currency))
    expect(await (await fetch(link)).text()).not.toContain('Pay online')
    const { status, html } = await pay(link)
    expect([status, html.includes(`An invoice in ${currency} cannot be paid online.`)]).toEqual([409, true])
    expect(opened()).toHaveLength(before)
  })

  it('that the provider does not take is refused with a text, and nothing changes', async () => {
    const { id, link } = await aPage(over(5, 'EUR'))
    provider.answer = 'REFUSE'
    const { status, html } = await pay(link)
    provider.answer = 'USUAL'
    expect([status, html.includes('does not take this amount')]).toEqual([409, true])
    expect((await stored(id)).status).toBe('SENT')
  })
})

describe('the page of the provider', () => {
  it('is opened once for an amount, also by requests at once and after a crash', async () => {
    const { id, link } = await aPage()
    const sessions = await Promise.all(Array.from({ length: 6 }, async () => (await pay(link)).session))
    const first = sessions[0]!
    expect(new Set([...sessions, (await pay(link)).session])).toEqual(new Set([first]))
    const rows = 'select id from commerce.invoice_checkout where invoice_id = $1'
    expect(await platform.query(rows, [id])).toEqual([{ id: first }])
    // As a process leaves it that dies between the answer of the provider and the row.
    const other = await aPage()
    const { session } = await pay(other.link)
    const key = String(opened().at(-1)!.key).slice(0, -33)
    await platform.query('update commerce.invoice_checkout set id = $2, url = null where id = $1', [session, key])
    expect((await pay(other.link)).session).toBe(session)
    expect(await platform.query(rows, [other.id])).toEqual([{ id: session }])
  })

  it('is another one for another amount, and when the first has expired', async () => {
    const { id, link } = await aPage()
    const { session: first } = await pay(link)
    await member.rest.invoicePayment!({ id, body: { amount: 19 } })
    const { session: second } = await pay(link)
    provider.set(second, { status: 'expired' })
    const { session: third } = await pay(link)
    expect(new Set([first, second, third]).size).toBe(3)
    provider.pay(third)
    const { status, html } = await pay(link)
    expect([status, html.includes('An invoice with status PAID cannot be paid.')]).toEqual([409, true])
    expect((await stored(id)).payments.map(({ amount }: { amount: number }) => amount)).toEqual([19, 100])
  })

  it('is opened a limited number of times for an invoice', async () => {
    const { id, link } = await aPage()
    for (let count = 0; count < checkoutsPerDay; count += 1)
      provider.set((await pay(link)).session, { status: 'expired' })
    const before = opened().length
    const { status, html } = await pay(link)
    expect([status, html.includes('Too many payments of this invoice')]).toEqual([409, true])
    expect([opened().length, (await stored(id)).status]).toEqual([before, 'SENT'])
    platform.advanceClock(25 * 3_600_000)
    expect((await pay(link)).status).toBe(200)
  })
})

describe('a payment', () => {
  it('of which the provider tells during a suspension is recorded, and the page stays closed', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Paused') })
    const { id, link } = await aPage({ customerId: (await account(other)).id }, other)
    const { session } = await pay(link)
    await suspendOrganization(platform.services, other.organizationId)
    provider.pay(session)
    expect((await fetch(`${link}/return?session=${session}`)).status).toBe(404)
    expect(await tell(session, link)).toBe(200)
    expect((await fetch(link)).status).toBe(404)
    await resumeOrganization(platform.services, other.organizationId)
    expect(await stored(id, other)).toMatchObject({ status: 'PAID', amountPaid: 119 })
  })

  it('that cannot be asked about is not confirmed to the provider; what is not ours is', async () => {
    const { id, link } = await aPage()
    const { session } = await pay(link)
    provider.pay(session)
    provider.answer = 'FAIL'
    expect(await tell(session, link)).toBe(503)
    provider.answer = 'USUAL'
    expect((await stored(id)).status).toBe('SENT')
    expect(await tell('cs_of_another_shop', link)).toBe(200)
    expect(await tell(session, `x/${'A'.repeat(43)}`)).toBe(200)
    expect(await tell(session, link)).toBe(200)
    expect((await stored(id)).status).toBe('PAID')
  })

  it('of which nobody tells is found by the job, once', async () => {
    const { id, link } = await aPage()
    const { session } = await pay(link)
    provider.pay(session)
    await checkoutSettle.run(platform.services)
    expect((await stored(id)).status).toBe('SENT')
    platform.advanceClock(600_000)
    provider.answer = 'FAIL'
    await checkoutSettle.run(platform.services)
    provider.answer = 'USUAL'
    platform.advanceClock(600_000)
    await Promise.all([checkoutSettle.run(platform.services), checkoutSettle.run(platform.services)])
    const { status, payments } = await stored(id)
    expect([status, payments.length]).toEqual(['PAID', 1])
    expect(await askDates(id)).toEqual([{ askAt: null }])
  })

  it('that never comes is asked about until the page has expired', async () => {
    const { id, link } = await aPage()
    const { session } = await pay(link)
    platform.advanceClock(3_600_000)
    await checkoutSettle.run(platform.services)
    expect(await askDates(id)).toEqual([{ askAt: new Date(platform.now.getTime() + 3_600_000).toISOString() }])
    provider.set(session, { status: 'expired' })
    platform.advanceClock(3_600_000)
    await checkoutSettle.run(platform.services)
    expect([await askDates(id), (await stored(id)).status]).toEqual([[{ askAt: null }], 'SENT'])
  })
})
