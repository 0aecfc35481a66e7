import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invoiceMailing } from '../../subgraphs/commerce/invoice/invoice-mail.job.ts'
import { account, aLine, contact, invoice, sentInvoice } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

const pay = (id: string, amount: unknown, more: object = {}) =>
  member.rest.invoiceRecordPayment!({ id, body: { amount, ...more } })
const refund = (id: string, paymentId: string, body: object = {}) =>
  member.rest.invoiceRefundPayment!({ id, paymentId, body })

describe('invoiceCreate', () => {
  it('creates a DRAFT without a number, with all amounts', async () => {
    const { id: customerId } = await account(member)
    const draft = await invoice(member, { customerId })
    expect(draft).toMatchObject({
      status: 'DRAFT',
      invoiceNumber: null,
      customerId,
      accountId: customerId,
      currency: 'USD',
      subtotal: 100,
      taxTotal: 19,
      total: 119,
      amountPaid: 0,
      amountDue: 119,
      payments: [],
      refunds: [],
      issueDate: null,
      dueDate: null,
      daysOverdue: 0,
      publicUrl: null,
      documentUrl: `/v1/invoices/${draft.id}/document`,
    })
    expect(await platform.eventTypesOf(draft.id)).toEqual(['invoice.created'])
    expect((await member.rest.invoice!({ id: draft.id })).body).toEqual(draft)
    expect((await stranger.rest.invoice!({ id: draft.id })).status).toBe(404)
  })

  it('cuts off the time of days, and refuses a due day before the day of the invoice', async () => {
    const draft = await invoice(member, { issueDate: '2027-01-05T17:00:00Z', dueDate: '2027-01-20' })
    expect([draft.issueDate, draft.dueDate]).toEqual(['2027-01-05T00:00:00.000Z', '2027-01-20T00:00:00.000Z'])
    const body = { issueDate: '2027-01-05', dueDate: '2027-01-04T23:59:00Z' }
    expect((await refusedInputs(platform, () => member.rest.invoiceCreate!({ body }))).slice(2)).toEqual([
      'dueDate OUT_OF_RANGE',
    ])
  })
})

describe('invoiceSend', () => {
  it('issues the invoice, and mails it with its PDF and its page', async () => {
    const { id: contactId } = await contact(member, { email: 'ines@send.example' })
    const { id } = await invoice(member, { contactId })
    const { body } = await member.rest.invoiceSend!({ id })
    expect(body).toMatchObject({
      status: 'SENT',
      invoiceNumber: expect.stringMatching(/^INV-2027-\d{6}$/),
      issueDate: '2027-02-01T00:00:00.000Z',
      dueDate: '2027-03-03T00:00:00.000Z',
      sentAt: platform.now.toISOString(),
      sentTo: 'ines@send.example',
    })
    const [mail] = await mailsTo(platform, 'ines@send.example')
    expect(mail!.subject).toBe(`Invoice ${body.invoiceNumber}`)
    expect(mail!.text).toContain(body.publicUrl)
    expect(mail!.text).toContain('To pay: $119.00\nDue date: 3 March 2027')
    expect(Buffer.from(mail!.attachments![0]!.content, 'base64').subarray(0, 5).toString()).toBe('%PDF-')
    expect(await platform.eventTypesOf(id)).toEqual(['invoice.created', 'invoice.updated', 'invoice.sent'])
    expect((await member.rest.invoiceSend!({ id })).body).toMatchObject({ version: body.version, status: 'SENT' })
    expect(await mailsTo(platform, 'ines@send.example')).toHaveLength(2)
  })

  it('is mailed once with an Idempotency-Key, after the commit', async () => {
    const { id } = await invoice(member)
    const headers = { 'Idempotency-Key': `send ${id}` }
    const send = () => member.rest.invoiceSend!({ id, body: { to: 'once@send.example' }, headers })
    const [first, second] = [await send(), await send()]
    expect([first.status, second.body]).toEqual([200, first.body])
    await Promise.all([invoiceMailing.run(platform.services), invoiceMailing.run(platform.services)])
    expect(await mailsTo(platform, 'once@send.example')).toHaveLength(1)
    expect(await platform.query('select from commerce.invoice_mail')).toEqual([])
  })

  it('mails nothing that was voided between the request and the job', async () => {
    const { id } = await invoice(member)
    const headers = { 'Idempotency-Key': `void ${id}` }
    await member.rest.invoiceSend!({ id, body: { to: 'void@send.example' }, headers })
    expect((await member.rest.invoiceVoid!({ id, body: { reason: 'Wrong customer.' } })).status).toBe(200)
    await invoiceMailing.run(platform.services)
    expect(await mailsTo(platform, 'void@send.example')).toEqual([])
    expect(await platform.query('select from commerce.invoice_mail')).toEqual([])
  })

  it('is mailed once, however many invoices of the organization are sent at the same time', async () => {
    const drafts = await Promise.all(Array.from({ length: 24 }, () => invoice(member)))
    const to = (index: number) => `parallel${index}@send.example`
    const sends = drafts.map(({ id }, index) => member.rest.invoiceSend!({ id, body: { to: to(index) } }))
    expect((await Promise.all(sends)).map(({ status }) => status)).toEqual(drafts.map(() => 200))
    await invoiceMailing.run(platform.services)
    const mails = await Promise.all(drafts.map((_, index) => mailsTo(platform, to(index))))
    expect(mails.map((found) => found.length)).toEqual(drafts.map(() => 1))
  })

  it('is mailed to an address 20 times an hour; the next mail is refused with 429 and issues nothing', async () => {
    const body = { to: 'limit@send.example' }
    const { id } = await invoice(member)
    const answers: number[] = []
    for (let count = 0; count < 20; count++) answers.push((await member.rest.invoiceSend!({ id, body })).status)
    expect([answers, (await mailsTo(platform, body.to)).length]).toEqual([Array<number>(20).fill(200), 20])
    const draft = await invoice(member)
    const send = () => member.rest.invoiceSend!({ id: draft.id, body })
    expect(await refused(platform, send)).toEqual([429, 'MAIL_RATE_LIMITED'])
  })

  it('is PAID at once over nothing', async () => {
    const { id: contactId } = await contact(member, { email: 'free@send.example' })
    const sent = await sentInvoice(member, { contactId, lineItems: [aLine({ unitPrice: 0 })] })
    expect((await mailsTo(platform, 'free@send.example')).map(({ text }) => text)).toEqual([
      expect.stringContaining('Nothing is left to pay.'),
    ])
    expect(sent).toMatchObject({ status: 'PAID', total: 0, amountDue: 0, paidAt: platform.now.toISOString() })
    expect(await platform.eventTypesOf(sent.id)).toContain('invoice.paid')
  })

  it('needs a customer and a line', async () => {
    const drafts = [await invoice(member, { customerId: null }), await invoice(member, { lineItems: [] })]
    for (const [index, path] of ['customerId', 'lineItems'].entries()) {
      const send = () => member.rest.invoiceSend!({ id: drafts[index]!.id })
      expect((await refusedInputs(platform, send)).slice(2)).toEqual([`${path} REQUIRED`])
    }
  })

  it('numbers invoices without gaps, whatever is refused, deleted and sent at once', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Numbers') })
    const { id: customerId } = await account(other)
    const drafts = await Promise.all(Array.from({ length: 50 }, () => invoice(other, { customerId })))
    for (const { id } of drafts.slice(0, 5)) expect((await other.rest.invoiceDelete!({ id })).status).toBe(204)
    const empty = await invoice(other, { customerId, lineItems: [] })
    const sends = [...drafts, empty].map(({ id }) => other.rest.invoiceSend!({ id, body: {} }))
    const answers = await Promise.all(sends)
    const numbers = answers.filter(({ status }) => status === 200).map(({ body }) => body.invoiceNumber)
    expect(numbers.toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(
      Array.from({ length: 45 }, (_, index) => `INV-2027-${String(index + 1).padStart(6, '0')}`),
    )
    const earlier = await sentInvoice(other, { customerId, issueDate: '2026-12-31', dueDate: '2027-01-31' })
    expect(earlier.invoiceNumber).toBe('INV-2026-000001')
  })
})

describe('payments', () => {
  it('make an invoice PARTIALLY_PAID and PAID', async () => {
    const { id } = await sentInvoice(member)
    const partly = await pay(id, 100.5, { reference: 'SEPA 1', method: 'CARD', paidAt: '2027-01-31T10:00:00Z' })
    expect(partly.body).toMatchObject({
      status: 'PARTIALLY_PAID',
      amountPaid: 100.5,
      amountDue: 18.5,
      payments: [
        {
          invoiceId: id,
          amount: 100.5,
          currency: 'USD',
          method: 'CARD',
          reference: 'SEPA 1',
          paidAt: '2027-01-31T10:00:00.000Z',
          status: 'SUCCEEDED',
          recordedById: member.userId,
          refundedAmount: 0,
        },
      ],
    })
    const { body } = await member.rest.invoicePayment!({ id, body: { amount: '18.50', currency: 'USD' } })
    expect(body).toMatchObject({ status: 'PAID', amountDue: 0, paidAt: platform.now.toISOString() })
    expect((await platform.eventTypesOf(id)).slice(3)).toEqual([
      'invoice.updated',
      'payment.recorded',
      'invoice.partially_paid',
      'invoice.updated',
      'payment.recorded',
      'invoice.paid',
    ])
    expect(await refused(platform, () => pay(id, 1, { allowOverpayment: true }))).toEqual([409, 'INVALID_STATE'])
  })

  it.each([
    [{ amount: 0 }, 'amount OUT_OF_RANGE'],
    [{ amount: 119.01 }, 'amount OUT_OF_RANGE'],
    [{ amount: 1.001 }, 'amount TOO_PRECISE'],
    [{ amount: 1, currency: 'EUR' }, 'currency NOT_ALLOWED'],
    [{ amount: 1, paidAt: '2027-02-01T09:00:01Z' }, 'paidAt OUT_OF_RANGE'],
  ])('refuse %j', async (body, problem) => {
    const { id } = await sentInvoice(member)
    const record = () => member.rest.invoiceRecordPayment!({ id, body })
    expect((await refusedInputs(platform, record)).slice(2)).toEqual([problem])
  })

  it('may exceed what is due if that is allowed', async () => {
    const { id } = await sentInvoice(member)
    const { body } = await pay(id, 120, { allowOverpayment: true })
    expect(body).toMatchObject({ status: 'PAID', amountPaid: 120, amountDue: -1 })
  })

  it('are refunded in parts, which opens the invoice again', async () => {
    const { id } = await sentInvoice(member)
    const { payments } = (await pay(id, 119)).body
    const paymentId = payments[0].id as string
    const partly = await refund(id, paymentId, { amount: 19, reason: 'Damaged.' })
    expect(partly.body).toMatchObject({
      status: 'PARTIALLY_PAID',
      amountPaid: 100,
      amountDue: 19,
      paidAt: null,
      refunds: [{ paymentId, amount: 19, reason: 'Damaged.', recordedById: member.userId }],
    })
    expect((await refusedInputs(platform, () => refund(id, paymentId, { amount: 100.01 }))).slice(2)).toEqual([
      'amount OUT_OF_RANGE',
    ])
    expect(await refused(platform, () => member.rest.invoiceVoid!({ id }))).toEqual([409, 'INVALID_STATE'])
    const whole = await refund(id, paymentId)
    expect(whole.body).toMatchObject({ status: 'SENT', amountPaid: 0, amountDue: 119 })
    expect(whole.body.payments[0]).toMatchObject({ status: 'REFUNDED', refundedAmount: 119 })
    expect(await refused(platform, () => refund(id, paymentId))).toEqual([409, 'INVALID_STATE'])
    expect((await member.rest.invoiceVoid!({ id, body: { reason: 'Wrong.' } })).body).toMatchObject({
      status: 'VOID',
      voidReason: 'Wrong.',
      voidedAt: platform.now.toISOString(),
    })
    expect(await platform.eventTypesOf(id)).toContain('invoice.voided')
  })

  it('never exceed what is due, also when they are sent at once', async () => {
    const { id } = await sentInvoice(member)
    const answers = await Promise.all(Array.from({ length: 12 }, () => pay(id, 18)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      ...Array(6).fill(200),
      ...Array(6).fill(400),
    ])
    const { body } = await member.rest.invoice!({ id })
    expect(body).toMatchObject({ amountPaid: 108, amountDue: 11, status: 'PARTIALLY_PAID' })
    expect(body.payments).toHaveLength(6)
  })
})

describe('a status change that is not allowed', () => {
  it.each([
    ['invoiceVoid', 'DRAFT', ['SENT']],
    ['invoiceMarkUncollectible', 'DRAFT', ['SENT']],
    ['invoiceRecordPayment', 'DRAFT', ['SENT']],
    ['invoiceVoid', 'PARTIALLY_PAID', ['SENT', 'PAID', 'UNCOLLECTIBLE']],
    ['invoiceVoid', 'PAID', ['SENT', 'PARTIALLY_PAID']],
    ['invoiceMarkUncollectible', 'PAID', ['SENT', 'PARTIALLY_PAID']],
    ['invoiceSend', 'PAID', ['SENT', 'PARTIALLY_PAID']],
    ['invoiceRecordPayment', 'VOID', []],
    ['invoiceVoid', 'VOID', []],
    ['invoiceSend', 'VOID', []],
    ['invoiceMarkUncollectible', 'UNCOLLECTIBLE', ['PAID', 'VOID']],
    ['invoiceDelete', 'SENT', ['PARTIALLY_PAID', 'PAID', 'VOID', 'UNCOLLECTIBLE']],
  ])('%s of an invoice in %s', async (operation, status, allowed) => {
    const { id } = status === 'DRAFT' ? await invoice(member) : await sentInvoice(member)
    if (status === 'PAID') await pay(id, 119)
    if (status === 'PARTIALLY_PAID') await pay(id, 1)
    if (status === 'VOID') await member.rest.invoiceVoid!({ id })
    if (status === 'UNCOLLECTIBLE') await member.rest.invoiceMarkUncollectible!({ id })
    const body = operation === 'invoiceRecordPayment' ? { body: { amount: 1 } } : {}
    const call = () => member.rest[operation]!({ id, ...body })
    expect(await refused(platform, call)).toEqual([409, 'INVALID_STATE'])
    expect((await call()).body.allowed).toEqual(allowed)
    expect((await member.rest.invoice!({ id })).body.status).toBe(status)
  })
})

describe('invoiceUpdate', () => {
  it('changes only what may change after DRAFT', async () => {
    const { id, customerId } = await sentInvoice(member)
    const change = { dueDate: '2027-02-10', notes: 'N', metadata: { a: 1 }, tags: ['x'], dunningBlocked: true }
    const { body } = await member.rest.invoiceUpdate!({ id, body: change })
    expect(body).toMatchObject({ ...change, dueDate: '2027-02-10T00:00:00.000Z' })
    for (const frozen of [{ terms: 'T' }, { lineItems: [] }, { currency: 'EUR' }, { purchaseOrderNumber: 'P' }])
      expect(await refused(platform, () => member.rest.invoiceUpdate!({ id, body: frozen }))).toEqual([
        409,
        'INVALID_STATE',
      ])
    // What stays the same is no change.
    expect((await member.rest.invoiceUpdate!({ id, body: { customerId } })).status).toBe(200)
    expect(
      (await refusedInputs(platform, () => member.rest.invoiceUpdate!({ id, body: { dueDate: null } }))).slice(2),
    ).toEqual(['dueDate REQUIRED'])
  })
})
