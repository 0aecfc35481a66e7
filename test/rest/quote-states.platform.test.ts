import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aLine, contact, opportunity, quote } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { mailsTo } from '../mailbox.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let manager: Member

beforeAll(async () => {
  member = await platform.member()
  manager = await platform.member({ role: 'MANAGER' })
})
afterAll(() => expectValidEvents(platform))

const aDraft = (values: object = {}) => quote(member, { lineItems: [aLine()], ...values })
const send = (id: string, to = 'ines@customer.example') => member.rest.quoteSend!({ id, body: { to } })
const requireApproval = (isRequired: boolean) =>
  platform.query(`update identity.organization set settings = $2 where id = $1`, [
    member.organizationId,
    JSON.stringify({ requireQuoteApproval: isRequired }),
  ])

describe('the approval of a quote', () => {
  it('leads from DRAFT to APPROVED, with the user who decided', async () => {
    const { id } = await aDraft()
    const submitted = await member.rest.quoteSubmit!({ id })
    expect(submitted.body).toMatchObject({ status: 'IN_REVIEW', approvalStatus: 'PENDING' })
    const approved = await manager.rest.quoteApprove!({ id, body: { comment: 'Fine.' } })
    expect(approved.body).toMatchObject({
      status: 'APPROVED',
      approvalStatus: 'APPROVED',
      reviewedById: manager.userId,
      reviewedAt: platform.now.toISOString(),
      reviewComment: 'Fine.',
    })
  })

  it('returns to DRAFT when it is declined or recalled, and can then be changed', async () => {
    const { id } = await aDraft()
    await member.rest.quoteSubmit!({ id })
    const frozen = () => member.rest.quoteUpdate!({ id, body: { name: 'Other' } })
    expect(await refused(platform, frozen)).toEqual([409, 'INVALID_STATE'])
    const declined = await manager.rest.quoteReject!({ id, body: { comment: 'Too cheap.' } })
    expect(declined.body).toMatchObject({ status: 'DRAFT', approvalStatus: 'REJECTED', reviewComment: 'Too cheap.' })
    expect((await frozen()).status).toBe(200)
    await member.rest.quoteSubmit!({ id })
    const recalled = await member.rest.quoteRecall!({ id })
    expect(recalled.body).toMatchObject({ status: 'DRAFT', approvalStatus: 'NOT_REQUIRED', reviewComment: null })
  })

  it('is decided by managers, admins and owners only', async () => {
    const { id } = await aDraft()
    await member.rest.quoteSubmit!({ id })
    const decide = [() => member.rest.quoteApprove!({ id }), () => member.rest.quoteReject!({ id })]
    for (const call of decide) expect(await refused(platform, call)).toEqual([403, 'PERMISSION_DENIED'])
  })

  it('is needed before sending only if the organization requires it', async () => {
    const { id } = await aDraft()
    await requireApproval(true)
    const answer = await send(id)
    expect([answer.status, answer.body.code, answer.body.allowed]).toEqual([
      409,
      'INVALID_STATE',
      ['IN_REVIEW', 'CANCELLED'],
    ])
    await member.rest.quoteSubmit!({ id })
    await manager.rest.quoteApprove!({ id })
    expect((await send(id)).body.status).toBe('SENT')
    await requireApproval(false)
  })
})

describe('a status change that is not allowed', () => {
  it.each([
    ['quoteApprove', 'DRAFT', ['IN_REVIEW', 'SENT', 'CANCELLED']],
    ['quoteRecall', 'DRAFT', ['IN_REVIEW', 'SENT', 'CANCELLED']],
    ['quoteRevise', 'DRAFT', ['IN_REVIEW', 'SENT', 'CANCELLED']],
    ['quoteSubmit', 'SENT', ['ACCEPTED', 'REJECTED', 'CANCELLED']],
    ['quoteSend', 'ACCEPTED', ['CONVERTED']],
    ['quoteRevise', 'ACCEPTED', ['CONVERTED']],
    ['quoteCancel', 'ACCEPTED', ['CONVERTED']],
    ['quoteCancel', 'CANCELLED', []],
    ['quoteSubmit', 'CONVERTED', []],
  ])('%s in %s answers 409 with the allowed statuses and changes nothing', async (operation, status, allowed) => {
    const { id } = await aDraft()
    await platform.query('update commerce.quote set status = $2 where id = $1', [id, status])
    const call = () => manager.rest[operation]!({ id })
    expect(await refused(platform, call)).toEqual([409, 'INVALID_STATE'])
    expect((await call()).body.allowed).toEqual(allowed)
  })
})

describe('quoteSend', () => {
  it('freezes the quote, announces it once, and mails a link to the public page', async () => {
    const { id, quoteNumber } = await aDraft({ name: 'Frozen' })
    const sent = await send(id, 'Ines.Frozen@Customer.example')
    expect(sent.body).toMatchObject({ status: 'SENT', sentAt: platform.now.toISOString(), version: 2 })
    await send(id, 'second@customer.example')
    expect(await platform.eventTypesOf(id)).toEqual(['quote.created', 'quote.updated', 'quote.sent'])
    const [mail] = await mailsTo(platform, 'ines.frozen@customer.example')
    expect(mail!.subject).toBe(`Quote ${quoteNumber}`)
    const [attached, ...others] = mail!.attachments!
    expect([attached, others]).toMatchObject([{ filename: `${quoteNumber}.pdf`, contentType: 'application/pdf' }, []])
    expect(Buffer.from(attached!.content, 'base64').subarray(0, 5).toString()).toBe('%PDF-')
    expect(mail!.text).toMatch(/\/v1\/public\/quotes\/[\w-]{43}\n/)
    const change = () => member.rest.quoteUpdate!({ id, body: { lineItems: [aLine({ unitPrice: 1 })] } })
    expect(await refused(platform, change)).toEqual([409, 'INVALID_STATE'])
    expect((await member.rest.quoteUpdate!({ id, body: { notes: 'Call on Monday.' } })).status).toBe(200)
  })

  it('needs a line, a validUntil that has not passed, and a recipient', async () => {
    const problemsOf = async (values: object, body: object = { to: 'ines@customer.example' }) => {
      const { id } = await quote(member, values)
      return (await refusedInputs(platform, () => member.rest.quoteSend!({ id, body }))).slice(2)
    }
    expect(await problemsOf({})).toEqual(['lineItems REQUIRED'])
    const lineItems = [aLine()]
    const validUntil = platform.now.toISOString()
    expect(await problemsOf({ lineItems, validUntil })).toEqual(['validUntil OUT_OF_RANGE'])
    expect(await problemsOf({ lineItems }, {})).toEqual(['to REQUIRED'])
    expect(await problemsOf({ lineItems }, { to: 'nobody' })).toEqual(['to NOT_AN_EMAIL'])
  })

  it('mails the contact of the quote unless another address is given', async () => {
    const { id: contactId } = await contact(member, { email: 'the.contact@customer.example' })
    const { id } = await aDraft({ contactId })
    expect((await member.rest.quoteSend!({ id })).body.status).toBe('SENT')
    expect(await mailsTo(platform, 'the.contact@customer.example')).toHaveLength(1)
  })
})

describe('quoteRevise', () => {
  it('creates a draft with the same content, and cancels the sent quote', async () => {
    const { id, lineItems } = await aDraft({
      name: 'Revised',
      discountType: 'PERCENT',
      discountValue: 10,
      tags: ['key'],
    })
    await send(id)
    const { status, body } = await member.rest.quoteRevise!({ id })
    expect([status, body]).toMatchObject([
      201,
      {
        name: 'Revised',
        status: 'DRAFT',
        revision: 2,
        revisionOfId: id,
        total: 90,
        lineItems,
        tags: ['key'],
        sentAt: null,
      },
    ])
    expect((await member.rest.quote!({ id })).body).toMatchObject({ status: 'CANCELLED', total: 90 })
    expect(await platform.eventTypesOf(body.id)).toEqual(['quote.created'])
  })

  it('creates one revision of a quote, also when it is called many times at once', async () => {
    const { id } = await aDraft()
    await send(id)
    const answers = await Promise.all(Array.from({ length: 6 }, () => member.rest.quoteRevise!({ id })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409])
    const [row] = await platform.query('select count(*)::int as n from commerce.quote where revision_of_id = $1', [id])
    expect(row).toEqual({ n: 1 })
  })
})

describe('quoteConvert', () => {
  const accepted = async (values: object = {}) => {
    const draft = await aDraft(values)
    await platform.query(`update commerce.quote set status = 'ACCEPTED' where id = $1`, [draft.id])
    return draft
  }

  it('creates the order with the same lines and amounts, and announces both', async () => {
    const { id, lineItems } = await accepted({
      currency: 'EUR',
      discountType: 'AMOUNT',
      discountValue: 10,
      terms: 'Net.',
    })
    const { status, body } = await member.rest.quoteConvert!({ id })
    expect([status, body]).toMatchObject([
      201,
      { status: 'DRAFT', quoteId: id, currency: 'EUR', total: 90, terms: 'Net.', lineItems: [{ id: lineItems[0].id }] },
    ])
    expect((await member.rest.quote!({ id })).body).toMatchObject({ status: 'CONVERTED', orderId: body.id })
    expect((await platform.eventTypesOf(id)).slice(-2)).toEqual(['quote.updated', 'quote.converted'])
    expect(await platform.eventTypesOf(body.id)).toEqual(['order.created'])
  })

  it('creates one order when it is called many times at once, and names it in the refusals', async () => {
    const { id } = await accepted()
    const answers = await Promise.all(Array.from({ length: 6 }, () => member.rest.quoteConvert!({ id })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409, 409, 409, 409, 409])
    const { orderId } = (await member.rest.quote!({ id })).body
    const refusals = answers.filter(({ status }) => status === 409).map(({ body }) => [body.code, body.orderId])
    expect(refusals).toEqual(refusals.map(() => ['INVALID_STATE', orderId]))
    const { body } = await member.rest.orderList!({ query: { quoteId: id } })
    expect(body.data).toMatchObject([{ id: orderId }])
  })

  it('refuses a quote that is not accepted, and changes nothing', async () => {
    const { id } = await aDraft()
    const call = () => member.rest.quoteConvert!({ id })
    expect(await refused(platform, call)).toEqual([409, 'INVALID_STATE'])
    expect((await call()).body.allowed).toEqual(['IN_REVIEW', 'SENT', 'CANCELLED'])
  })
})

describe('the primary quote of an opportunity', () => {
  const opportunityNow = async (id: string) => {
    const { amount, currency } = (await member.rest.opportunity!({ id })).body
    return { amount, currency }
  }

  it('is one at a time, and the amount of the opportunity follows it', async () => {
    const { id: opportunityId } = await opportunity(member, { amount: 1, currency: 'USD' })
    const first = await aDraft({ opportunityId, currency: 'EUR', isPrimary: true, shippingTotal: 9 })
    expect(await opportunityNow(opportunityId)).toEqual({ amount: 100, currency: 'EUR' })
    await member.rest.quoteUpdate!({ id: first.id, body: { discountType: 'AMOUNT', discountValue: 15.5 } })
    expect(await opportunityNow(opportunityId)).toEqual({ amount: 84.5, currency: 'EUR' })
    const second = await aDraft({
      opportunityId,
      currency: 'JPY',
      lineItems: [aLine({ unitPrice: 7000 })],
      isPrimary: true,
    })
    expect((await member.rest.quote!({ id: first.id })).body.isPrimary).toBe(false)
    expect(await opportunityNow(opportunityId)).toEqual({ amount: 7000, currency: 'JPY' })
    await member.rest.quoteUpdate!({ id: first.id, body: { discountType: null, discountValue: null } })
    expect(await opportunityNow(opportunityId)).toEqual({ amount: 7000, currency: 'JPY' })
    await send(second.id)
    const { body: revision } = await member.rest.quoteRevise!({ id: second.id })
    expect(revision.isPrimary).toBe(true)
    expect((await member.rest.quote!({ id: second.id })).body.isPrimary).toBe(false)
  })

  it('is exactly one after many became it at once', async () => {
    const { id: opportunityId } = await opportunity(member)
    const quotes = await Promise.all(Array.from({ length: 5 }, () => aDraft({ opportunityId })))
    const answers = await Promise.all(
      quotes.map(({ id }) => member.rest.quoteUpdate!({ id, body: { isPrimary: true } })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const rows = await platform.query('select id from commerce.quote where opportunity_id = $1 and is_primary', [
      opportunityId,
    ])
    expect(rows).toHaveLength(1)
  })
})
