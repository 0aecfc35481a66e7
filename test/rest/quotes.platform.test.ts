import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newId } from '../../subgraphs/kernel/ids.ts'
import { account, aLine, aQuote, each, product, quote } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
let stranger: Member

beforeAll(async () => {
  member = await platform.member()
  stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
})
afterAll(() => expectValidEvents(platform))

/** The problems of a refused create, by path, after checking that it changed nothing. */
const problemsOf = async (creator: Member, body: object) =>
  (await refusedInputs(platform, () => creator.rest.quoteCreate!({ body }))).slice(2)

describe('quoteCreate', () => {
  it('returns the whole quote and emits one event', async () => {
    const { status, body, headers } = await member.rest.quoteCreate!({ body: aQuote() })

    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organizationId: member.organizationId,
      ownerId: member.userId,
      externalId: null,
      tags: [],
      metadata: null,
      customFields: {},
      version: 1,
      createdAt: platform.now.toISOString(),
      updatedAt: platform.now.toISOString(),
      createdById: member.userId,
      updatedById: member.userId,
      deletedAt: null,
      quoteNumber: 'Q-000001',
      name: 'Dock scheduling for two yards',
      status: 'DRAFT',
      approvalStatus: 'NOT_REQUIRED',
      opportunityId: null,
      accountId: null,
      contactId: null,
      currency: 'USD',
      lineItems: [],
      subtotal: 0,
      discountType: null,
      discountValue: null,
      discountTotal: 0,
      taxTotal: 0,
      shippingTotal: 0,
      total: 0,
      validUntil: null,
      paymentTerms: 'NET_30',
      terms: null,
      notes: null,
      revision: 1,
      revisionOfId: null,
      isPrimary: false,
      reviewedById: null,
      reviewedAt: null,
      reviewComment: null,
      sentAt: null,
      mailFailure: null,
      viewedAt: null,
      acceptedAt: null,
      acceptedByName: null,
      rejectedAt: null,
      rejectedByName: null,
      rejectionReason: null,
      decision: null,
      expiredAt: null,
      orderId: null,
      documentUrl: `/v1/quotes/${body.id}/document`,
    })
    expect([headers.get('etag'), headers.get('location')]).toEqual(['"1"', `/v1/quotes/${body.id}`])
    expect(await platform.eventTypesOf(body.id)).toEqual(['quote.created'])
    expect((await member.rest.quote!({ id: body.id })).body).toEqual(body)
  })

  it('numbers quotes per organization without gaps, also after a refused one', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Numbers') })
    const first = await quote(other)
    expect(await problemsOf(other, aQuote({ accountId: newId() }))).toEqual(['accountId UNKNOWN_REFERENCE'])
    const second = await quote(other)
    expect([first.quoteNumber, second.quoteNumber]).toEqual(['Q-000001', 'Q-000002'])
  })

  it('computes every amount, and stores the same as it returns', async () => {
    const body = await quote(member, {
      currency: 'EUR',
      lineItems: [
        aLine({ name: 'Licence', quantity: 3, unitPrice: 49.99, discountPercent: 10, discountAmount: 5, taxRate: 19 }),
        aLine({ name: 'Training', quantity: 1, unitPrice: 70.03, taxRate: 7 }),
      ],
      discountType: 'AMOUNT',
      discountValue: 20,
      shippingTotal: 4.9,
    })
    expect(body).toMatchObject({
      subtotal: 200,
      discountTotal: 20,
      taxTotal: 26.63,
      shippingTotal: 4.9,
      total: 211.53,
      lineItems: [
        { name: 'Licence', lineTotal: 129.97, discountShare: 13, taxAmount: 22.22, sortOrder: 0 },
        { name: 'Training', lineTotal: 70.03, discountShare: 7, taxAmount: 4.41, sortOrder: 1 },
      ],
    })
    expect((await member.rest.quote!({ id: body.id })).body).toEqual(body)
  })

  it('copies what a line does not say from its product', async () => {
    const priced = await product(member, {
      name: 'Yard view',
      sku: 'YARD-1',
      listPrice: 490,
      unitPrice: 450.5,
      currency: 'EUR',
      billingFrequency: 'MONTHLY',
    })
    const listed = await product(member, { name: 'Gate view', listPrice: 12, currency: 'EUR' })
    const body = await quote(member, {
      lineItems: [
        { productId: priced.id, quantity: 2 },
        { productId: listed.id, quantity: 1, name: 'Gate view, reduced', unitPrice: 9 },
      ],
    })
    expect(body).toMatchObject({
      currency: 'EUR',
      total: 910,
      lineItems: [
        { name: 'Yard view', sku: 'YARD-1', listPrice: 490, unitPrice: 450.5, billingFrequency: 'MONTHLY' },
        { name: 'Gate view, reduced', sku: listed.sku, listPrice: 12, unitPrice: 9, billingFrequency: 'ONE_TIME' },
      ],
    })
  })

  it('refuses a product in another currency, unless the line has a price', async () => {
    const yen = await product(member, { listPrice: 5000, currency: 'JPY' })
    const lines = (line: object) =>
      aQuote({ currency: 'EUR', lineItems: [{ productId: yen.id, quantity: 1, ...line }] })
    expect(await problemsOf(member, lines({}))).toEqual(['lineItems.0.unitPrice REQUIRED'])
    const { body } = await member.rest.quoteCreate!({ body: lines({ unitPrice: 31.5 }) })
    expect(body).toMatchObject({ total: 31.5, lineItems: [{ name: yen.name, listPrice: null }] })
  })

  it('copies nothing from a product for a credential without READ_PRODUCTS', async () => {
    const { id } = await product(member, { listPrice: 77 })
    const writer = await platform.member({ scopes: ['WRITE_QUOTES'] })
    const body = aQuote({ lineItems: [{ productId: id, quantity: 1 }] })
    expect(await problemsOf(writer, body)).toEqual(['lineItems.0.name REQUIRED', 'lineItems.0.unitPrice REQUIRED'])
  })

  it.each([
    ['a line without name', { quantity: 1, unitPrice: 1 }, 'lineItems.0.name REQUIRED'],
    ['a line without price', { quantity: 1, name: 'A' }, 'lineItems.0.unitPrice REQUIRED'],
    ['an unknown product', aLine({ productId: newId() }), 'lineItems.0.productId UNKNOWN_REFERENCE'],
    ['a discount above the value', aLine({ discountAmount: 100.01 }), 'lineItems.0.discountAmount OUT_OF_RANGE'],
    [
      'an end before the start',
      aLine({ startDate: '2027-02-02T00:00:00Z', endDate: '2027-02-01T00:00:00Z' }),
      'lineItems.0.endDate OUT_OF_RANGE',
    ],
  ])('refuses %s', async (_, line, problem) => {
    expect(await problemsOf(member, aQuote({ lineItems: [line] }))).toEqual([problem])
  })

  it('refuses two lines with one id, and a discount on the quote above its subtotal', async () => {
    const id = newId()
    const twice = aQuote({ lineItems: [aLine({ id }), aLine({ id })] })
    expect(await problemsOf(member, twice)).toEqual(['lineItems.1.id NOT_UNIQUE'])
    const tooMuch = aQuote({ lineItems: [aLine()], discountType: 'AMOUNT', discountValue: 101 })
    expect(await problemsOf(member, tooMuch)).toEqual(['discountValue OUT_OF_RANGE'])
  })
})

describe('quoteUpdate', () => {
  it('computes the totals again and keeps the ids of lines that are sent with them', async () => {
    const { id, lineItems } = await quote(member, { lineItems: [aLine(), aLine({ name: 'Travel' })] })
    const kept = lineItems[1].id as string
    const { body } = await member.rest.quoteUpdate!({
      id,
      body: {
        lineItems: [aLine({ id: kept, name: 'Travel', quantity: 2 })],
        discountType: 'PERCENT',
        discountValue: 50,
      },
    })
    expect(body).toMatchObject({
      subtotal: 200,
      discountTotal: 100,
      total: 100,
      lineItems: [{ id: kept, quantity: 2 }],
    })
    const cleared = await member.rest.quoteUpdate!({ id, body: { discountType: null, discountValue: null } })
    expect(cleared.body).toMatchObject({ discountTotal: 0, total: 200, lineItems: [{ id: kept, discountShare: 0 }] })
  })

  it('refuses another currency without the lines, and changes nothing', async () => {
    const before = await quote(member, { currency: 'EUR', lineItems: [aLine()] })
    const update = () => member.rest.quoteUpdate!({ id: before.id, body: { currency: 'JPY' } })
    expect((await refusedInputs(platform, update)).slice(2)).toEqual(['lineItems REQUIRED'])
    const body = { currency: 'JPY', lineItems: [aLine({ unitPrice: 15000 })] }
    expect((await member.rest.quoteUpdate!({ id: before.id, body })).body).toMatchObject({
      currency: 'JPY',
      total: 15000,
    })
  })

  it('keeps a line whose product was deleted since', async () => {
    const { id: productId } = await product(member)
    const { id, lineItems } = await quote(member, { lineItems: [{ productId, quantity: 1 }] })
    await member.rest.productDelete!({ id: productId })
    const line = { id: lineItems[0].id, productId, name: lineItems[0].name, unitPrice: 490, quantity: 3 }
    const { body } = await member.rest.quoteUpdate!({ id, body: { lineItems: [line] } })
    expect(body).toMatchObject({ total: 1470, lineItems: [{ productId }] })
  })
})

describe('quotes of accounts', () => {
  it('are connected in both directions and filtered by each other', async () => {
    const customer = await account(member, { name: 'Harbour Works' })
    const [first] = await each(['First', 'Second'], (name) => quote(member, { name, accountId: customer.id }))
    await quote(member, { name: 'Elsewhere' })
    const { body } = await member.graphql(
      `query($id: ID!) {
        account(id: $id) { quotes(orderBy: [{ field: name, direction: ASC }]) { nodes { name account { name } } } }
        accountList(filter: { quotes: { some: { name: { eq: "Second" } } } }) { data { name } }
        quoteList(filter: { account: { name: { eq: "Harbour Works" } }, name: { eq: "First" } }) { data { id } }
      }`,
      { id: customer.id },
    )
    expect(body).toEqual({
      data: {
        account: {
          quotes: {
            nodes: [
              { name: 'First', account: { name: 'Harbour Works' } },
              { name: 'Second', account: { name: 'Harbour Works' } },
            ],
          },
        },
        accountList: { data: [{ name: 'Harbour Works' }] },
        quoteList: { data: [{ id: first.id }] },
      },
    })
  })

  it('are hidden from other organizations', async () => {
    const { id } = await quote(member)
    expect(await refused(platform, () => stranger.rest.quote!({ id }))).toEqual([404, 'NOT_FOUND'])
  })
})

describe('quoteStats', () => {
  it('counts by status and approval', async () => {
    const other = await platform.member({ organizationId: await platform.organization('Stats') })
    await each([1, 2], () => quote(other))
    expect((await other.rest.quoteStats!({})).body).toMatchObject({
      total: 2,
      byStatus: { DRAFT: 2 },
      byApprovalStatus: { NOT_REQUIRED: 2 },
      primary: 0,
    })
  })

  it('has the amounts of open and of accepted quotes, by currency and in the base currency', async () => {
    const organizationId = await platform.organization('Amounts')
    const own = await platform.member({ organizationId })
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    const session = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, admin)}`,
    })
    await session.exchangeRateSet!({ body: { currency: 'EUR', date: '2027-01-01', rate: 1.105 } })
    const offered = async (currency: string, unitPrice: number, status = 'DRAFT') => {
      const { id } = await quote(own, { currency, lineItems: [aLine({ unitPrice })] })
      await platform.query('update commerce.quote set status = $2 where id = $1', [id, status])
    }
    await offered('EUR', 10.01)
    await offered('EUR', 20, 'SENT')
    await offered('KWD', 1.005)
    await offered('USD', 5, 'ACCEPTED')
    await offered('EUR', 3, 'CONVERTED')
    await offered('USD', 1000, 'CANCELLED')
    expect((await own.rest.quoteStats!({})).body).toMatchObject({
      total: 6,
      currency: 'USD',
      totalOpen: 33.16,
      openAmount: 33.16,
      openByCurrency: [
        { currency: 'EUR', count: 2, sum: 30.01, average: 15 },
        { currency: 'KWD', count: 1, sum: 1.005, average: 1.005 },
      ],
      totalAccepted: 8.32,
      acceptedAmount: 8.32,
      acceptedByCurrency: [
        { currency: 'EUR', count: 1, sum: 3, average: 3 },
        { currency: 'USD', count: 1, sum: 5, average: 5 },
      ],
    })
  })
})
