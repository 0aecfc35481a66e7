import { beforeAll, describe, expect, it } from 'vitest'
import { orderFromQuote } from '../../subgraphs/commerce/order/order.actions.ts'
import { quote as quoteRecord } from '../../subgraphs/commerce/quote/quote.record.ts'
import { recordsOf } from '../../subgraphs/kernel/record/records-of.ts'
import { systemContext } from '../../subgraphs/kernel/request.ts'
import { account, aLine, contact, opportunity, order, quote } from '../builders.ts'
import { refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'
import { sessionOf } from '../requests/session.ts'
import { restClient } from '../rest-client.ts'

const platform = usePlatform()
let member: Member
beforeAll(async () => {
  member = await platform.member()
})

const twoLines = () => [aLine({ quantity: 3, unitPrice: 10 }), aLine({ name: 'Support', quantity: 2.5, unitPrice: 4 })]

type Line = { id: string; quantityFulfilled: number }
const linesOf = (body: { lineItems: Line[] }): Line[] => body.lineItems

/** The last answer of these operations on an order, each of which must succeed. */
async function after(id: string, ...operations: readonly string[]) {
  let body: any // oxlint-disable-line typescript/no-explicit-any
  for (const operation of operations) {
    const answer = await member.rest[operation]!({ id, body: operation === 'orderFulfill' ? {} : undefined })
    expect([operation, answer.status]).toEqual([operation, 200])
    ;({ body } = answer)
  }
  return body
}

const toProcessing = ['orderConfirm', 'orderProcess'] as const

describe('orderCreate', () => {
  it('numbers orders without gaps and computes all amounts', async () => {
    const own = await platform.member({ organizationId: await platform.organization('Numbers') })
    const first = await order(own, { lineItems: twoLines(), currency: 'EUR', discountType: 'AMOUNT', discountValue: 4 })
    expect(first).toMatchObject({
      orderNumber: 'O-000001',
      status: 'DRAFT',
      paymentStatus: 'UNPAID',
      invoiceStatus: 'NOT_INVOICED',
      quoteId: null,
      subtotal: 40,
      discountTotal: 4,
      total: 36,
      orderDate: platform.now.toISOString(),
      lineItems: [
        { quantityFulfilled: 0, quantityInvoiced: 0, lineTotal: 30, discountShare: 3 },
        { quantityFulfilled: 0, quantityInvoiced: 0, lineTotal: 10, discountShare: 1 },
      ],
    })
    expect(await refused(platform, () => own.rest.orderCreate!({ body: { accountId: first.id } }))).toEqual([
      400,
      'VALIDATION_FAILED',
    ])
    expect((await order(own)).orderNumber).toBe('O-000002')
  })

  it('refuses values that only the platform sets', async () => {
    for (const body of [{ status: 'CONFIRMED' }, { quoteId: null }, { total: 1 }, { orderNumber: 'O-1' }])
      expect((await refused(platform, () => member.rest.orderCreate!({ body })))[0]).toBe(400)
    const lineItems = [aLine({ quantityFulfilled: 1 })]
    expect(await refusedInputs(platform, () => member.rest.orderCreate!({ body: { lineItems } }))).toEqual([
      400,
      'UNKNOWN_FIELD',
      'lineItems.0.quantityFulfilled UNKNOWN_FIELD',
    ])
  })
})

describe('the statuses of an order', () => {
  it('move from DRAFT to RETURNED, each with its event', async () => {
    const { id } = await order(member, { lineItems: twoLines() })
    expect(await after(id, 'orderConfirm')).toMatchObject({
      status: 'CONFIRMED',
      confirmedAt: platform.now.toISOString(),
    })
    expect(await after(id, 'orderProcess', 'orderFulfill')).toMatchObject({
      status: 'FULFILLED',
      fulfilledAt: platform.now.toISOString(),
      lineItems: [{ quantityFulfilled: 3 }, { quantityFulfilled: 2.5 }],
    })
    const returned = await member.rest.orderReturn!({ id, body: { reason: 'Wrong size.' } })
    expect(returned.body).toMatchObject({ status: 'RETURNED', returnReason: 'Wrong size.' })
    expect((await platform.eventTypesOf(id)).filter((type) => type !== 'order.updated')).toEqual([
      'order.created',
      'order.confirmed',
      'order.fulfilled',
      'order.returned',
    ])
  })

  it.each([
    [[], ['orderProcess', 'orderFulfill', 'orderReturn'], ['CONFIRMED', 'CANCELLED']],
    [['orderConfirm'], ['orderConfirm', 'orderFulfill', 'orderReturn'], ['PROCESSING', 'CANCELLED']],
    [toProcessing, ['orderConfirm', 'orderProcess', 'orderReturn'], ['PARTIALLY_FULFILLED', 'FULFILLED', 'CANCELLED']],
    [[...toProcessing, 'orderFulfill'], ['orderConfirm', 'orderProcess', 'orderFulfill', 'orderCancel'], ['RETURNED']],
    [['orderCancel'], ['orderConfirm', 'orderProcess', 'orderFulfill', 'orderCancel', 'orderReturn'], []],
  ])('after %j refuse %j with 409 and change nothing', async (before, operations, allowed) => {
    const { id } = await order(member, { lineItems: twoLines() })
    await after(id, ...before)
    for (const operation of operations) {
      expect(await refused(platform, () => member.rest[operation]!({ id }))).toEqual([409, 'INVALID_STATE'])
      expect((await member.rest[operation]!({ id })).body.allowed).toEqual(allowed)
    }
  })

  it('confirm no order without lines', async () => {
    const { id } = await order(member)
    expect(await refused(platform, () => member.rest.orderConfirm!({ id }))).toEqual([409, 'INVALID_STATE'])
    expect((await member.rest.orderConfirm!({ id })).body.allowed).toEqual(['CANCELLED'])
  })

  it('freeze the lines and prices after DRAFT, and nothing else', async () => {
    const { id, version } = await order(member, { lineItems: twoLines() })
    await member.rest.orderUpdate!({ id, body: { lineItems: twoLines().slice(1) } })
    await after(id, 'orderConfirm')
    for (const body of [{ lineItems: [] }, { currency: 'EUR', lineItems: twoLines() }, { shippingTotal: 3 }])
      expect(await refused(platform, () => member.rest.orderUpdate!({ id, body }))).toEqual([409, 'INVALID_STATE'])
    const changed = await member.rest.orderUpdate!({ id, body: { paymentStatus: 'PAID', notes: 'x', terms: null } })
    expect([changed.status, changed.body.paymentStatus, changed.body.version]).toEqual([200, 'PAID', version + 3])
  })

  it('change once when the same move is requested by many at once', async () => {
    const { id } = await order(member, { lineItems: twoLines() })
    const answers = await Promise.all(Array.from({ length: 6 }, () => member.rest.orderConfirm!({ id })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409, 409])
    expect((await platform.eventTypesOf(id)).filter((type) => type === 'order.confirmed')).toHaveLength(1)
  })
})

describe('orderFulfill', () => {
  it('adds quantities of lines until nothing is open', async () => {
    const { id, lineItems } = await order(member, { lineItems: twoLines() })
    await after(id, ...toProcessing)
    const [one, two] = linesOf({ lineItems })
    const deliver = (lines: unknown) => member.rest.orderFulfill!({ id, body: { lines } })
    const partly = await deliver([{ lineItemId: one!.id, quantity: 3 }])
    expect(partly.body).toMatchObject({ status: 'PARTIALLY_FULFILLED', fulfilledAt: null })
    expect((await deliver([{ lineItemId: two!.id, quantity: '0.5' }])).body.status).toBe('PARTIALLY_FULFILLED')
    expect(await refused(platform, () => member.rest.orderCancel!({ id }))).toEqual([409, 'INVALID_STATE'])
    const whole = await deliver([{ lineItemId: two!.id, quantity: 2 }])
    expect(whole.body.status).toBe('FULFILLED')
    expect(linesOf(whole.body).map(({ quantityFulfilled }) => quantityFulfilled)).toEqual([3, 2.5])
    expect((await platform.eventTypesOf(id)).filter((type) => type.includes('fulfilled'))).toEqual([
      'order.partially_fulfilled',
      'order.partially_fulfilled',
      'order.fulfilled',
    ])
  })

  it('refuses more than is open, unknown and repeated lines, and changes nothing', async () => {
    const { id, lineItems } = await order(member, { lineItems: twoLines() })
    await after(id, ...toProcessing)
    const [{ id: one }, { id: two }] = linesOf({ lineItems }) as [Line, Line]
    const problems = (lines: unknown) =>
      refusedInputs(platform, () => member.rest.orderFulfill!({ id, body: { lines } })).then((found) => found.slice(1))
    const wrong = 'VALIDATION_FAILED'
    expect(
      await problems([
        { lineItemId: one, quantity: 1 },
        { lineItemId: two, quantity: 2.6 },
      ]),
    ).toEqual([wrong, 'lines.1.quantity OUT_OF_RANGE'])
    expect(await problems([{ lineItemId: one, quantity: 0 }])).toEqual([wrong, 'lines.0.quantity OUT_OF_RANGE'])
    expect(await problems([{ lineItemId: id, quantity: 1 }])).toEqual([wrong, 'lines.0.lineItemId UNKNOWN_REFERENCE'])
    expect(
      await problems([
        { lineItemId: one, quantity: 1 },
        { lineItemId: one, quantity: 1 },
      ]),
    ).toEqual([wrong, 'lines.1.lineItemId NOT_UNIQUE'])
    expect(await problems([])).toEqual([wrong, 'lines TOO_FEW'])
  })

  it('never delivers more than was ordered, when many deliver at once', async () => {
    const { id, lineItems } = await order(member, { lineItems: [aLine({ quantity: 5 })] })
    await after(id, ...toProcessing)
    const body = { lines: [{ lineItemId: linesOf({ lineItems })[0]!.id, quantity: 2 }] }
    const answers = await Promise.all(Array.from({ length: 4 }, () => member.rest.orderFulfill!({ id, body })))
    const delivered = answers.filter(({ status }) => status === 200).length
    const { quantityFulfilled } = linesOf((await member.rest.order!({ id })).body)[0]!
    expect(quantityFulfilled).toBe(delivered * 2)
    expect([2, 4]).toContain(quantityFulfilled)
  })
})

describe('orderDelete', () => {
  it('deletes a DRAFT or CANCELLED order, and keeps what was agreed on', async () => {
    const draft = await order(member, { lineItems: twoLines() })
    const confirmed = await order(member, { lineItems: twoLines() })
    await after(confirmed.id, 'orderConfirm')
    expect(await refused(platform, () => member.rest.orderDelete!({ id: confirmed.id }))).toEqual([
      409,
      'INVALID_STATE',
    ])
    await after(confirmed.id, 'orderCancel')
    for (const { id } of [draft, confirmed]) expect((await member.rest.orderDelete!({ id })).status).toBe(204)
    expect((await member.rest.orderRestore!({ id: draft.id })).body.orderNumber).toBe(draft.orderNumber)
  })
})

describe('orderFromQuote', () => {
  it('copies parties, lines and amounts, once, also when many convert the quote at once', async () => {
    const { id: accountId } = await account(member)
    const made = await quote(member, {
      accountId,
      lineItems: twoLines(),
      currency: 'KWD',
      discountType: 'PERCENT',
      discountValue: 12.5,
      terms: 'Net.',
    })
    const ctx = systemContext(platform.services, member.organizationId)
    const stored = await recordsOf(quoteRecord).require(ctx, made.id)
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => orderFromQuote(ctx, stored)))
    const orders = outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)
    expect(orders).toHaveLength(1)
    const refusals = outcomes.filter((outcome) => outcome.status === 'rejected').map(({ reason }) => reason)
    for (const refusal of refusals)
      expect(refusal).toMatchObject({
        code: 'UNIQUE_VIOLATION',
        extensions: { errors: [{ path: 'quoteId', conflictingId: orders[0]!.id }] },
      })
    const { body } = await member.rest.order!({ id: orders[0]!.id })
    const copied = ['accountId', 'currency', 'subtotal', 'discountTotal', 'taxTotal', 'total', 'terms', 'ownerId']
    expect(body).toMatchObject(Object.fromEntries(copied.map((name) => [name, made[name]])))
    expect([body.quoteId, body.status, body.lineItems.map(({ id }: Line) => id)]).toEqual([
      made.id,
      'DRAFT',
      made.lineItems.map(({ id }: Line) => id),
    ])
  })
})

describe('the edges of an order', () => {
  it('lead to account, contact, opportunity and quote, and back, and filter both', async () => {
    const { id: accountId } = await account(member)
    const { id: contactId } = await contact(member, { accountId })
    const { id: opportunityId } = await opportunity(member, { accountId })
    const { id } = await order(member, { accountId, contactId, opportunityId })
    const orders = `orders { nodes { id } }`
    const { body } = await member.graphql(
      `query ($id: ID!) {
         order(id: $id) { account { id ${orders} } contact { id ${orders} } opportunity { id ${orders} } quote { id } }
         accountList(filter: { orders: { some: { id: { eq: $id } } } }) { data { id } }
         orderList(filter: { account: { id: { eq: "${accountId}" } } }) { data { id } }
       }`,
      { id },
    )
    const back = { nodes: [{ id }] }
    expect(body).toEqual({
      data: {
        order: {
          account: { id: accountId, orders: back },
          contact: { id: contactId, orders: back },
          opportunity: { id: opportunityId, orders: back },
          quote: null,
        },
        accountList: { data: [{ id: accountId }] },
        orderList: { data: [{ id }] },
      },
    })
  })
})

describe('orderStats', () => {
  it('has sums by currency and in the base currency, of orders that count as sales', async () => {
    const organizationId = await platform.organization('Sales')
    const own = await platform.member({ organizationId })
    const admin = await platform.member({ organizationId, role: 'ADMIN' })
    const session = restClient(platform.contract, platform.url, {
      Authorization: `Bearer ${await sessionOf(platform, admin)}`,
    })
    await session.exchangeRateSet!({ body: { currency: 'EUR', date: '2027-01-01', rate: 1.105 } })
    const sold = async (currency: string, unitPrice: number) => {
      const { id } = await order(own, { currency, lineItems: [aLine({ unitPrice })] })
      await own.rest.orderConfirm!({ id })
    }
    await sold('EUR', 10.01)
    await sold('EUR', 20)
    await sold('USD', 5)
    await sold('KWD', 1.005)
    await order(own, { currency: 'EUR', lineItems: [aLine({ unitPrice: 1000 })] })
    expect((await own.rest.orderStats!()).body).toMatchObject({
      total: 5,
      byStatus: { DRAFT: 1, CONFIRMED: 4 },
      byPaymentStatus: { UNPAID: 5 },
      totalAmount: 38.16,
      currency: 'USD',
      totalByCurrency: [
        { currency: 'EUR', count: 2, sum: 30.01, average: 15 },
        { currency: 'KWD', count: 1, sum: 1.005, average: 1.005 },
        { currency: 'USD', count: 1, sum: 5, average: 5 },
      ],
    })
  })
})
