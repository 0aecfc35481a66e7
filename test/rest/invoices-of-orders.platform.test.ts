import { afterAll, beforeAll, expect, it } from 'vitest'
import { seededRandom } from '../../subgraphs/kernel/time/business-hours.fixture.ts'
import { account, aLine, order } from '../builders.ts'
import { expectValidEvents, refused, refusedInputs } from '../expectations.ts'
import { usePlatform, type Member } from '../platform.ts'

const platform = usePlatform()
let member: Member
let customerId: string

beforeAll(async () => {
  member = await platform.member()
  customerId = (await account(member)).id
})
afterAll(() => expectValidEvents(platform))

const confirmed = async (values: object) => {
  const { id } = await order(member, { accountId: customerId, ...values })
  return (await member.rest.orderConfirm!({ id })).body
}
const fromOrder = (orderId: string, lineItems?: object[]) =>
  member.rest.invoiceFromOrder!({ body: { orderId, ...(lineItems && { lineItems }) } })
const orderOf = async (id: string) => (await member.rest.order!({ id })).body

it('invoices everything of an order once', async () => {
  const source = await confirmed({ lineItems: [aLine({ quantity: 3, taxRate: 19 })], shippingTotal: 5 })
  const { status, body } = await member.rest.invoiceFromOrderById!({ orderId: source.id })
  expect(status).toBe(201)
  expect(body).toMatchObject({ status: 'DRAFT', orderId: source.id, customerId, total: source.total, amountDue: 362 })
  expect(body.lineItems[0]).toMatchObject({ id: source.lineItems[0].id, quantity: 3, lineTotal: 300, taxAmount: 57 })
  const invoiced = await orderOf(source.id)
  expect(invoiced).toMatchObject({ invoiceStatus: 'INVOICED', lineItems: [{ quantityInvoiced: 3 }] })
  expect(await refused(platform, () => fromOrder(source.id))).toEqual([409, 'INVALID_STATE'])
  expect((await fromOrder(source.id)).body.existingId).toBe(body.id)

  // A deleted draft and a void invoice free the quantities.
  expect((await member.rest.invoiceDelete!({ id: body.id })).status).toBe(204)
  expect(await orderOf(source.id)).toMatchObject({
    invoiceStatus: 'NOT_INVOICED',
    lineItems: [{ quantityInvoiced: 0 }],
  })
  expect(await refused(platform, () => member.rest.invoiceRestore!({ id: body.id }))).toEqual([409, 'INVALID_STATE'])
  const again = (await fromOrder(source.id)).body
  await member.rest.invoiceSend!({ id: again.id })
  await member.rest.invoiceVoid!({ id: again.id })
  expect((await orderOf(source.id)).invoiceStatus).toBe('NOT_INVOICED')
})

it('invoices quantities, and the order says what is invoiced and paid', async () => {
  const source = await confirmed({ lineItems: [aLine({ quantity: 2 }), aLine({ name: 'Licence', quantity: 4 })] })
  const [first, second] = source.lineItems
  const part = (await fromOrder(source.id, [{ lineItemId: second.id, quantity: 1.5 }])).body
  expect(part).toMatchObject({ total: 150, lineItems: [{ id: second.id, quantity: 1.5 }] })
  expect(await orderOf(source.id)).toMatchObject({
    invoiceStatus: 'PARTIALLY_INVOICED',
    paymentStatus: 'UNPAID',
    lineItems: [{ quantityInvoiced: 0 }, { quantityInvoiced: 1.5 }],
  })
  const tooMuch = () =>
    fromOrder(source.id, [
      { lineItemId: second.id, quantity: 2.6 },
      { lineItemId: first.id, quantity: 0 },
      { lineItemId: part.id, quantity: 1 },
    ])
  expect((await refusedInputs(platform, tooMuch)).slice(2)).toEqual([
    'lineItems.0.quantity OUT_OF_RANGE',
    'lineItems.1.quantity OUT_OF_RANGE',
    'lineItems.2.lineItemId UNKNOWN_REFERENCE',
  ])
  const frozen = () => member.rest.invoiceUpdate!({ id: part.id, body: { lineItems: [] } })
  expect(await refused(platform, frozen)).toEqual([409, 'INVALID_STATE'])
  await member.rest.invoiceSend!({ id: part.id })
  await member.rest.invoicePayment!({ id: part.id, body: { amount: 150 } })
  expect((await orderOf(source.id)).paymentStatus).toBe('PARTIALLY_PAID')
  const rest = (await fromOrder(source.id)).body
  expect(rest.lineItems.map(({ quantity }: { quantity: number }) => quantity)).toEqual([2, 2.5])
  await member.rest.invoiceSend!({ id: rest.id })
  const { payments } = (await member.rest.invoicePayment!({ id: rest.id, body: { amount: 450 } })).body
  expect(await orderOf(source.id)).toMatchObject({ invoiceStatus: 'INVOICED', paymentStatus: 'PAID' })
  await member.rest.invoiceRefundPayment!({ id: rest.id, paymentId: payments[0].id })
  expect((await orderOf(source.id)).paymentStatus).toBe('PARTIALLY_PAID')
})

it('is orderInvoice in GraphQL, which takes the order of the caller only', async () => {
  const source = await confirmed({ lineItems: [aLine({ quantity: 2 })] })
  const document = `mutation ($id: ID!) { orderInvoice(id: $id) { id status orderId total lineItems { id quantity } } }`
  const run = (who: Member, id: string) => who.graphql(document, { id })
  const stranger = await platform.member({ organizationId: await platform.organization('Elsewhere') })
  const codeOf = async (who: Member) => (await run(who, source.id)).body.errors[0].extensions.code
  expect(await codeOf(stranger)).toBe('NOT_FOUND')
  const { id: draftId } = await order(member, { accountId: customerId, lineItems: [aLine()] })
  expect((await run(member, draftId)).body.errors[0].extensions.code).toBe('INVALID_STATE')
  expect((await orderOf(source.id)).invoiceStatus).toBe('NOT_INVOICED')
  const { orderInvoice } = (await run(member, source.id)).body.data
  expect(orderInvoice).toEqual({
    id: expect.any(String),
    status: 'DRAFT',
    orderId: source.id,
    total: source.total,
    lineItems: [{ id: source.lineItems[0].id, quantity: 2 }],
  })
  expect((await run(member, source.id)).body.errors[0].extensions).toMatchObject({
    code: 'INVALID_STATE',
    existingId: orderInvoice.id,
  })
  expect(await orderOf(source.id)).toMatchObject({ invoiceStatus: 'INVOICED', lineItems: [{ quantityInvoiced: 2 }] })
})

it('is for an order that is agreed on', async () => {
  const { id } = await order(member, { accountId: customerId, lineItems: [aLine()] })
  expect(await refused(platform, () => fromOrder(id))).toEqual([409, 'INVALID_STATE'])
  await member.rest.orderCancel!({ id })
  expect(await refused(platform, () => fromOrder(id))).toEqual([409, 'INVALID_STATE'])
})

it('never invoices a quantity twice, also when requests are sent at once', async () => {
  const source = await confirmed({ lineItems: [aLine({ quantity: 3 })] })
  const one = { lineItemId: source.lineItems[0].id, quantity: 1 }
  const answers = await Promise.all(Array.from({ length: 6 }, () => fromOrder(source.id, [one])))
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 201, 409, 409, 409])
  expect((await orderOf(source.id)).invoiceStatus).toBe('INVOICED')
})

it.each([1, 2, 3])(
  'has invoices with exactly the total of the order together, in whatever parts (seed %i)',
  async (seed) => {
    const random = seededRandom(seed)
    const lineItems = Array.from({ length: 3 }, (_, index) =>
      aLine({
        name: `Line ${index}`,
        quantity: 1 + random(7),
        unitPrice: (1 + random(9999)) / 100,
        discountPercent: random(40),
        taxRate: 19,
      }),
    )
    const source = await confirmed({
      currency: ['USD', 'JPY', 'EUR'][seed - 1],
      lineItems: seed === 2 ? lineItems.map((line) => ({ ...line, unitPrice: 10 + random(99) })) : lineItems,
      discountType: 'PERCENT',
      discountValue: 7,
      shippingTotal: 9,
    })
    const open = new Map<string, number>(
      source.lineItems.map(({ id, quantity }: { id: string; quantity: number }) => [id, quantity]),
    )
    const totals: number[] = []
    while ([...open.values()].some((quantity) => quantity > 0)) {
      const [id, quantity] = [...open].find(([, left]) => left > 0)!
      const taken = Math.min(quantity, 1 + random(3))
      const { status, body } = await fromOrder(source.id, [{ lineItemId: id, quantity: taken }])
      expect(status, JSON.stringify(body)).toBe(201)
      totals.push(body.total)
      open.set(id, quantity - taken)
    }
    expect(Number(totals.reduce((sum, total) => sum + total, 0).toFixed(6))).toBe(source.total)
  },
)
