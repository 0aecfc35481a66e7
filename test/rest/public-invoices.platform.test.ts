import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { account, invoice, sentInvoice } from '../builders.ts'
import { expectValidEvents } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { paymentEvent, ScriptedProvider, type EventOptions } from '../payment-provider.ts'
import { Platform, type Member } from '../platform.ts'

const provider = new ScriptedProvider()
let platform: Platform
let member: Member

beforeAll(async () => {
  await provider.open()
  platform = new Platform(provider.environment)
  await platform.open()
  member = await platform.member()
})
afterAll(async () => {
  await expectValidEvents(platform)
  await platform.close()
  provider.close()
})

/** The address of the page of an invoice, at this server. */
async function aPage(values: Readonly<Record<string, unknown>> = {}) {
  const sent = await sentInvoice(member, values)
  return { id: sent.id as string, number: sent.invoiceNumber as string, link: sent.publicUrl as string }
}
const get = async (link: string, init: RequestInit = {}) => {
  const response = await fetch(link, init)
  return { status: response.status, headers: response.headers, html: await response.text() }
}
const stored = async (id: string) => (await member.rest.invoice!({ id })).body
async function checkout(link: string): Promise<string> {
  const { status, html } = await get(`${link}/pay`, { method: 'POST' })
  expect(status, html).toBe(200)
  return /https:\/\/pay\.example\/c\/(\w+)/.exec(html)![1]!
}
const event = (id: string, link: string, options: EventOptions = {}) => paymentEvent(platform.url, id, link, options)

describe('the page of an invoice', () => {
  it('shows the invoice without a script and without a credential, and remembers that it was opened', async () => {
    const { id: customerId } = await account(member, { name: 'Lisbon <Docks>' })
    await platform.query(`update identity.organization set settings = $2 where id = $1`, [
      member.organizationId,
      JSON.stringify({ paymentInstructions: 'IBAN <DE02>' }),
    ])
    const { id, number, link } = await aPage({ customerId, terms: 'Pay <soon>.', notes: 'Secret note' })
    const { status, headers, html } = await get(link)
    expect([status, headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
      200,
      'no-store',
      'no-referrer',
    ])
    const texts = [
      `Invoice ${number}`,
      'Lisbon &#60;Docks&#62;',
      'IBAN &#60;DE02&#62;',
      'Pay &#60;soon&#62;.',
      '3 March 2027',
    ]
    for (const shown of [...texts, 'USD 119.00'.replace(' ', '\u00a0')]) expect(html).toContain(shown)
    expect(html).not.toMatch(/Secret note|<script/)
    expect((await stored(id)).viewedAt).toBe(platform.now.toISOString())
    await get(link)
    expect((await platform.eventTypesOf(id)).filter((type) => type === 'invoice.viewed')).toHaveLength(1)
    const pdf = await fetch(`${link}/document`)
    expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
    expect((await pdf.text()).slice(0, 5)).toBe('%PDF-')
  })

  it('is 404 for other tokens and drafts, and refuses other methods', async () => {
    const { link } = await aPage()
    await invoice(member)
    for (const token of ['x', 'A'.repeat(43), link.slice(-42)])
      expect((await get(`${platform.url}/v1/public/invoices/${token}`)).status).toBe(404)
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(405)
    expect((await get(link, { method: 'DELETE' })).status).toBe(405)
  })
})

describe('an online payment', () => {
  it('is recorded once, whoever reports it and how often', async () => {
    const { id, link, number } = await aPage({ currency: 'EUR' })
    const session = await checkout(link)
    const request = provider.requests.at(-1)!
    expect(request.authorization).toBe('Bearer sk_scripted')
    expect(Object.fromEntries(request.body)).toMatchObject({
      mode: 'payment',
      cancel_url: link,
      success_url: `${link}/return?session={CHECKOUT_SESSION_ID}`,
      'line_items[0][price_data][currency]': 'eur',
      'line_items[0][price_data][unit_amount]': '11900',
      'line_items[0][price_data][product_data][name]': `Invoice ${number}`,
    })
    // Nothing is believed before the provider confirms it.
    await get(`${link}/return?session=${session}`)
    expect((await event(session, link)).status).toBe(200)
    expect(await stored(id)).toMatchObject({ status: 'SENT', payments: [] })
    provider.pay(session)
    await Promise.all([
      event(session, link),
      get(`${link}/return?session=${session}`),
      event(session, link),
      get(`${link}/return?session=${session}`),
    ])
    expect(await stored(id)).toMatchObject({
      status: 'PAID',
      amountDue: 0,
      payments: [{ amount: 119, method: 'CARD', reference: `pi_${session}`, recordedById: null, status: 'SUCCEEDED' }],
    })
    expect((await get(link)).html).toContain('This invoice is paid. Thank you.')
    expect((await get(`${link}/pay`, { method: 'POST' })).status).toBe(409)
  })

  it('is recorded also when the invoice was paid or voided meanwhile', async () => {
    const paid = await aPage()
    const first = await checkout(paid.link)
    await member.rest.invoicePayment!({ id: paid.id, body: { amount: 19 } })
    const second = await checkout(paid.link)
    for (const session of [first, second]) {
      provider.pay(session)
      expect((await event(session, paid.link)).status).toBe(200)
    }
    expect(await stored(paid.id)).toMatchObject({ status: 'PAID', amountPaid: 238, amountDue: -119 })
    const voided = await aPage()
    const session = await checkout(voided.link)
    await member.rest.invoiceVoid!({ id: voided.id })
    provider.pay(session)
    await event(session, voided.link)
    const { payments, status } = await stored(voided.id)
    expect([status, payments.length]).toEqual(['VOID', 1])
    const { body } = await member.rest.invoiceRefundPayment!({ id: voided.id, paymentId: payments[0].id })
    expect(body).toMatchObject({ status: 'VOID', amountPaid: 0, amountDue: 119, overdueAt: null })
  })

  it('is over what is due with the fees and the interest of the last reminder, as its mail says', async () => {
    const admin = await platform.member({ organizationId: await platform.organization('Fees'), role: 'ADMIN' })
    const steps = [{ level: 1, daysOverdue: 3, tone: 'FIRM', fee: { type: 'FIXED', value: 5 } }]
    await admin.rest.dunningUpdate!({ body: { interestRatePercent: 10, steps } })
    const { id } = await sentInvoice(admin, { issueDate: '2026-12-20', dueDate: '2027-01-19' })
    await admin.rest.invoiceSend!({ id, body: { to: 'fees@customer.example' } })
    const { payments, publicUrl: link } = (await admin.rest.invoicePayment!({ id, body: { amount: 19 } })).body
    expect((await get(link)).html).not.toMatch(/Reminder fees|Interest|To pay/)
    await admin.rest.invoiceRemind!({ id })
    const [mail] = (await mailsTo(platform, 'fees@customer.example')).slice(-1)
    expect(mail!.text).toContain(
      'Amount due: $100.00\nFees: $5.00\nInterest: $0.36\nTogether: $105.36\nDue date: 19 January 2027',
    )
    const { html } = await get(link)
    const rows = [...html.matchAll(/row">([^<]+)<\/th><td class="amount">([^<]+)</g)].map((row) => row.slice(1))
    const usd = (amount: string) => `USD\u00a0${amount}`
    expect(rows.slice(-6)).toEqual([
      ['Total', usd('119.00')],
      ['Paid', `−${usd('19.00')}`],
      ['Amount due', usd('100.00')],
      ['Reminder fees', usd('5.00')],
      ['Interest', usd('0.36')],
      ['To pay', usd('105.36')],
    ])
    expect(html).toContain(`Pay ${usd('105.36')}</button>`)
    const session = await checkout(link)
    expect(provider.requests.at(-1)!.body.get('line_items[0][price_data][unit_amount]')).toBe('10536')
    provider.pay(session)
    await event(session, link)
    const paid = (await admin.rest.invoice!({ id })).body
    // What is due follows from the total, the payments and the refunds only.
    expect(paid).toMatchObject({ status: 'PAID', total: 119, amountPaid: 124.36, amountDue: -5.36, dunningFees: 5 })
    expect(payments).toHaveLength(1)
    expect((await get(link)).html).not.toMatch(/Reminder fees|Interest|To pay/)
  })

  it('is refused with a wrong signature, an old one, and for the checkout of another invoice', async () => {
    const [one, other] = [await aPage(), await aPage()]
    const session = await checkout(one.link)
    provider.pay(session)
    expect((await event(session, one.link, { key: 'another secret' })).status).toBe(400)
    expect((await event(session, one.link, { at: Date.now() - 301_000 })).status).toBe(400)
    const unsigned = await fetch(`${platform.url}/v1/public/payment-events`, { method: 'POST', body: '{}' })
    expect(unsigned.status).toBe(400)
    expect((await event(session, other.link)).status).toBe(200)
    expect((await get(`${other.link}/return?session=${session}`)).status).toBe(404)
    expect((await get(`${other.link}/return?session=%00`)).status).toBe(404)
    expect([(await stored(one.id)).status, (await stored(other.id)).status]).toEqual(['SENT', 'SENT'])
  })

  it('cannot begin when the invoice can have no more payments', async () => {
    const { id, link } = await aPage()
    await platform.query(
      `update commerce.invoice set payments = (select jsonb_agg(jsonb_build_object('id', gen_random_uuid(), 'invoiceId', id, 'amount', n,
         'currency', currency, 'method', 'CARD', 'reference', null, 'paidAt', '2027-01-01T00:00:00.000Z', 'note', null,
         'recordedById', null, 'status', 'FAILED', 'refundedAmount', 0)) from generate_series(1, 200) n) where id = $1`,
      [id],
    )
    const opened = 'select count(*)::int as n from commerce.invoice_checkout where invoice_id = $1'
    expect((await get(`${link}/pay`, { method: 'POST' })).status).toBe(409)
    expect(await platform.query(opened, [id])).toEqual([{ n: 0 }])
  })

  it('changes nothing while the provider fails', async () => {
    const { id, link } = await aPage()
    provider.answer = 'FAIL'
    expect((await get(`${link}/pay`, { method: 'POST' })).status).toBe(503)
    provider.answer = 'USUAL'
    expect(await stored(id)).toMatchObject({ status: 'SENT', payments: [] })
  })
})
